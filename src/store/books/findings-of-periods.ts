import { analyze, execute, isAny, make, type Run } from "./run.ts";

/**
 * What a provider owes as a whole: statements and payouts that should have come, and balances that do not add up. Each is
 * asked of everything, whatever the run has touched, and is written ahead: it holds from the day it is due.
 */

/** Completed, settled by no line, told of by no statement, excluded by nobody. */
const unsettled = `
  select c.provider, t.status_date, leg.currency, leg.amount, p.period_from, p.period_to, p.due_at
  from run_coverage as c
  cross join unnest(
    tstzmultirange(tstzrange(coalesce(c.first_told, '-infinity'), 'infinity')) - c.told
  ) as span
  -- By index, one time after the other: joined, all transactions of the provider would be looked at.
  cross join lateral (
    select t.transaction_id, t.status_date, t.source_currency, t.in_amount, t.target_currency, t.out_amount
    from tieout.transactions as t
    where t.account_id = :account_id
      and lower(coalesce(t.provider, '')) = c.provider
      and t.status = 'completed'
      and t.status_date >= coalesce(lower(span), '-infinity')
      and t.status_date < coalesce(upper(span), 'infinity')
    offset 0
  ) as t
  join run_periods as p
    on p.provider = c.provider
   and p.period_from <= t.status_date
   and p.period_to > t.status_date
  left join tieout.currency_words as source on source.word = t.source_currency
  left join tieout.currency_words as target on target.word = t.target_currency
  cross join lateral (
    select case when source.is_fiat then source.code when target.is_fiat then target.code end,
           case when source.is_fiat then t.in_amount when target.is_fiat then t.out_amount end
  ) as leg (currency, amount)
  where leg.amount is not null
    and not c.all_excluded
    and (t.status_date < c.excluded_before) is not true
    and t.transaction_id <> all (c.excluded_ids)
    and not exists (
      select
      from tieout.matches as m
      where m.account_id = :account_id
        and m.transaction_id = t.transaction_id
        and m.state = 'active'
        and m.role = 'settles'
    )`;

/**
 * Where statements come only with a payout: the statement of a period in which too little has come together is that of
 * the first later one with enough, and nobody knows when that will be.
 */
const carried = `
  with accrued as (
    select u.provider, u.currency, u.period_from, u.period_to,
           sum(sum(u.amount * coalesce(c.our_share, 1))) over (partition by u.provider, u.currency order by u.period_to)
             >= (c.minimum_payout ->> u.currency)::numeric as is_enough
    from run_calendar as c
    join run_unsettled as u on u.provider = c.provider and c.minimum_payout ? u.currency
    where c.with_payout
    group by u.provider, u.currency, u.period_from, u.period_to, c.minimum_payout
  )
  select a.provider, a.currency, a.period_from, a.period_to,
         coalesce((
           select min(later.period_to)
           from accrued as later
           where (later.provider, later.currency) = (a.provider, a.currency)
             and later.period_to >= a.period_to
             and later.is_enough
         ) + c.statement_patience, 'infinity') as due_at
  from accrued as a
  join run_calendar as c using (provider)
  where not a.is_enough`;

/** One for all transactions of a period and currency: a missing file is one thing to ask for. */
const statementOverdue = `
  insert into run_found (provider, code, period_from, period_to, expected, actual, currency, value, value_currency, owed, owed_currency,
    dated, holds_from)
  select u.provider, 'statement_overdue', u.period_from, u.period_to, sum(u.amount), 0, u.currency, abs(sum(u.amount)), u.currency,
         abs(sum(u.amount)) * c.our_share, u.currency, due.at, due.at
  from run_unsettled as u
  join run_calendar as c using (provider)
  left join run_carried as later
    on later.provider = u.provider
   and later.currency = u.currency
   and later.period_from = u.period_from
  cross join lateral (select coalesce(later.due_at, u.due_at)) as due (at)
  where due.at < 'infinity'
  group by u.provider, u.period_from, u.period_to, u.currency, c.our_share, due.at`;

