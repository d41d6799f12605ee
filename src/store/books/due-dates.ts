import { formatInstant, instantMs, parseInstant } from "../../core/instant.ts";
import { lastDayBefore } from "../../core/period.ts";
import { periodLengths, periodsBetween } from "../../core/settlement-period.ts";
import { DAY } from "../../core/duration.ts";
import { findZone, utc } from "../../core/zone.ts";
import { analyze, execute, type Run } from "./run.ts";

/** Farther from today nothing is due: dates like these are mistakes. */
const backMs = 20 * 366 * DAY;
const aheadMs = 400 * DAY;

/**
 * The periods of the providers' calendars, as `run_periods`: from the first transaction or line to today and one further.
 * Counted in each provider's own zone, here and nowhere else.
 */
export async function openPeriods(run: Run): Promise<void> {
  const periods = (await execute<Calendar>(run, calendars)).flatMap(periodsOf);
  await execute(
    run,
    `create temp table run_periods on commit drop as
     select p.provider, p.period_from, p.period_to, p.period_to + c.statement_patience as due_at,
            p.period_to + c.payout_patience
              + make_interval(days => tieout.days_to_business_day(p.last_day + c.payout_days, c.calendar)) as payout_due_at
     from unnest(:'names'::text[], :'froms'::timestamptz[], :'tos'::timestamptz[], :'last_days'::date[])
            as p (provider, period_from, period_to, last_day)
     join run_calendar as c using (provider)`,
    {
      names: periods.map(({ provider }) => provider),
      froms: periods.map(({ from }) => from),
      tos: periods.map(({ to }) => to),
      last_days: periods.map(({ lastDay }) => lastDay),
    },
  );
  await execute(run, "create unique index on run_periods (provider, period_from)");
  await analyze(run, "run_periods");
}

interface Calendar {
  provider: string;
  /** Of the first transaction or line. */
  from: string | null;
  now: string;
  period: string | null;
  zone: string | null;
}

const calendars = `
  select c.provider,
         to_json(least(
           (select t.status_date
            from tieout.transactions as t
            where t.account_id = :account_id
              and lower(coalesce(t.provider, '')) = c.provider
            order by t.status_date
            limit 1),
           (select min(l.effective_at)
            from tieout.statement_lines as l
            where l.account_id = :account_id
              and l.provider = c.provider)
         )) #>> '{}' as "from",
         to_json(:'stamp'::timestamptz) #>> '{}' as now,
         c.calendar ->> 'period' as period,
         c.calendar ->> 'zone' as zone
  from run_calendar as c
  order by c.provider`;

function periodsOf({ provider, zone: name, period, ...times }: Calendar) {
  const first = parseInstant(times.from ?? "");
  const now = parseInstant(times.now);
  if (first === null || now === null) return [];
  const zone = findZone(name ?? utc.name);
  // Rather than count in another one.
  if (zone === null) throw new Error(`the calendar of ${provider} names no time zone: ${name}`);
  const length = periodLengths.find((known) => known === period) ?? "month";
  const nowMs = instantMs(now);
  const from = formatInstant(Math.max(instantMs(first), nowMs - backMs));
  const to = formatInstant(Math.max(instantMs(from), nowMs) + aheadMs / 12);
  return periodsBetween({ from, to }, length, zone).map((one) => ({
    provider,
    ...one,
    lastDay: lastDayBefore({ instant: one.to }, zone),
  }));
}

/** Keeps what is due when, so that a report can look it up; what changes was known until now. */
export async function keepDueDates(run: Run): Promise<void> {
  await execute(run, endChanged);
  await execute(run, addNew);
}

const wanted = `
    select p.provider, null::text as currency, p.period_from, p.period_to, p.due_at
    from run_periods as p
    union all
    select c.provider, c.currency, c.period_from, c.period_to, c.due_at
    from run_carried as c`;

const endChanged = `
  update tieout.due_dates as held
  set known_to = :'stamp'::timestamptz
  where held.account_id = :account_id
    and held.provider = any (:'providers'::text[])
    and held.known_to is null
    and not exists (
      select
      from (${wanted}
      ) as w
      where w.provider = held.provider
        and w.currency is not distinct from held.currency
        and (w.period_from, w.period_to, w.due_at) = (held.period_from, held.period_to, held.due_at)
    )`;

const addNew = `
  insert into tieout.due_dates (account_id, provider, currency, period_from, period_to, due_at, known_from)
  select :account_id, w.provider, w.currency, w.period_from, w.period_to, w.due_at, :'stamp'::timestamptz
  from (${wanted}
  ) as w
  where not exists (
    select
    from tieout.due_dates as held
    where held.account_id = :account_id
      and held.provider = w.provider
      and held.known_to is null
      and held.period_from = w.period_from
      and held.currency is not distinct from w.currency
  )`;
