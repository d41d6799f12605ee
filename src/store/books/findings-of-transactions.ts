import type { Frame, Part } from "./frame.ts";
import { transactions } from "./sources.ts";
import { unsettledParts } from "./due.ts";
import { knownThen } from "./findings-of-pairs.ts";

/** What is wrong with a transaction by itself, or because nothing stands against it. */
export function transactionParts(frame: Frame): Part[] {
  return [
    // For all providers together: a first sieve that can be asked of the bare table.
    ...unsettledParts(
      "told",
      `select range_agg(span) from (
      select unnest(told.activity + told.settlement) as span from told
    ) as spans`,
    ),
    { name: "history_flags", materialized: true, sql: historyFlags() },
    // A transaction that is not touched may still be the other one.
    ...(frame.scope === "touched" ? transactions({ ...frame, scope: "all" }, "every_t") : []),
    { name: "transaction_findings", sql: transactionFindings(frame) },
  ];
}

function transactionFindings(frame: Frame): string {
  const { asAt } = frame;
  const text = (code: string, expected: string, actual: string, since: string) => `
  select '${code}', t.account_id, t.provider, t.transaction_id, null::bigint, null::text, null::timestamptz,
         null::timestamptz, null::numeric, null::numeric, null::text, ${expected}, ${actual}, abs(t.fiat_amount),
         t.fiat_currency, ${since}, t.status_date
  from t`;
  return [
    `
  select 'missing_from_statement', w.account_id, w.provider, w.transaction_id, null::bigint, null::text, null::timestamptz,
         null::timestamptz, w.fiat_amount, case when w.fiat_amount is not null then 0 end, w.fiat_currency, null::text,
         null::text, abs(w.fiat_amount), w.fiat_currency, w.due_at, w.status_date
  from told_due as w
  where w.line_id is null
    and not w.is_excluded
    and not w.is_before_first
    and w.is_told
    and w.due_at <= ${asAt}`,
    `${text("hash_missing", "'a chain hash'", "''", "t.status_date + interval '24 hours'")}
  where t.status = 'completed'
    and t.transaction_type = 'buy'
    and coalesce(t.transaction_hash, '') = ''
    and t.status_date + interval '24 hours' <= ${asAt}
    and not exists (
      select
      from tieout.transaction_statuses as s
      where s.account_id = t.account_id
        and s.transaction_id = t.transaction_id
        and s.transaction_hash <> ''${knownThen(frame)}
    )
    and not exists (
      select
      from m
      join l on l.id = m.line_id
      where m.account_id = t.account_id
        and m.transaction_id = t.transaction_id
        and l.transaction_hash is not null
    )`,
    `${text("stale_open", "'a final status'", "t.status", "t.status_date + patience.limit")}
  join calendar as c on c.account_id = t.account_id and c.provider = t.provider
  cross join lateral (
    select case when t.payment_method ~* '(card|applepay|googlepay)' then c.stale_card else c.stale_bank end as limit
  ) as patience
  where not t.is_final
    and t.status_date + patience.limit <= ${asAt}`,
    `${text("unknown_status", "'a status that is known'", "t.status", "t.status_date")}
  where not t.is_final
    and t.status_rank = 0`,
    hashReused(frame),
    ...["status_regressed", "status_reversed", "status_recovered", "record_conflict"].map(
      (
        code,
      ) => `${text(code, `f.${code}`, code === "record_conflict" ? "f.conflicting" : "t.status", "t.status_date")}
  join history_flags as f using (account_id, transaction_id)
  where f.${code} is not null`,
    ),
    reversalExceeds,
  ].join("\n  union all");
}

/**
 * The latest row against each earlier one, never by arrival. Only rows of the same instant can contradict each other: two
 * final statuses, or the same status with other figures.
 */
const historyFlags = () => `
  select h.account_id,
         h.transaction_id,
         max(h.status) filter (
           where t.status_rank in (10, 20, 30)
             and h.status_rank > t.status_rank
             and h.status_rank in (20, 30, 60)
             and h.status_date < t.status_date
         ) as status_regressed,
         max(h.status) filter (
           where t.status in ('failed', 'canceled') and h.status = 'completed' and h.status_date < t.status_date
         ) as status_reversed,
         max(h.status) filter (
           where t.status not in ('failed', 'canceled')
             and h.status in ('failed', 'canceled')
             and h.status_date < t.status_date
         ) as status_recovered,
         min(case
           when h.status_date <> t.status_date then null
           when h.status <> t.status and h.status_rank >= 40 and t.status_rank >= 40 then t.status
           when h.status <> t.status then null
           when h.in_amount <> t.in_amount then 'in_amount ' || trim_scale(t.in_amount)
           when nullif(h.out_amount, 0) <> nullif(t.out_amount, 0) then 'out_amount ' || trim_scale(t.out_amount)
           when h.source_currency <> t.source_currency then 'source_currency ' || t.source_currency
           when h.target_currency <> t.target_currency then 'target_currency ' || t.target_currency
           when nullif(h.transaction_hash, '') <> nullif(t.transaction_hash, '') then 'transaction_hash ' || t.transaction_hash
           when nullif(h.provider_transaction_id, '') <> nullif(t.provider_transaction_id, '')
             then 'provider_transaction_id ' || t.provider_transaction_id
         end) as record_conflict,
         min(case
           when h.status_date <> t.status_date then null
           when h.status <> t.status and h.status_rank >= 40 and t.status_rank >= 40 then h.status
           when h.status <> t.status then null
           when h.in_amount <> t.in_amount then 'in_amount ' || trim_scale(h.in_amount)
           when nullif(h.out_amount, 0) <> nullif(t.out_amount, 0) then 'out_amount ' || trim_scale(h.out_amount)
           when h.source_currency <> t.source_currency then 'source_currency ' || h.source_currency
           when h.target_currency <> t.target_currency then 'target_currency ' || h.target_currency
           when nullif(h.transaction_hash, '') <> nullif(t.transaction_hash, '') then 'transaction_hash ' || h.transaction_hash
           when nullif(h.provider_transaction_id, '') <> nullif(t.provider_transaction_id, '')
             then 'provider_transaction_id ' || h.provider_transaction_id
         end) as conflicting
  from h
  join t using (account_id, transaction_id)
  where ${notable}
  group by h.account_id, h.transaction_id`;

