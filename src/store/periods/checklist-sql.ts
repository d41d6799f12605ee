import { receiptCodes } from "../../core/discrepancy-codes.ts";
import type { Queryable } from "../database.ts";
import { openErrorsSql } from "../books/open-errors-sql.ts";
import { bindNamed } from "../named.ts";

/** One provider's part of a line of the checklist, or the account's where it concerns no single provider. */
export interface ChecklistPart {
  provider: string | null;
  /** How many were looked at. */
  total: number;
  /** How many are left to do. */
  left: number;
  /** Whether what is left keeps the month from being in order, or is only to be known. */
  state: "green" | "amber" | "red";
  amounts: { currency: string; amount: string }[];
  /** Money of what was carried forward; only of lines that carry, and not in checklists of earlier versions. */
  carried_amounts?: { currency: string; amount: string }[];
  figures: Record<string, number | string>;
}

export interface ChecklistScope {
  accountId: number;
  month: string;
  from: string;
  /** End of the period, and so the moment that everything is asked as at. */
  to: string;
  knownAt: string;
}

/** Each line is one statement that counts, with its parameters by name; no report is made for it. */
export async function readParts(
  database: Queryable,
  statement: string,
  { accountId, month, from, to, knownAt }: ChecklistScope,
): Promise<ChecklistPart[]> {
  const { text, values } = bindNamed(statement, {
    account_id: accountId,
    month,
    from,
    to,
    known_at: knownAt,
  });
  return database.query<ChecklistPart>(text, values);
}

/** Sums of one provider by currency, as text: JSON numbers would be read as floats. */
const amountsOf = (amount: string, currency: string) =>
  `coalesce(jsonb_agg(jsonb_build_object('currency', ${currency}, 'amount', trim_scale(${amount})::text) order by ${currency})
     filter (where ${amount} <> 0 and ${currency} is not null), '[]')`;

/** What of the period has not been read from the aggregator. */
export const readLine = `
  select null as provider, 1 as total, count(gap)::int as left,
         case when count(gap) = 0 then 'green' else 'red' end as state, '[]'::jsonb as amounts,
         jsonb_build_object('gaps', count(gap),
           'hours_missing', round(coalesce(sum(extract(epoch from upper(gap) - lower(gap))) / 3600, 0), 1),
           'minutes_missing', ceil(coalesce(sum(extract(epoch from upper(gap) - lower(gap))) / 60, 0))) as figures
  from tieout.read_at(array[:account_id], :'known_at'::timestamptz) as read
  left join lateral unnest(tstzmultirange(tstzrange(:'from'::timestamptz, :'to'::timestamptz)) - read.covered) as gap on true`;

/** What of the period was read a second time after its end and compared, and what that found. */
export const readAgainLine = `
  with again as materialized (
    select w.id, tstzrange(w.range_from, w.range_to) as span
    from tieout.sync_windows as w
    where w.account_id = :account_id
      and w.kind = 'deep'
      and w.state = 'sealed'
      and w.started_at >= :'to'::timestamptz
      and w.sealed_at <= :'known_at'::timestamptz
      and w.range_from < :'to'::timestamptz
      and w.range_to > :'from'::timestamptz
  ), missing as (
    select coalesce(sum(extract(epoch from upper(gap) - lower(gap))) / 3600, 0) as hours
    from (select coalesce(range_agg(span), '{}') as covered from again) as read
    cross join lateral unnest(tstzmultirange(tstzrange(:'from'::timestamptz, :'to'::timestamptz)) - read.covered) as gap
  ), asked as (
    select count(*) as windows
    from tieout.sync_windows as w
    where w.account_id = :account_id
      and w.kind = 'deep'
      and w.state in ('planned', 'walking', 'failed')
      and w.range_from < :'to'::timestamptz
      and w.range_to > :'from'::timestamptz
  ), found as (
    select count(*) filter (where f.finding = 'appeared') as appeared,
           count(*) filter (where f.finding = 'changed') as changed,
           count(*) filter (where f.finding = 'vanished') as vanished
    from tieout.sync_findings as f
    where f.window_id in (select id from again)
  )
  select null as provider, 1 as total, (missing.hours > 0)::int as left,
         case when missing.hours > 0 then 'red' else 'green' end as state, '[]'::jsonb as amounts,
         jsonb_build_object('hours_missing', round(missing.hours, 1), 'minutes_missing', ceil(missing.hours * 60),
           'windows_waiting', asked.windows,
           'appeared', found.appeared, 'changed', found.changed, 'vanished', found.vanished) as figures
  from missing, asked, found`;

