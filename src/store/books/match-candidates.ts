import type { AccountReader } from "../conditions.ts";

/** Why a transaction may be the one that a line means. */
export type CandidateReason = "suggested" | "provider_id" | "reference" | "hash" | "amount" | "asked";

export interface Candidate {
  transaction_id: string;
  why: CandidateReason;
  /** Where the line stands that settles it already; it can only be matched when that match ends. */
  settled_statement: number | null;
  settled_line_no: number | null;
}

const candidatesMax = 12;

/**
 * Transactions that a line could mean: those that a rule suggests, that its names lead to, and that have its amount within
 * two days; or, when someone asks for one, the one with that id, reference or hash. Each once, the best reason first.
 */
export async function listCandidates(
  reader: AccountReader,
  lineId: number,
  asked: string | null,
): Promise<Candidate[]> {
  return reader.database.query<Candidate & Record<string, unknown>>(candidatesSql, [
    lineId,
    reader.accountIds,
    asked,
    candidatesMax,
  ]);
}

/** Whether a line settles the transaction of this row already. */
const isSettled = (row: string) => `exists (
    select
    from tieout.matches as settles
    where settles.account_id = ${row}.account_id
      and settles.transaction_id = ${row}.transaction_id
      and settles.state = 'active'
      and settles.role = 'settles'
  )`;

/** What is suggested for each of these lines: the transaction that nothing settles yet, if there are several. */
export async function listSuggestions(
  reader: AccountReader,
  lineIds: readonly number[],
): Promise<Map<number, string>> {
  const rows = await reader.database.query<{ line_id: number; transaction_id: string }>(
    `select distinct on (m.line_id) m.line_id::int, m.transaction_id
     from tieout.matches as m
     where m.line_id = any ($1::bigint[])
       and m.state = 'suggested'
       and ($2::int[] is null or m.account_id = any ($2::int[]))
     order by m.line_id, ${isSettled("m")}, m.transaction_id`,
    [lineIds, reader.accountIds],
  );
  return new Map(rows.map((row) => [row.line_id, row.transaction_id]));
}

const nearby = "interval '48 hours'";

/** The completed transactions of a line's provider and days, each with its amount in the line's currency. */
const completedNearby = `
  join tieout.transactions as t
    on t.account_id = l.account_id
   and t.status_date between l.effective_at - ${nearby} and l.effective_at + ${nearby}
   and lower(coalesce(t.provider, '')) = l.provider
   and t.status = 'completed'
  cross join lateral (
    select case when upper(t.source_currency) = l.fiat_currency then t.in_amount
                when upper(t.target_currency) = l.fiat_currency then t.out_amount end
  ) as leg (amount)`;

// The amounts of a line within one per cent, so that a fee taken off does not hide the order.
const candidatesSql = `
with line as (
  select l.*
  from tieout.statement_lines as l
  where l.id = $1::bigint
    and ($2::int[] is null or l.account_id = any ($2::int[]))
), found as (
  select m.transaction_id, 'suggested' as why, 1 as rank, 0::numeric as apart
  from line as l
  join tieout.matches as m on m.line_id = l.id and m.state = 'suggested'
  where $3::text is null
  union all
  select named.transaction_id, key.kind, key.rank, 0
  from line as l
  cross join lateral (values
    ('provider_id', tieout.comparable_id(l.provider_transaction_id), 2),
    ('reference', tieout.comparable_id(l.our_reference), 3),
    ('hash', tieout.comparable_hash(l.transaction_hash), 4)
  ) as key (kind, name, rank)
  cross join lateral tieout.named(l.account_id, key.kind, key.name) as named
  where $3::text is null
    and key.name <> ''
  union all
  select t.transaction_id, 'amount', 5, abs(leg.amount - coalesce(l.fiat_gross, l.fiat_net))
  from line as l${completedNearby}
  where $3::text is null
    and l.line_type not in ('payout', 'balance')
    and leg.amount between least(coalesce(l.fiat_net, l.fiat_gross), l.fiat_gross) * 0.99
                       and greatest(coalesce(l.fiat_net, l.fiat_gross), l.fiat_gross) * 1.01
  union all
  select t.transaction_id, 'asked', 0, 0
  from line as l
  join tieout.transactions as t on t.account_id = l.account_id and t.transaction_id = $3
  union all
  select named.transaction_id, 'asked', 0, 0
  from line as l
  cross join lateral (values
    ('provider_id', tieout.comparable_id($3)), ('reference', tieout.comparable_id($3)), ('hash', tieout.comparable_hash($3))
  ) as key (kind, name)
  cross join lateral tieout.named(l.account_id, key.kind, key.name) as named
  where key.name <> ''
), best as (
  select distinct on (transaction_id) transaction_id, why, rank, apart
  from found
  order by transaction_id, rank, apart
)
select best.transaction_id, best.why, place.statement_id::int as settled_statement, place.line_no as settled_line_no
from best
cross join line as l
left join tieout.matches as m
  on m.account_id = l.account_id
 and m.transaction_id = best.transaction_id
 and m.state = 'active'
 and m.role = 'settles'
left join tieout.line_files as place on place.line_id = m.line_id
order by best.rank, m.line_id is not null, best.apart, best.transaction_id
limit $4::int`;

/**
 * Transactions that could be a part of what a line states: of its provider, smaller than it, within two days, and settled by
 * no other line where the line is a charge. The nearest first.
 */
export async function listPartCandidates(reader: AccountReader, lineId: number): Promise<string[]> {
  const rows = await reader.database.query<{ transaction_id: string }>(partCandidatesSql, [
    lineId,
    reader.accountIds,
    candidatesMax,
  ]);
  return rows.map((row) => row.transaction_id);
}

const partCandidatesSql = `
select t.transaction_id
from tieout.statement_lines as l${completedNearby}
where l.id = $1::bigint
  and ($2::int[] is null or l.account_id = any ($2::int[]))
  and leg.amount > 0
  and leg.amount < abs(tieout.line_amount(l.side, l.fiat_gross, l.fiat_net))
  and (l.line_type <> 'charge' or not ${isSettled("t")})
order by abs(extract(epoch from t.status_date - l.effective_at)), t.transaction_id
limit $3::int`;