/** Of an earlier row `h` and the latest `t`: whether there can be anything to say about the two. */
export const notable = `(h.status_date = t.status_date                                              -- perhaps a contradiction
     or (h.status_rank >= 40 and t.status_rank <> h.status_rank)                   -- an end that was none
     or (t.status_rank in (10, 20, 30) and h.status_rank > t.status_rank))         -- a step back`;

/** Sharing a hash is legal; sharing it with the same address, asset and amount is one transfer counted twice. */
function hashReused({ mode, scope }: Frame): string {
  // Of the past it is asked of the rows of then: what is noted now holds hashes that came to be shared later, and lacks
  // those that were shared only by rows that are not the latest any more.
  const shared =
    mode === "live"
      ? `
      and exists (
        select
        from tieout.shared_hashes as s
        where s.account_id = t.account_id
          and s.transaction_hash = t.transaction_hash
      )`
      : `
      and (t.account_id, t.transaction_hash) in (
        select account_id, transaction_hash
        from t
        where status = 'completed'
        group by account_id, transaction_hash
        having count(*) > 1
      )`;
  return `
  select 'hash_reused', t.account_id, t.provider, t.transaction_id, null::bigint, null::text, null::timestamptz,
         null::timestamptz, null::numeric, null::numeric, null::text, t.transaction_id, shared.others, abs(t.fiat_amount),
         t.fiat_currency, greatest(t.status_date, shared.since), t.status_date
  from (
    select t.*, case when t.in_is_fiat then t.out_code else t.in_code end as asset,
           case when t.in_is_fiat then t.out_amount else t.in_amount end as crypto_amount
    from t
    where t.status = 'completed'
      and t.transaction_hash <> ''${scope === "touched" ? "" : shared}
  ) as t
  cross join lateral (
    select string_agg(o.transaction_id, ', ' order by o.transaction_id) as others, min(o.status_date) as since
    from ${scope === "touched" ? "every_t" : "t"} as o
    where o.account_id = t.account_id
      and o.provider = t.provider
      and o.status = 'completed'
      and o.transaction_hash = t.transaction_hash
      and o.transaction_hash <> ''
      and o.transaction_id <> t.transaction_id
      and tieout.comparable_address(o.wallet_address) is not distinct from tieout.comparable_address(t.wallet_address)
      and case when o.in_is_fiat then o.out_code else o.in_code end = t.asset
      and case when o.in_is_fiat then o.out_amount else o.in_amount end = t.crypto_amount
  ) as shared
  where shared.others is not null`;
}

const reversalExceeds = `
  select 'reversal_exceeds_original', t.account_id, t.provider, t.transaction_id, null::bigint, null::text, null::timestamptz,
         null::timestamptz, charge.amount, back.amount, back.currency, null::text, null::text,
         abs(back.amount - charge.amount), back.currency, greatest(t.status_date, back.at), t.status_date
  from (
    select m.account_id, m.transaction_id, l.fiat_currency as currency, max(l.effective_at) as at,
           sum(abs(coalesce(l.fiat_gross, l.fiat_net, l.net_amount)) * case l.line_type when 'chargeback_reversal' then -1 else 1 end)
             as amount
    from m
    join l on l.id = m.line_id
    where l.line_type in ('refund', 'chargeback', 'chargeback_reversal')
    group by m.account_id, m.transaction_id, l.fiat_currency
  ) as back
  join t on t.account_id = back.account_id and t.transaction_id = back.transaction_id
  cross join lateral (
    select coalesce((
      select coalesce(l.fiat_gross, l.fiat_net)
      from settled
      join l on l.id = settled.line_id
      where settled.account_id = t.account_id
        and settled.transaction_id = t.transaction_id
        and l.fiat_currency = back.currency
    ), case when t.fiat_currency = back.currency then abs(t.fiat_amount) end) as amount
  ) as charge
  where back.amount > charge.amount + power(10::numeric, -case when t.in_is_fiat then t.in_places else coalesce(t.out_places, 2) end)`;
