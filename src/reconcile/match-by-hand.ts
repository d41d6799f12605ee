import assert from "node:assert";
import { TieoutError } from "../core/errors.ts";
import type { DayOrInstant } from "../core/period.ts";
import { type Author, recordAudit } from "../store/people/audit-log.ts";
import type { AccountReader } from "../store/conditions.ts";
import type { Database, Transaction } from "../store/database.ts";
import { type MatchRow, readMatch } from "../store/books/match-reads.ts";
import { lockProvider } from "../store/books/provider-lock.ts";
import {
  endMatchesByPerson,
  findLineToMatch,
  findTransactionToMatch,
  type LineToMatch,
  pairOne,
} from "../store/books/match-by-person.ts";
import { insertMatchesByPerson } from "../store/books/match-writes.ts";
import { openRun } from "../store/books/open-run.ts";
import type { Run } from "../store/books/run.ts";
import { readClock } from "../store/clock-time.ts";
import { bookingTimeOf } from "./booking-time.ts";
import { reconcileInside } from "./reconcile.ts";

export type Access = Pick<AccountReader, "accountIds">;

/** Matches a line and a transaction because a person says so, and judges both again at once. */
export async function makeMatch(
  database: Database,
  { accountIds }: Access,
  wanted: { lineId: number; transactionId: string; reason: string; bookedAt?: DayOrInstant | undefined },
  author: Author,
): Promise<MatchRow> {
  const { transactionId, reason } = wanted;
  return database.transaction(async (tx) => {
    const { account_id: accountId, provider } = await findLine(tx, wanted.lineId, accountIds);
    await lockProvider(tx, { accountId, provider });
    // Again, because a run may have matched it while we waited for the lock.
    const line = await findLine(tx, wanted.lineId, accountIds);
    refuseLine(line);
    await refuseTransaction(tx, line, transactionId);
    const booking = await bookingTimeOf(tx, accountId, wanted.bookedAt);
    const by = { actor: author.actor, reason, bookedAt: booking?.at ?? null };
    const id = await writeMatch(tx, { accountId, provider, transactionId, lineId: line.id }, by);
    const pair = { id, accountId, provider, lineId: line.id, transactionIds: [transactionId] };
    const made = await judgeAgain(tx, pair);
    // Last: it locks the audit log until the commit.
    await recordAudit(tx, {
      ...author,
      action: "match.made",
      subject: `mat_${id}`,
      after: {
        transaction_id: transactionId,
        line: `lin_${line.id}`,
        provider,
        ...(booking === null ? {} : { booked_at: booking.at }),
      },
      reason,
    });
    return made;
  });
}

/**
 * Ends a match, or rejects a suggestion. It is remembered: no rule makes the pair again. A part of a split takes the
 * others with it: the rest of a split on its own was never anyone's decision.
 */
export async function endMatch(
  database: Database,
  { accountIds }: Access,
  ending: { matchId: number; reason: string },
  author: Author,
): Promise<MatchRow> {
  const { matchId, reason } = ending;
  return database.transaction(async (tx) => {
    const match = await readMatch({ database: tx, accountIds }, matchId);
    if (match === null) throw new TieoutError("match_not_found", `there is no match mat_${matchId}`);
    const { accountId, provider } = match;
    await lockProvider(tx, { accountId, provider });
    const ended = await endMatchesByPerson(tx, { matchId, actor: author.actor, reason });
    if (ended.length === 0) throw new TieoutError("match_refused", `mat_${matchId} has ended already`);
    const { state, rule, lineId } = match;
    const transactionIds = ended.map(({ transaction_id }) => transaction_id);
    const after = await judgeAgain(tx, { id: matchId, accountId, provider, lineId, transactionIds });
    for (const { id, transaction_id, part } of ended) {
      await recordAudit(tx, {
        ...author,
        action: "match.ended",
        subject: `mat_${id}`,
        before: {
          state,
          rule,
          transaction_id,
          line: `lin_${lineId}`,
          ...(part === null ? {} : { part }),
          provider,
        },
        after: { state: "ended" },
        reason,
      });
    }
    return after;
  });
}

async function writeMatch(
  tx: Transaction,
  pair: { accountId: number; provider: string; transactionId: string; lineId: number },
  by: { actor: string; reason: string; bookedAt: string | null },
): Promise<number> {
  const { accountId, provider, ...both } = pair;
  const run: Run = { tx, accountId, providers: [provider], stamp: await readClock(tx), scope: "all" };
  await openRun(run);
  await pairOne(run, both);
  const [id] = await insertMatchesByPerson(run, by);
  assert(id !== undefined, `line ${both.lineId} and ${both.transactionId} were just found to be a pair`);
  return id;
}

async function judgeAgain(
  tx: Transaction,
  pair: {
    id: number;
    accountId: number;
    provider: string;
    lineId: number;
    transactionIds: readonly string[];
  },
): Promise<MatchRow> {
  const { accountId, provider, lineId, transactionIds } = pair;
  const touched = { touchedLineIds: [lineId], touchedTransactionIds: transactionIds };
  await reconcileInside(tx, { accountId, provider, ...touched });
  const match = await readMatch({ database: tx, accountIds: null }, pair.id);
  if (match === null) throw new TypeError(`match ${pair.id} was just written`);
  return match;
}

export async function findLine(
  tx: Transaction,
  lineId: number,
  accountIds: readonly number[] | null,
): Promise<LineToMatch> {
  const line = await findLineToMatch(tx, lineId, accountIds);
  if (line === null) throw new TieoutError("match_not_found", `there is no line lin_${lineId}`);
  return line;
}

export function refuseLine({ id, line_type, counts, match_id, matched_with }: LineToMatch): void {
  if (!counts) {
    throw new TieoutError(
      "match_refused",
      `lin_${id} no longer counts: its file was withdrawn, or a newer version took its place`,
    );
  }
  if (line_type === "payout") {
    throw new TieoutError("match_refused", `lin_${id} is a payout: it is tied with its lines, not matched`);
  }
  if (line_type === "balance" || line_type === "commission_total") {
    throw new TieoutError("match_refused", `lin_${id} states a sum and belongs to no transaction`);
  }
  if (match_id !== null) {
    throw new TieoutError(
      "match_refused",
      `lin_${id} is matched with ${matched_with} already: end mat_${match_id} first`,
    );
  }
}

export async function refuseTransaction(
  tx: Transaction,
  line: LineToMatch,
  transactionId: string,
): Promise<void> {
  const found = await findTransactionToMatch(tx, { accountId: line.account_id, transactionId });
  if (found === null) {
    throw new TieoutError(
      "match_not_found",
      `there is no transaction ${transactionId} in the account of lin_${line.id}`,
    );
  }
  if (found.provider !== line.provider) {
    throw new TieoutError(
      "match_refused",
      `${transactionId} is of ${found.provider || "no provider"}, and lin_${line.id} of ${line.provider}`,
    );
  }
  if (line.line_type === "charge" && found.match_id !== null) {
    throw new TieoutError(
      "match_refused",
      `${transactionId} is settled already: end mat_${found.match_id} first`,
    );
  }
}
