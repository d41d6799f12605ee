import assert from "node:assert";
import {
  absDecimal,
  compareDecimals,
  type Decimal,
  decimal,
  subtractDecimals,
  sumDecimals,
  zero,
} from "../core/decimal.ts";
import { TieoutError } from "../core/errors.ts";
import type { DayOrInstant } from "../core/period.ts";
import type { Database, Transaction } from "../store/database.ts";
import { type LineToMatch, pairParts, type Part } from "../store/books/match-by-person.ts";
import { listPartsOfLine, type MatchRow } from "../store/books/match-reads.ts";
import { insertMatchesByPerson } from "../store/books/match-writes.ts";
import { openRun } from "../store/books/open-run.ts";
import { lockProvider } from "../store/books/provider-lock.ts";
import type { Run } from "../store/books/run.ts";
import { readClock } from "../store/clock-time.ts";
import { type Author, recordAudit } from "../store/people/audit-log.ts";
import { bookingTimeOf } from "./booking-time.ts";
import { type Access, findLine, refuseLine, refuseTransaction } from "./match-by-hand.ts";
import { reconcileInside } from "./reconcile.ts";

/** More orders than anyone adds up by hand. */
export const partsMax = 100;

/** Types of lines whose amount is that of an order; a part of any other line would have no meaning. */
const ofOrders = new Set(["charge", "refund", "chargeback", "chargeback_reversal"]);

export interface PartWanted {
  transactionId: string;
  /** `null`: what the others leave. */
  amount: Decimal | null;
}

/** A line that a person split. */
export interface SplitLine {
  lineId: number;
  /** Of the line, without its sign. */
  amount: Decimal;
  currency: string;
  /** What no part has taken: a discrepancy of the line while it is not zero. */
  rest: Decimal;
  matches: MatchRow[];
}

/** Says which part of a line's amount belongs to which of several transactions, and judges all of them again at once. */
export async function splitLine(
  database: Database,
  { accountIds }: Access,
  wanted: {
    lineId: number;
    parts: readonly PartWanted[];
    reason: string;
    bookedAt?: DayOrInstant | undefined;
  },
  author: Author,
): Promise<SplitLine> {
  const { reason } = wanted;
  return database.transaction(async (tx) => {
    const { account_id: accountId, provider } = await findLine(tx, wanted.lineId, accountIds);
    await lockProvider(tx, { accountId, provider });
    // Again, because a run may have matched it while we waited for the lock.
    const line = await findLine(tx, wanted.lineId, accountIds);
    refuseLine(line);
    const { amount, currency } = amountOf(line);
    const { parts, rest } = divide(line, amount, wanted.parts);
    for (const { transactionId } of parts) await refuseTransaction(tx, line, transactionId);
    const booking = await bookingTimeOf(tx, accountId, wanted.bookedAt);
    await writeParts(tx, line, parts, { actor: author.actor, reason, bookedAt: booking?.at ?? null });
    const touchedTransactionIds = parts.map(({ transactionId }) => transactionId);
    await reconcileInside(tx, { accountId, provider, touchedLineIds: [line.id], touchedTransactionIds });
    const matches = await listPartsOfLine({ database: tx, accountIds: null }, line.id);
    for (const { id, transactionId, partAmount } of matches) {
      await recordAudit(tx, {
        ...author,
        action: "match.made",
        subject: `mat_${id}`,
        after: {
          transaction_id: transactionId,
          line: `lin_${line.id}`,
          part: `${partAmount} ${currency}`,
          provider,
          ...(booking === null ? {} : { booked_at: booking.at }),
        },
        reason,
      });
    }
    return { lineId: line.id, amount, currency, rest, matches };
  });
}

async function writeParts(
  tx: Transaction,
  line: LineToMatch,
  parts: readonly Part[],
  by: { actor: string; reason: string; bookedAt: string | null },
): Promise<void> {
  const { id: lineId, account_id: accountId, provider } = line;
  const run: Run = { tx, accountId, providers: [provider], stamp: await readClock(tx), scope: "all" };
  await openRun(run);
  await pairParts(run, { lineId, parts });
  const made = await insertMatchesByPerson(run, by);
  assert(made.length === parts.length, `every transaction of the split of line ${lineId} was just found`);
}

function amountOf({ id, line_type, amount, currency }: LineToMatch): { amount: Decimal; currency: string } {
  if (!ofOrders.has(line_type)) {
    throw new TieoutError(
      "match_refused",
      `lin_${id} is of type ${line_type}: only what is of an order is split`,
    );
  }
  if (amount === null || currency === null || compareDecimals(decimal(amount), zero) === 0) {
    throw new TieoutError("match_refused", `lin_${id} states no amount of the order that could be split`);
  }
  return { amount: absDecimal(decimal(amount)), currency };
}

/** The parts with their amounts, and what they leave. One of them may be left open: it takes what the others leave. */
function divide(
  line: LineToMatch,
  amount: Decimal,
  wanted: readonly PartWanted[],
): { parts: Part[]; rest: Decimal } {
  const refused = (why: string) => new TieoutError("match_refused", why);
  if (wanted.length < 2) throw refused(`a split of lin_${line.id} names two transactions or more`);
  if (wanted.length > partsMax) throw refused(`a split names at most ${partsMax} transactions`);
  const seen = new Set<string>();
  for (const { transactionId } of wanted) {
    if (seen.has(transactionId)) throw refused(`${transactionId} is named twice: give it one amount`);
    seen.add(transactionId);
  }
  const given = wanted.flatMap((part) => (part.amount === null ? [] : [part.amount]));
  if (wanted.length - given.length > 1) throw refused("only one part can be what the others leave");
  const left = subtractDecimals(amount, sumDecimals(given));
  const parts = wanted.map((part) => ({ ...part, amount: part.amount ?? left }));
  const rest = given.length === wanted.length ? left : zero;
  if (compareDecimals(left, zero) < 0) {
    throw refused(
      `the parts come to ${sumDecimals(given)} ${line.currency}, ${absDecimal(left)} more than the ${amount} ${line.currency} of lin_${line.id}`,
    );
  }
  for (const part of parts) {
    if (compareDecimals(part.amount, zero) <= 0)
      throw refused(`the part of ${part.transactionId} is ${part.amount}: give it an amount above zero`);
  }
  return { parts, rest };
}
