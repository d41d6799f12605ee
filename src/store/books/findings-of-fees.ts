import { expectedByTerms, feeTerms } from "./fee-expectations.ts";
import { analyze, execute, isAny, make, type Run } from "./run.ts";

/** Charges whose order and line agree: while the order itself is in doubt, so is what it should have cost. */
const charges = `
  select :account_id::int as account_id, l.provider, p.transaction_id, l.id as line_id, l.effective_at,
         coalesce(l.side, t.transaction_type) as side, t.payment_method, l.fiat_currency as currency, l.fiat_gross as gross,
         l.net_amount, l.net_currency, l.fee_total, l.fee_processing, l.fee_network, l.fee_partner, l.fee_currency, not coalesce(file.is_gross, false) and (l.fee_partner is not null or l.net_amount <> 0) as owes_share,
         coalesce(w.places, 2) as places
  from run_pairs as p
  join run_lines as l on l.id = p.line_id
  join run_transactions as t on t.transaction_id = p.transaction_id
  left join tieout.currency_words as w on w.word = lower(l.fiat_currency)
  left join (
    select s.id, s.profile_used ->> 'model' = 'gross' as is_gross
    from tieout.statements as s
    where s.account_id = :account_id
      and s.provider = any (:'providers'::text[])
  ) as file on file.id = l.statement_id
  where p.line_type = 'charge'
    and p.part_amount is null              -- what each order of a split cost is not stated
    and t.status = 'completed'
    and l.status in ('settled', 'delivering')
    and l.fiat_gross is not null
    and not exists (
      select
      from run_found as f
      where f.line_id = l.id
        and f.code in ('in_amount_mismatch', 'out_amount_mismatch', 'currency_mismatch', 'direction_mismatch',
                       'line_arithmetic_mismatch')
    )`;

const variances = `
  insert into run_found (provider, code, transaction_id, line_id, expected, actual, currency, value, value_currency, owed, owed_currency,
    dated, holds_from)
  select e.provider, case when e.kind <> 'share' then 'fee_variance' when e.actual < e.expected then 'commission_short'
              else 'commission_over' end,
         e.transaction_id, e.line_id, e.expected, e.actual, e.currency, abs(e.actual - e.expected), e.currency,
         case when e.kind = 'share' then abs(e.actual - e.expected) end, e.currency, e.effective_at, e.effective_at
  from (${expectedByTerms("run_charges", "run_terms")}
  ) as e
  left join lateral (
    select *
    from run_tolerance as allowed
    where allowed.provider = e.provider
      and allowed.currency in (e.currency, '*')
      and allowed.leg in ('fee', '*')
    order by allowed.currency = '*', allowed.leg = '*'
    limit 1
  ) as found on true
  cross join lateral (select power(10::numeric, -e.places)) as unit (size)
  where e.actual - e.expected
        not between -greatest(coalesce(found.absolute_under, unit.size), coalesce(found.relative_under, 0) * abs(e.expected))
                and greatest(coalesce(found.absolute_over, unit.size), coalesce(found.relative_over, 0) * abs(e.expected))`;

/** What a provider says it owes for a month, in UTC, held against what its lines of that month come to. */
const commissionSums = `
  insert into run_found (provider, code, line_id, period_from, period_to, expected, actual, currency, value, value_currency, owed,
    owed_currency, dated, holds_from)
  select t.provider, 'commission_sum_mismatch', t.id, month.begins, month.ends, earned.amount, t.net_amount, t.net_currency,
         abs(t.net_amount - earned.amount), t.net_currency, abs(t.net_amount - earned.amount), t.net_currency,
         month.ends - interval '1 millisecond', month.ends - interval '1 millisecond'
  from tieout.lines_at(array[:account_id::int], 'infinity') as t
  cross join lateral (select date_trunc('month', t.effective_at at time zone 'UTC')) as local (month)
  cross join lateral (
    select local.month at time zone 'UTC', (local.month + interval '1 month') at time zone 'UTC'
  ) as month (begins, ends)
  cross join lateral (
    select sum(l.net_amount) as amount
    from tieout.lines_at(array[:account_id::int], 'infinity') as l
    where l.provider = t.provider
      and l.line_type in ('charge', 'commission')
      and (l.fee_partner is not null or l.net_amount <> 0)        -- not all lines tell our share
      and coalesce(l.net_currency, l.fiat_currency) = t.net_currency
      and l.effective_at >= month.begins
      and l.effective_at < month.ends
  ) as earned
  left join tieout.currency_words as w on w.word = lower(t.net_currency)
  where t.provider = any (:'providers'::text[])
    and t.line_type = 'commission_total'
    and earned.amount is not null           -- without a line there is nothing to compare with
    and abs(t.net_amount - earned.amount) > coalesce(power(10::numeric, -w.places), 0.01)`;

export async function findInFees(run: Run): Promise<void> {
  await execute(run, commissionSums);
  if (!(await isAny(run, "from tieout.fee_schedules where account_id = :account_id"))) return;
  await make(
    run,
    "run_terms",
    `select * from (${feeTerms("array[:account_id::int]", "'infinity'")}) as t where t.provider = any (:'providers'::text[])`,
  );
  if (!(await isAny(run, "from run_terms"))) return;
  await make(run, "run_charges", charges);
  await analyze(run, "run_charges", "run_terms");
  await execute(run, variances);
}
