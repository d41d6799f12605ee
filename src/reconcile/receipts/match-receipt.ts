import { minorUnits } from "../../core/asset.ts";
import {
  absDecimal,
  compareDecimals,
  type Decimal,
  decimal,
  placesOf,
  subtractDecimals,
  zero,
} from "../../core/decimal.ts";
import { TieoutError } from "../../core/errors.ts";
import { isFiat } from "../../core/fiat.ts";
import type { DayOrInstant } from "../../core/period.ts";
import { lockProvider } from "../../store/books/provider-lock.ts";
import type { AccountReader } from "../../store/conditions.ts";
import type { Database, Transaction } from "../../store/database.ts";
import { type Author, recordAudit } from "../../store/people/audit-log.ts";
import {
  endReceiptMatch,
  findPayoutToMatch,
  findReceiptToMatch,
  insertReceiptMatch,
  type PayoutToMatch,
  type ReceiptToMatch,
} from "../../store/receipts/receipt-by-person.ts";
import { listReceiptMatches, type ReceiptMatchRow } from "../../store/receipts/receipt-reads.ts";
import { receiptsOfAccount } from "../../store/receipts/receipt-run.ts";
import { bookingTimeOf } from "../booking-time.ts";
import { reconcileReceipts } from "./reconcile-receipts.ts";

type Access = Pick<AccountReader, "accountIds">;

export interface WantedReceiptMatch {
  readonly lineId: number;
  readonly payoutId: number;
  /** In the payout's currency; left out: what is left of the line, and no more than the payout still lacks. */
  readonly amount?: Decimal | undefined;
  /** What the bank kept of the payout. */
  readonly bankFee?: Decimal | undefined;
  readonly reason: string;
  /** From which day it counts in the books, of an open period; left out: from today. */
  readonly bookedAt?: DayOrInstant | undefined;
}

/** Matches a bank line with a payout, because a person says so, and judges both again at once. */
export async function matchReceipt(
  database: Database,
  { accountIds }: Access,
  wanted: WantedReceiptMatch,
  author: Author,
): Promise<ReceiptMatchRow> {
  const { lineId, payoutId, reason } = wanted;
  return database.transaction(async (tx) => {
    const { accountId } = await findLine(tx, lineId, accountIds);
    await lockProvider(tx, { accountId, provider: receiptsOfAccount });
    // Again, because a run may have changed what is left of it while we waited for the lock.
    const line = await findLine(tx, lineId, accountIds);
    const payout = await findPayout(tx, line, payoutId);
    const amount = wanted.amount ?? defaultAmount(line, payout);
    if (amount === zero) throw refused(`nothing is left of rcl_${lineId} to match`);
    const bankFee = wanted.bankFee ?? zero;
    for (const given of [amount, bankFee]) refuseFiner(line, payout, given);
    refuseFee(payout, amount, bankFee);
    const booking = await bookingTimeOf(tx, accountId, wanted.bookedAt);
    if (booking !== null && booking.day < line.bankDay) {
      throw refused(`the bank booked rcl_${lineId} on ${line.bankDay}: it settles nothing before that day`);
    }
    if (payout.matchId !== null) {
      const ending = { matchId: payout.matchId, actor: author.actor, reason, barred: false };
      await endReceiptMatch(tx, ending);
    }
    const { currency } = payout;
    const { actor } = author;
    const matchId = await insertReceiptMatch(tx, {
      accountId,
      lineId,
      payoutId,
      amount,
      currency,
      bankFee,
      actor,
      reason,
      bookedAt: booking?.at ?? null,
    });
    const made = await judgeAgain(tx, accountId, { matchId, lineId });
    // Last: it locks the audit log until the commit.
    await recordAudit(tx, {
      ...author,
      action: "receipt_match.made",
      subject: `rcm_${matchId}`,
      after: {
        line: `rcl_${lineId}`,
        payout: `po_${payoutId}`,
        amount,
        currency,
        bank_fee: bankFee,
        ...(booking === null ? {} : { booked_at: booking.at }),
      },
      reason,
    });
    return made;
  });
}

