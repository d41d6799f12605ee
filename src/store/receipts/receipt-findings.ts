import { discrepancyCodes, receiptCodes } from "../../core/discrepancy-codes.ts";
import { factsHash, fingerprintOf, foundColumns } from "../books/findings.ts";
import { execute, type Run } from "../books/run.ts";

/**
 * What of the payouts has not arrived as it was declared, and what has arrived without a payout, as `run_findings`. Money
 * comes on several days: each stretch of time between two of them has what had come by then.
 */
export async function findInReceipts(run: Run): Promise<void> {
  await run.tx.query(`create temp table run_found (${foundColumns}) on commit drop`);
  await execute(run, ofPayouts);
  await execute(run, withoutPayout);
  await execute(run, identified);
}

const columns = `provider, code, level, payout_ref, receipt_line_id, expected, actual, currency, value, value_currency, owed,
    owed_currency, dated, holds_from, holds_to`;

const ofPayouts = `
  insert into run_found (${columns})
  with arrived as (               -- added up by the time from which the matches hold
    select m.payout_id as subject, m.effective_at as at, sum(m.amount + m.bank_fee + m.rounding) as amount
    from tieout.receipt_matches as m
    where m.account_id = :account_id
      and m.state = 'active'
    group by m.payout_id, m.effective_at
  ), stretches as (
    select p.*, a.at as since,
           coalesce(sum(a.amount) over (partition by p.payout_id order by a.at nulls first), 0) as received,
           coalesce(lead(a.at) over (partition by p.payout_id order by a.at nulls first), 'infinity') as until
    from run_paid as p
    join (
      select payout_id as subject, null::timestamptz as at, 0::numeric as amount from run_paid
      union all
      select subject, at, amount from arrived
    ) as a on a.subject = p.payout_id
  ), judged as (
    select s.*,
           case
             when s.expected <> 0 and s.received * s.sign <= 0 then
               -- What we owe the provider does not arrive: it goes out, or is taken off the next payout. What came and was taken back
               -- is missing wherever the bank's files begin.
               case when s.is_declared and (s.is_followed or s.since is not null) and s.expected > 0 then 'payout_not_received' end
             when (s.expected - s.received) * s.sign > s.under then 'payout_short'
             when (s.received - s.expected) * s.sign > s.over then 'payout_over'
           end as code
    from stretches as s
  )
  select j.provider, j.code, coalesce(j.levels ->> j.code, 'error'), j.payout_ref, null, j.expected, j.received, j.currency,
         abs(j.expected - j.received), j.currency, abs(j.expected - j.received), j.currency, j.payout_date,
         case j.code when 'payout_not_received' then greatest(j.since, j.due_at) else j.since end,
         j.until
  from judged as j
  where j.code is not null
    and (j.code <> 'payout_not_received' or j.due_at < j.until)
    and (j.since is not null or j.code = 'payout_not_received')`;

/**
 * Of what came in, and of what the bank took back again; what else went out is the account holder's own business. Where a line
 * settles a payout in the currency that was sent, what is left of it in its own is not known.
 */
const withoutPayout = `
  insert into run_found (${columns})
  with used as (
    select m.receipt_line_id as subject, m.effective_at as at, sum(m.amount) as amount,
           bool_or(lower(m.currency) <> l.code) as is_converted
    from tieout.receipt_matches as m
    join run_receipts as l on l.id = m.receipt_line_id
    where m.account_id = :account_id
      and m.state = 'active'
    group by m.receipt_line_id, m.effective_at
  ), stretches as (
    select l.id, l.signed, l.currency, l.effective_at, unit.amount as unit,
           greatest(u.at, l.effective_at) as since,
           l.signed - coalesce(sum(u.amount) over (partition by l.id order by u.at nulls first), 0) as remaining,
           coalesce(lead(u.at) over (partition by l.id order by u.at nulls first), 'infinity') as until,
           bool_or(u.is_converted) over (partition by l.id order by u.at nulls first) as is_converted
    from run_receipts as l
    left join tieout.currency_words as w on w.word = l.code
    cross join lateral (select power(10::numeric, -coalesce(w.places, 2)::int)) as unit (amount)
    join (
      select id as subject, null::timestamptz as at, 0::numeric as amount, false as is_converted from run_receipts
      union all
      select subject, at, amount, is_converted from used
    ) as u on u.subject = l.id
    where (l.direction = 'credit' or l.is_reversal)
      and l.amount > 0
  )
  select '', 'receipt_without_payout', null, null, s.id, 0, s.remaining, s.currency, abs(s.remaining), s.currency,
         abs(s.remaining), s.currency, s.effective_at, s.since, s.until
  from stretches as s
  where s.remaining * sign(s.signed) > s.unit
    and not s.is_converted
    and s.since < s.until`;

const meanings = receiptCodes
  .map((code) => `('${code}', '${discrepancyCodes[code].level}', '${discrepancyCodes[code].subject}')`)
  .join(", ");

const identified = `
  create temp table run_findings on commit drop as
  select f.provider, f.code, f.level, f.subject_kind, f.transaction_id, f.line_id, f.payout_ref, f.receipt_line_id, f.period_from,
         f.period_to, f.expected, f.actual, f.currency, f.expected_text, f.actual_text, f.value, f.value_currency, f.owed,
         f.owed_currency, false as near_period_edge, f.holds_from, f.holds_to,
         ${fingerprintOf(`case f.subject_kind
             when 'payout' then concat_ws(e'\\x1f', f.provider, f.payout_ref, f.currency)
             else concat_ws(e'\\x1f', f.line_key, f.occurrence::text)
           end`)} as fingerprint,
         ${factsHash} as facts_hash
  from (
    select f.provider, f.code, coalesce(f.level, meaning.level) as level, meaning.subject as subject_kind, f.transaction_id,
           f.line_id, f.payout_ref, f.receipt_line_id, f.period_from, f.period_to, trim_scale(f.expected) as expected,
           trim_scale(f.actual) as actual, f.currency, f.expected_text, f.actual_text, trim_scale(f.value) as value,
           f.value_currency, trim_scale(f.owed) as owed, f.owed_currency, f.holds_from, f.holds_to, line.line_key,
           line.occurrence
    from run_found as f
    join (values ${meanings}) as meaning (code, level, subject) on meaning.code = f.code
    left join tieout.receipt_lines as line on line.id = f.receipt_line_id
    where f.holds_from < f.holds_to
  ) as f`;

/** What a run over touched receipts has judged. */
export const lookedAtReceipts = `case held.subject_kind
           when 'receipt' then held.receipt_line_id in (select line_id from pg_temp.touched_receipts)
           else exists (
             select
             from run_paid as p
             where p.provider = held.provider
               and p.payout_ref = held.payout_ref
               and p.currency = held.currency
           )
         end`;