/** Days of the period that no statement in force tells of, and the orders completed on them. */
export const statementsLine = `
  with told as materialized (
    select s.provider, range_agg(tstzrange(s.period_from, s.period_to)) as days
    from tieout.statements as s
    where s.account_id = :account_id
      and s.imported_at <= :'known_at'::timestamptz
      and (s.withdrawn_at is null or s.withdrawn_at > :'known_at'::timestamptz)
      and s.period_from < :'to'::timestamptz
      and s.period_to > :'from'::timestamptz
    group by s.provider
  ), orders as materialized (
    select t.provider, leg.currency, count(*) as total,
           count(*) filter (where not coalesce(told.days @> t.status_date, false)) as left,
           sum(leg.amount) filter (where not coalesce(told.days @> t.status_date, false)) as amount
    from tieout.completed_at(array[:account_id], :'to'::timestamptz, :'known_at'::timestamptz) as t
    left join tieout.currency_words as source on source.word = t.source_currency
    left join tieout.currency_words as target on target.word = t.target_currency
    cross join lateral (
      select case when source.is_fiat then source.code when target.is_fiat then target.code end,
             case when source.is_fiat then t.in_amount when target.is_fiat then t.out_amount end
    ) as leg (currency, amount)
    left join told on told.provider = t.provider
    where t.status_date >= :'from'::timestamptz
    group by t.provider, leg.currency
  ), summed as (
    select provider, sum(total) as total, sum("left") as left, ${amountsOf("amount", "currency")} as amounts
    from orders
    group by provider
  )
  select summed.provider, summed.total::int, summed.left::int,
         case when excluded.everything or missing.days = 0 then 'green' when summed.left > 0 then 'red' else 'amber' end as state,
         case when excluded.everything then '[]' else summed.amounts end as amounts,
         jsonb_build_object('days_missing', case when excluded.everything then 0 else missing.days end) as figures
  from summed
  left join told on told.provider = summed.provider
  left join tieout.exclusions_at(array[:account_id], :'to'::timestamptz, :'known_at'::timestamptz) as excluded
    on excluded.provider = summed.provider
  cross join lateral (
    select ceil(coalesce(sum(extract(epoch from upper(gap) - lower(gap))) / 86400, 0))::int as days
    from unnest(tstzmultirange(tstzrange(:'from'::timestamptz, :'to'::timestamptz)) - coalesce(told.days, '{}')) as gap
  ) as missing
  order by summed.provider`;

/** Whether the discrepancy of a fingerprint was carried forward from the month. */
const isCarried = (fingerprint: string) => `exists (
      select
      from tieout.carried_discrepancies as c
      join tieout.discrepancies as d on d.id = c.discrepancy_id
      where c.account_id = :account_id
        and c.month = :'month'
        and d.fingerprint = ${fingerprint}
    )`;

/** Codes about the money that arrived: they say nothing about the lines of a payout. */
const notOfLines = receiptCodes.map((code) => `'${code}'`).join(", ");

/** Payouts of the period: whether the lines add up to what was declared. */
export const payoutsLine = `
  with found as materialized (
    select f.provider, f.payout_ref, bool_and(${isCarried("f.fingerprint")}) as is_carried
    from tieout.findings_at(array[:account_id], :'known_at'::timestamptz, :'known_at'::timestamptz) as f
    where f.subject_kind = 'payout'
      and f.code not in (${notOfLines})
      and f.level = 'error'
      and f.is_open
    group by f.provider, f.payout_ref
  ), dated as materialized (
    select p.provider, p.currency, p.status, p.difference,
           p.status = 'not_tied' and found.is_carried is false as is_left,
           p.status = 'not_tied' and found.is_carried is true as is_carried
    from tieout.payouts_at(array[:account_id], :'known_at'::timestamptz) as p
    left join found on found.provider = p.provider and found.payout_ref = p.payout_ref
    where coalesce(p.payout_date, p.last_line_at) >= :'from'::timestamptz
      and coalesce(p.payout_date, p.last_line_at) < :'to'::timestamptz
  ), summed as (
    select provider, currency, count(*) as total, count(*) filter (where status = 'tied') as tied,
           count(*) filter (where is_left) as left, count(*) filter (where is_carried) as carried,
           count(*) filter (where status = 'undeclared') as undeclared,
           sum(abs(difference)) filter (where is_left) as amount, sum(abs(difference)) filter (where is_carried) as carried_amount
    from dated
    group by provider, currency
  )
  select provider, sum(total)::int as total, (sum("left") + sum(undeclared))::int as left,
         case when sum("left") > 0 then 'red' when sum(undeclared) + sum(carried) > 0 then 'amber' else 'green' end as state,
         ${amountsOf("amount", "currency")} as amounts, ${amountsOf("carried_amount", "currency")} as carried_amounts,
         jsonb_build_object('tied', sum(tied), 'not_tied', sum("left"), 'carried', sum(carried), 'undeclared', sum(undeclared)) as figures
  from summed
  group by provider
  order by provider`;

/** Errors about the period, or what came before it, that are still open. */
export const openErrors = openErrorsSql({
  accounts: "array[:account_id]",
  knownAt: ":'known_at'::timestamptz",
  before: ":'to'::timestamptz",
});

