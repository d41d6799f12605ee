import type { Transaction } from "../database.ts";
import { pairColumns } from "./match-pairs.ts";
import { execute, type Run } from "./run.ts";

/** A line that somebody wants to match by hand, with what may stand against it. */
export interface LineToMatch {
  id: number;
  account_id: number;
  provider: string;
  line_type: string;
  counts: boolean;
  /** The match that it has already. */
  match_id: string | null;
  matched_with: string | null;
}

export async function findLineToMatch(
  tx: Transaction,
  lineId: number,
  accountIds: readonly number[] | null,
): Promise<LineToMatch | null> {
  const [row] = await tx.query<LineToMatch>(
    `select l.id::int, l.account_id, l.provider, l.line_type, m.id::text as match_id, m.transaction_id as matched_with,
            not exists (
              select from tieout.line_retirements as r where r.line_id = l.id and r.restored_at is null
            ) as counts
     from tieout.statement_lines as l
     left join tieout.matches as m on m.line_id = l.id and m.state = 'active'
     where l.id = $1::bigint
       and ($2::int[] is null or l.account_id = any ($2::int[]))`,
    [lineId, accountIds],
  );
  return row ?? null;
}

export interface TransactionToMatch {
  provider: string;
  /** The match that settles it already. */
  match_id: string | null;
}

export async function findTransactionToMatch(
  tx: Transaction,
  { accountId, transactionId }: { accountId: number; transactionId: string },
): Promise<TransactionToMatch | null> {
  const [row] = await tx.query<TransactionToMatch>(
    `select lower(coalesce(t.provider, '')) as provider, m.id::text as match_id
     from tieout.transactions as t
     left join tieout.matches as m
       on m.account_id = t.account_id
      and m.transaction_id = t.transaction_id
      and m.role = 'settles'
      and m.state = 'active'
     where t.account_id = $1
       and t.transaction_id = $2`,
    [accountId, transactionId],
  );
  return row ?? null;
}

/** The one pair of a line and a transaction, as `run_pairs`. */
export async function pairOne(run: Run, pair: { lineId: number; transactionId: string }): Promise<void> {
  await execute(
    run,
    `create temp table run_pairs on commit drop as
     ${pairColumns(0, "null::text")}
     from run_lines as l
     join run_transactions as t on t.transaction_id = :'transaction_id'
     where l.id = :line_id`,
    { line_id: pair.lineId, transaction_id: pair.transactionId },
  );
}

/** Ends it for good: no rule makes this pair again. `false` when it has ended already. */
export async function endMatchByPerson(
  tx: Transaction,
  ending: { matchId: number; actor: string; reason: string },
): Promise<boolean> {
  const ended = await tx.query(
    `update tieout.matches
     set state = 'ended', ended_at = clock_timestamp(), ended_by = $2, ended_reason = $3, barred = true
     where id = $1::bigint
       and state <> 'ended'
     returning id`,
    [ending.matchId, ending.actor, ending.reason],
  );
  return ended.length > 0;
}
