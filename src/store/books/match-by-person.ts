import { readClock } from "../clock-time.ts";
import type { Transaction } from "../database.ts";
import { liveFrame, withParts } from "./frame.ts";
import { linesInForce, pairColumns } from "./match-pairs.ts";
import { wanted } from "./match-writes.ts";
import { transactions } from "./sources.ts";

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

export interface PairByPerson {
  accountId: number;
  provider: string;
  transactionId: string;
  lineId: number;
  actor: string;
  reason: string;
}

/** The match as a run would write it, amounts and named difference included: the next run finds nothing to correct. */
export async function insertMatchByPerson(tx: Transaction, pair: PairByPerson): Promise<number> {
  const { accountId, provider } = pair;
  await tx.query("drop table if exists pg_temp.reconcile_pairs");
  await tx.query(
    `create temp table reconcile_pairs on commit drop as
     ${withParts(transactions(liveFrame("all")))}
     ${pairColumns({ pass: 0, key: "null::text" })}
     from ${linesInForce({ scope: "all" })} as l
     join t on t.transaction_id = $3
     where l.id = $4`,
    [accountId, provider, pair.transactionId, pair.lineId],
  );
  const [made] = await tx.query<{ id: number }>(
    `${wanted("reconcile_pairs")}
     insert into tieout.matches (account_id, provider, transaction_id, record_hash, line_id, role, rule, keys, state,
       made_by, reason, in_expected, in_actual, in_difference, out_expected, out_actual, out_difference,
       difference_name, effective_at, matched_at)
     select w.account_id, w.provider, w.transaction_id, w.record_hash, w.line_id, w.role, w.rule, w.keys, 'active',
            $4, $5, w.in_expected, w.in_actual, w.in_actual - w.in_expected,
            w.out_expected, w.out_actual, w.out_actual - w.out_expected, w.difference_name, w.effective_at, $3::timestamptz
     from wanted as w
     returning id::int`,
    [accountId, provider, await readClock(tx), pair.actor, pair.reason],
  );
  if (!made)
    throw new TypeError(`line ${pair.lineId} and ${pair.transactionId} were just found to be a pair`);
  return made.id;
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