/** Ends the match of a bank line with a payout. It is remembered: no rule matches the two again. */
export async function unmatchReceipt(
  database: Database,
  { accountIds }: Access,
  ending: { matchId: number; reason: string },
  author: Author,
): Promise<ReceiptMatchRow> {
  const { matchId, reason } = ending;
  return database.transaction(async (tx) => {
    const [match] = await listReceiptMatches(tx, { matchId });
    const isSeen = match && (accountIds === null || accountIds.includes(match.accountId));
    if (!match || !isSeen) throw new TieoutError("match_not_found", `there is no match rcm_${matchId}`);
    const { accountId, lineId } = match;
    await lockProvider(tx, { accountId, provider: receiptsOfAccount });
    if (!(await endReceiptMatch(tx, { matchId, actor: author.actor, reason, barred: true }))) {
      throw refused(`rcm_${matchId} has ended already`);
    }
    const ended = await judgeAgain(tx, accountId, { matchId, lineId });
    await recordAudit(tx, {
      ...author,
      action: "receipt_match.ended",
      subject: `rcm_${matchId}`,
      before: {
        line: `rcl_${lineId}`,
        payout: `po_${match.payoutId}`,
        rule: match.rule,
        amount: match.amount,
      },
      after: { state: "ended" },
      reason,
    });
    return ended;
  });
}

async function judgeAgain(
  tx: Transaction,
  accountId: number,
  { matchId, lineId }: { matchId: number; lineId: number },
): Promise<ReceiptMatchRow> {
  await reconcileReceipts(tx, accountId, { lineIds: [lineId] });
  const [match] = await listReceiptMatches(tx, { matchId });
  if (!match) throw new TypeError(`match ${matchId} was just written`);
  return match;
}

async function findLine(
  tx: Transaction,
  lineId: number,
  accountIds: readonly number[] | null,
): Promise<ReceiptToMatch> {
  const line = await findReceiptToMatch(tx, lineId, accountIds);
  if (line === null) throw new TieoutError("match_not_found", `there is no bank line rcl_${lineId}`);
  if (!line.counts) {
    throw refused(`rcl_${lineId} does not count: its file was withdrawn, or a newer version took its place`);
  }
  return line;
}

async function findPayout(tx: Transaction, line: ReceiptToMatch, payoutId: number): Promise<PayoutToMatch> {
  const payout = await findPayoutToMatch(tx, { payoutId, lineId: line.id });
  if (payout === null || payout.accountId !== line.accountId) {
    throw new TieoutError(
      "match_not_found",
      `there is no payout po_${payoutId} in the account of rcl_${line.id}`,
    );
  }
  if (!payout.inForce) {
    throw refused(
      `po_${payoutId} is declared by no file in force: import the statement that declares it first`,
    );
  }
  const codes = [line.currency, line.originalCurrency].map((code) => code?.toLowerCase());
  if (!codes.includes(payout.currency.toLowerCase())) {
    throw refused(
      `po_${payoutId} is in ${payout.currency}, and rcl_${line.id} in ${line.currency}: import a file of the bank that states the amount as it was sent`,
    );
  }
  return payout;
}

function defaultAmount(line: ReceiptToMatch, payout: PayoutToMatch): Decimal {
  const isOwn = payout.currency.toLowerCase() === line.currency.toLowerCase();
  const remaining = decimal(isOwn ? line.remaining : (line.originalRemaining ?? zero));
  const outstanding = decimal(payout.outstanding);
  const isSameWay = remaining.startsWith("-") === outstanding.startsWith("-") && outstanding !== zero;
  if (!isSameWay) return remaining;
  return compareDecimals(absDecimal(remaining), absDecimal(outstanding)) > 0 ? outstanding : remaining;
}

/** With more decimals than the currency, the bank and the provider use, what is left over would be too small for any rule to notice. */
function refuseFiner(line: ReceiptToMatch, { short, currency }: PayoutToMatch, amount: Decimal): void {
  if (!isFiat(currency)) return;
  const stated = [short, line.remaining, line.originalRemaining ?? zero].map((text) =>
    placesOf(decimal(text)),
  );
  const most = Math.max(minorUnits(currency), ...stated);
  if (placesOf(amount) > most)
    throw refused(`${amount} has more decimals than ${currency} has here: at most ${most}`);
}

/** The bank cannot have kept more than is missing: the payout would seem to exceed what was declared. */
function refuseFee({ id, short, currency }: PayoutToMatch, amount: Decimal, bankFee: Decimal): void {
  if (bankFee === zero) return;
  const missing = subtractDecimals(decimal(short), amount);
  const isSameWay = missing.startsWith("-") === short.startsWith("-") && missing !== zero;
  const most = isSameWay ? missing : zero;
  const isWithin =
    bankFee.startsWith("-") === most.startsWith("-") &&
    compareDecimals(absDecimal(bankFee), absDecimal(most)) <= 0;
  if (isWithin) return;
  throw refused(
    most === zero
      ? `with ${amount} ${currency} of this line nothing is missing of po_${id}: there is no bank fee to book`
      : `a bank fee of ${bankFee} ${currency} is not what po_${id} is short of: at most ${most} ${currency} can be booked`,
  );
}

function refused(message: string): TieoutError {
  return new TieoutError("match_refused", message);
}
