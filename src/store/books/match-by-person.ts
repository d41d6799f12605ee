import type { Decimal } from "../../core/decimal.ts";
import type { Transaction } from "../database.ts";
import { pairColumns } from "./match-pairs.ts";
import { execute, type Run } from "./run.ts";

/** A line that someone wants to match by hand, with what may stand against it. */
export interface LineToMatch {
  id: number;
  account_id: number;
  provider: string;
  line_type: string;
  counts: boolean;
  /** What it has in common with its transaction, and could be split. */
  amount: string | null;
  currency: string | null;
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
    `select l.id::int, l.account_id, l.provider, l.line_type, l.fiat_currency as currency,
            trim_scale(tieout.line_amount(l.side, l.fiat_gross, l.fiat_net))::text as amount, m.id::text as match_id, m.transaction_id as matched_with,
            not exists (
              select from tieout.line_retirements as r where r.line_id = l.id and r.restored_at is null
            ) as counts
     from tieout.statement_lines as l
     left join tieout.matches as m on m.line_id = l.id and m.state = 'active'
     where l.id = $1::bigint
       and ($2::int[] is null or l.account_id = any ($2::int[]))
     order by m.part_no
     limit 1`,
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

export interface Part {
  transactionId: string;
  /** Of the line's amount, above zero. */
  amount: Decimal;
}

/** A line and the transactions that it is split over, as `run_pairs`, in the order in which they were named. */
export async function pairParts(
  run: Run,
  { lineId, parts }: { lineId: number; parts: readonly Part[] },
): Promise<void> {
  await execute(
    run,
    `create temp table run_pairs on commit drop as
     ${pairColumns(0, "null::text", "m.part_amount")}
     from run_lines as l
     cross join (
       select transaction_id, part_amount, (n - 1)::smallint as part_no
       from unnest(:'transaction_ids'::text[], :'amounts'::numeric[]) with ordinality as given (transaction_id, part_amount, n)
     ) as m
     join run_transactions as t on t.transaction_id = m.transaction_id
     where l.id = :line_id`,
    {
      line_id: lineId,
      transaction_ids: parts.map(({ transactionId }) => transactionId),
      amounts: parts.map(({ amount }) => amount),
    },
  );
}

/** A match that has just ended. */
export interface EndedMatch {
  id: number;
  transaction_id: string;
  part: string | null;
}

/**
 * Ends it for good, and with a part of a split the other parts: no rule makes these pairs again. Nothing when it has ended
 * already. All of one instant, so that no time is between them.
 */
export async function endMatchesByPerson(
  tx: Transaction,
  ending: { matchId: number; actor: string; reason: string },
): Promise<EndedMatch[]> {
  return tx.query<EndedMatch & Record<string, unknown>>(
    `with stamp as materialized (
       select clock_timestamp() as at
     )
     update tieout.matches as m
     set state = 'ended', ended_at = stamp.at, ended_by = $2, ended_reason = $3, barred = true
     from stamp, tieout.matches as chosen
     where chosen.id = $1::bigint
       and chosen.state <> 'ended'
       and m.line_id = chosen.line_id
       and m.state <> 'ended'
       and (m.id = chosen.id or chosen.part_amount is not null and m.part_amount is not null)
     returning m.id::int, m.transaction_id, trim_scale(m.part_amount)::text as part`,
    [ending.matchId, ending.actor, ending.reason],
  );
}