/** Of those, the ones that nobody has carried forward are left to do. */
export const discrepanciesLine = `
  with carried as materialized (
    select d.fingerprint, bool_or(c.month = :'month') as from_this_month
    from tieout.carried_discrepancies as c
    join tieout.discrepancies as d on d.id = c.discrepancy_id
    where c.account_id = :account_id
      and c.month <= :'month'
    group by d.fingerprint
  ), open as (
    -- What came in without a payout is of no provider: it is the account's.
    select nullif(f.provider, '') as provider, f.owed_currency, f.owed, coalesce(carried.from_this_month, false) as is_carried,
           carried.from_this_month is false as is_of_before
    from (${openErrors}) as f
    left join carried on carried.fingerprint = f.fingerprint
  ), summed as (
    select provider, owed_currency, count(*) as total, count(*) filter (where is_carried) as carried,
           count(*) filter (where is_of_before) as of_before, sum(owed) filter (where not is_carried) as amount, sum(owed) filter (where is_carried) as carried_amount
    from open
    group by provider, owed_currency
  )
  select provider, sum(total)::int as total, (sum(total) - sum(carried))::int as left,
         case when sum(total) > sum(carried) then 'red' else 'amber' end as state,
         ${amountsOf("amount", "owed_currency")} as amounts, ${amountsOf("carried_amount", "owed_currency")} as carried_amounts,
         jsonb_build_object('open', sum(total), 'carried', sum(carried), 'carried_before', sum(of_before)) as figures
  from summed
  group by provider
  order by provider`;

/**
 * Money that came in during the period, or that the bank took back, and settles no payout. By what is known now and not as at its end, like the errors: a
 * person who says which payout it was does so afterwards. It is explained when someone has closed its discrepancy.
 */
export const receiptsLine = `
  with arrived as materialized (
    select l.id, l.currency, case l.direction when 'credit' then l.amount else -l.amount end as amount,
           l.direction = 'credit' or l.is_reversal as is_ours, coalesce(w.places, 2)::int as places
    from tieout.receipt_lines_at(array[:account_id], :'known_at'::timestamptz) as l
    left join tieout.currency_words as w on w.word = lower(l.currency)
    where l.effective_at >= :'from'::timestamptz
      and l.effective_at < :'to'::timestamptz
  ), settled as (
    select l.id, sum(m.amount) as amount, bool_or(lower(m.currency) <> lower(l.currency)) as is_converted
    from arrived as l
    join tieout.receipt_matches as m on m.receipt_line_id = l.id
    where m.matched_at <= :'known_at'::timestamptz
      and (m.ended_at is null or m.ended_at > :'known_at'::timestamptz)
    group by l.id
  ), found as materialized (
    select f.receipt_line_id as id, bool_or(f.is_open) as is_open, bool_or(f.is_open and ${isCarried("f.fingerprint")}) as is_carried
    from tieout.findings_at(array[:account_id], :'known_at'::timestamptz, :'known_at'::timestamptz) as f
    where f.subject_kind = 'receipt'
    group by f.receipt_line_id
  ), judged as (
    select l.currency, l.amount - coalesce(s.amount, 0) as amount,
           l.is_ours
             and (l.amount - coalesce(s.amount, 0)) * sign(l.amount) > power(10::numeric, -l.places)
             and s.is_converted is not true as is_unmatched,
           coalesce(f.is_open, true) as is_open,
           coalesce(f.is_carried, false) as is_carried
    from arrived as l
    left join settled as s on s.id = l.id
    left join found as f on f.id = l.id
  ), summed as (
    select currency, count(*) as total,
           count(*) filter (where is_unmatched and is_open and not is_carried) as left,
           count(*) filter (where is_unmatched and is_carried) as carried,
           count(*) filter (where is_unmatched and not is_open) as explained,
           sum(amount) filter (where is_unmatched and is_open and not is_carried) as amount,
           sum(amount) filter (where is_unmatched and is_carried) as carried_amount
    from judged
    group by currency
  )
  select null as provider, coalesce(sum(total), 0)::int as total, coalesce(sum("left"), 0)::int as left,
         case when sum("left") > 0 then 'red' when sum(carried) > 0 then 'amber' else 'green' end as state,
         ${amountsOf("amount", "currency")} as amounts, ${amountsOf("carried_amount", "currency")} as carried_amounts,
         jsonb_build_object('unmatched', coalesce(sum("left"), 0), 'carried', coalesce(sum(carried), 0),
           'explained', coalesce(sum(explained), 0)) as figures
  from summed`;

/** Records that could not be understood, met while the period was read. */
export const quarantineLine = `
  select null as provider, count(*)::int as total, count(*)::int as left,
         case when count(*) = 0 then 'green' else 'red' end as state, '[]'::jsonb as amounts,
         jsonb_build_object('records', count(*)) as figures
  from tieout.quarantined_records as q
  join tieout.sync_windows as w on w.id = q.window_id
  where q.account_id = :account_id
    and q.first_seen_at <= :'known_at'::timestamptz
    and w.kind <> 'refresh'
    and w.range_from < :'to'::timestamptz
    and w.range_to > :'from'::timestamptz`;