/** Owed, in no payout that is declared, and above the minimum: late from the day on which it should have been paid. */
const payoutOverdue = `
  insert into run_found (provider, code, period_from, period_to, expected, actual, currency, value, value_currency, owed, owed_currency,
    dated, holds_from)
  select o.provider, 'payout_overdue', o.period_from, o.period_to, o.accrued, 0, o.currency, o.accrued, o.currency, o.accrued, o.currency,
         o.payout_due_at, o.payout_due_at
  from (
    select l.provider, p.period_from, p.period_to, p.payout_due_at, l.currency, sum(l.net_amount) as accrued,
           sum(sum(l.net_amount)) over (partition by l.provider, l.currency order by p.period_to) as so_far
    from (
      select l.provider, l.effective_at, l.net_amount, coalesce(l.net_currency, l.fiat_currency) as currency
      from tieout.lines_at(array[:account_id::int], 'infinity') as l
      where l.provider = any (:'providers'::text[])
        and l.payout_ref is null
        and l.net_amount <> 0
        and l.line_type not in ('payout', 'balance', 'commission_total')
        and not exists (
          select
          from tieout.file_payouts(array[:account_id::int], 'infinity') as f
          where f.statement_id = l.statement_id
            and f.currency = coalesce(l.net_currency, l.fiat_currency)
        )
      union all
      select l.provider, l.effective_at, l.net_amount, coalesce(l.net_currency, l.fiat_currency)
      from (
        select u.provider, u.payout_ref
        from tieout.payouts as u
        where u.account_id = :account_id
          and u.provider = any (:'providers'::text[])
        group by u.provider, u.payout_ref
        having bool_and(u.status = 'undeclared')
      ) as undeclared
      join tieout.lines_at(array[:account_id::int], 'infinity') as l
        on l.provider = undeclared.provider
       and l.payout_ref = undeclared.payout_ref
      where l.line_type not in ('payout', 'balance', 'commission_total')
    ) as l
    join run_periods as p
      on p.provider = l.provider
     and p.period_from <= l.effective_at
     and p.period_to > l.effective_at
    group by l.provider, p.period_from, p.period_to, p.payout_due_at, l.currency
  ) as o
  join run_calendar as c using (provider)
  where o.accrued > 0
    and o.so_far >= coalesce((c.minimum_payout ->> o.currency)::numeric, 0)`;

/** The balances that a provider states, numbered in the order of their times. */
const balances = `
  select l.provider, l.net_currency as currency, l.id as line_id, l.line_key, l.occurrence, l.net_amount as stated, l.effective_at,
         dense_rank() over (partition by l.provider, l.net_currency order by l.effective_at) as nth
  from tieout.lines_at(array[:account_id::int], 'infinity') as l
  where l.provider = any (:'providers'::text[])
    and l.line_type = 'balance'`;

/**
 * A stated balance is the one before it, plus what the lines since have added, less what was paid out. The first has none
 * before it and says only where to begin. Every line is put into its span by a search in the list of times, and is read
 * once, however many balances there are.
 */
const unexplained = `
  insert into run_found (provider, code, line_id, period_from, period_to, expected, actual, currency, value, value_currency, owed,
    owed_currency, dated, holds_from)
  with span as (
    select b.provider, b.currency, b.line_id, b.nth, b.stated, b.effective_at as closed_at, o.effective_at as opened_at, o.stated as opening
    from run_balances as b
    join (
      -- Two of one time: each is held against the one before, and the next against one and the same of them.
      select distinct on (provider, currency, nth) provider, currency, nth, stated, effective_at
      from run_balances
      order by provider, currency, nth, line_key desc, occurrence desc
    ) as o on (o.provider, o.currency, o.nth) = (b.provider, b.currency, b.nth - 1)
  ), moved as (
    select s.provider, s.currency, width_bucket(v.at - interval '1 microsecond', s.times) + 1 as nth, sum(v.amount) as amount
    from (
      select provider, currency, array_agg(distinct effective_at order by effective_at) as times
      from run_balances
      group by provider, currency
    ) as s
    join (
      select l.provider, coalesce(l.net_currency, l.fiat_currency) as currency, l.effective_at as at, l.net_amount as amount
      from tieout.lines_at(array[:account_id::int], 'infinity') as l
      where l.provider in (select provider from span)
        and l.line_type not in ('payout', 'balance', 'commission_total')
        and l.effective_at > (select min(opened_at) from span)
        and l.effective_at <= (select max(closed_at) from span)
      union all
      select p.provider, p.currency, p.payout_date, -p.net_declared
      from tieout.payouts as p
      where p.account_id = :account_id
        and p.provider = any (:'providers'::text[])
        and p.net_declared is not null
      union all
      select c.provider, c.currency, c.at, c.amount        -- out of the currency of the lines, into that of the payout
      from tieout.claim_movements(array[:account_id::int], 'infinity') as c
      where c.provider = any (:'providers'::text[])
        and c.step = 'converted'
    ) as v on (v.provider, v.currency) = (s.provider, s.currency)
    group by 1, 2, 3
  )
  select s.provider, 'position_unexplained', s.line_id, s.opened_at, s.closed_at, computed.amount, s.stated, s.currency,
         abs(s.stated - computed.amount), s.currency, abs(s.stated - computed.amount), s.currency, s.closed_at, s.closed_at
  from span as s
  left join moved on (moved.provider, moved.currency, moved.nth) = (s.provider, s.currency, s.nth)
  cross join lateral (select s.opening + coalesce(moved.amount, 0)) as computed (amount)
  left join tieout.currency_words as w on w.word = lower(s.currency)
  where abs(s.stated - computed.amount) > coalesce(power(10::numeric, -w.places), 0.01)`;

export async function findInPeriods(run: Run): Promise<void> {
  await make(run, "run_unsettled", unsettled);
  const empty = !(await isAny(run, "from run_unsettled"));
  if (!empty) await analyze(run, "run_unsettled");
  await make(run, "run_carried", carried, { empty });
  if (!empty) await execute(run, statementOverdue);
  await execute(run, payoutOverdue);
  await make(run, "run_balances", balances);
  if (!(await isAny(run, "from run_balances"))) return;
  await analyze(run, "run_balances");
  await execute(run, unexplained);
}
