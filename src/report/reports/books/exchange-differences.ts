import type { Scope } from "../../report.ts";
import { closedMonths, lateRule, rateThen } from "./late-rates.ts";

type Prior = ReturnType<Scope["priors"]>[number];

/** The name under which `tieout.rule_changes` says since when they are booked. */
export const exchangeRule = "'exchange_differences'";

/** What is owed or held in a currency, and is worth more or less when its rate moves. Not the bank: what leaves it is not booked here. */
const monetary =
  "'receivable', 'payouts_in_transit', 'payout_differences', 'reserves', 'unassigned_receipts'";

/**
 * What changed rates make of each balance, in the functional currency: one row per account of the chart, provider and currency.
 * A balance is carried at the rate of the last day; what is booked in between, at the rate of its own day. So
 * `opening + moved + of_earlier + difference` is the closing balance at the rate of the last day. `of_earlier` belongs to closed
 * months: a rate of theirs was given or has changed since, or they were closed before exchange differences were booked. What
 * depends on the rate of the first or the last day is null without it. A booking on a day without a rate is left out, with what
 * becomes of it (`is_complete` is then false), until its rate is given: then it is booked at that (late-rates.ts).
 */
export function exchangeDifferences(scope: Scope): string {
  if (!scope.isValued) return noDifferences;
  const [accounts, knownAt, asAt, from] = [scope.accounts(), scope.knownAt(), scope.asAt(), scope.from()];
  const priors = from === null ? [] : scope.priors();
  const dayBefore = (time: string) => scope.day(`(${time} - interval '1 microsecond')`);
  const setting = (at: string) =>
    `tieout.account_setting(one.account_id, 'functional_currency', ${at}) #>> '{}'`;
  const rateOn = (day: string, at: string) =>
    `(select w.rate from tieout.exchange_rate(s.currency, s.functional_currency, ${day}, ${at}) as w)`;
  const worth = (amount: string, rate: string) =>
    `case when ${amount} = 0 then 0 else ${amount} * ${rate} end`;
  const openingWorth = (at: string) =>
    from === null
      ? "0"
      : `case when s.chart_account in (${monetary}) then ${worth("s.opening", rateOn(dayBefore(from), at))} else 0 end`;
  const sumOf = (figure: string, parts: string) =>
    `coalesce(sum(${figure}) filter (where part in (${parts})), 0)`;
  const isWhole = (parts: string) =>
    `coalesce(bool_and(worth is not null or amount = 0) filter (where part in (${parts})), true)`;
  const leavesOut = `tieout.goes_by(${lateRule}, ${knownAt})`;
  /** A sum with an unknown part stays empty. */
  const worthOf = (parts: string) => `case when ${isWhole(parts)} then ${sumOf("worth", parts)} end`;
  return `
      with closes (account_id, known_at) as (${closes(priors)}
      ), functional as materialized (
        select one.account_id, ${setting(knownAt)} as currency, closes.known_at as prior_known_at,
               case when closes.known_at is not null then ${setting("closes.known_at")} end as prior_currency
        from unnest(${accounts}) as one (account_id)
        left join closes on closes.account_id = one.account_id
        where tieout.goes_by(${exchangeRule}, ${knownAt})
      ), posted as materialized (     -- a few rows a day; where no currency is set, nothing is read
        select account_id, provider, currency, chart_account, ${scope.day("at")} as day,
               ${from === null ? "'during'" : `case when at >= ${from} then 'during' else 'before' end`} as part,
               sum(amount) as amount
        from tieout.journal_postings(${accounts}, ${knownAt})
        where at < ${asAt}
          and chart_account in (${monetary})
          and exists (select from functional where currency is not null)
        group by account_id, provider, currency, chart_account, day, part${
          from === null ? "" : priors.map((prior) => closedThen(scope, from, prior)).join("")
        }
      ), signed as materialized (${priors.length === 0 || from === null ? noMonths : closedMonths(scope, from, priors)}
      ), followed as materialized (   -- accounts whose last close is put right where rates were given since
        select account_id, min(first_day) as first_day, bool_or(is_last and corrects) as corrects
        from signed
        where ${leavesOut}
        group by account_id
        having bool_or(is_last and functional_currency is not null)
      ), moves as materialized (
        select p.*, f.currency as functional_currency, f.prior_currency, f.prior_known_at,
               case p.part when 'unvalued' then f.prior_known_at else ${knownAt} end as known_at,
               ${rateThen("followed.corrects", "f.prior_known_at", "own.known_at")} as known_then
        from (
          select * from posted${from === null ? "" : learntSince(scope, from)}
        ) as p
        join functional as f on f.account_id = p.account_id and f.currency is not null
        left join followed on followed.account_id = p.account_id and followed.first_day <= p.day and p.part = 'closed'
        left join lateral (
          select m.known_at from signed as m where m.account_id = followed.account_id and m.last_day >= p.day order by m.last_day limit 1
        ) as own on true
      ), rates as materialized (      -- once for each currency and day: as they are known, and of closed months as they were, too
        select d.*, now.rate, was.rate as rate_then
        from (
          select distinct account_id, currency, functional_currency, day, known_at, known_then
          from moves
          where known_then is not null or part in ('during', 'learnt', 'unvalued')
        ) as d
        left join lateral tieout.exchange_rate(d.currency, d.functional_currency, d.day, d.known_at) as now on true
        left join lateral tieout.exchange_rate(d.currency, d.functional_currency, d.day, d.known_then) as was on true
      ), valued as materialized (
        select m.*, m.amount * r.rate as worth, m.known_then is not null as is_rated, r.rate, r.rate_then
        from moves as m
        left join rates as r
          on r.account_id = m.account_id
         and r.currency = m.currency
         and r.day = m.day
         and r.known_at = m.known_at
         and r.known_then is not distinct from m.known_then
      ), summed as (
        select account_id, provider, currency, chart_account, functional_currency, prior_currency, prior_known_at,
               case when prior_known_at is null then ${sumOf("amount", "'before'")} else ${sumOf("amount", "'closed', 'unvalued'")} end
                 - coalesce(sum(amount) filter (where is_rated and rate is null), 0) as opening,
               ${sumOf("amount", "'during', 'learnt'")}
                 - case when ${leavesOut} then coalesce(sum(amount) filter (where part in ('during', 'learnt') and worth is null), 0) else 0 end as moved,
               case when ${leavesOut} then ${sumOf("worth", "'during', 'learnt'")} else ${worthOf("'during', 'learnt'")} end as moved_worth,
               ${worthOf("'unvalued'")} as unvalued_worth,
               bool_or(part = 'unvalued') as is_unvalued,
               coalesce(sum(amount * (coalesce(rate, 0) - coalesce(rate_then, 0))) filter (where is_rated), 0) as restated,
               account_id in (select account_id from followed) as is_followed,
               coalesce(bool_and(case when part = 'closed' then not is_rated or rate is not null else worth is not null end)
                 filter (where part in ('during', 'learnt', 'closed') and amount <> 0), true) as is_complete,
               ${["day", "amount", "is_rated", "rate_then"].map((name) => `array_agg(${name}) filter (where part = 'closed') as closed_${name}`).join(", ")}
        from valued
        group by account_id, provider, currency, chart_account, functional_currency, prior_currency, prior_known_at
      )
      select s.account_id, s.provider, s.currency, s.chart_account, trim_scale(carried.opening) as opening, s.is_complete,
             trim_scale(s.moved_worth + s.restated) as moved, trim_scale(ended.difference) as difference,
             -- Both or neither: otherwise it could not be told from the balances alone what was booked.
             case when not s.is_followed or ended.difference is not null
               then trim_scale(base.opening - carried.opening - s.restated) end as of_earlier
      from summed as s
      cross join lateral (select ${openingWorth(knownAt)}) as base (opening)
      cross join lateral (
        select case when s.chart_account in (${monetary}) then
                 ${worth("(s.opening + s.moved)", rateOn(dayBefore(asAt), knownAt))} - base.opening - s.moved_worth
               end
      ) as ended (difference)
      cross join lateral (
        select case
                 when s.prior_currency is distinct from s.functional_currency then base.opening
                 when s.is_unvalued then s.unvalued_worth
                 when s.is_followed then (${bookedThen(rateOn, worth, knownAt)})
                 else ${openingWorth("s.prior_known_at")}
               end
        offset 0                      -- worked out once, though it is used twice
      ) as carried (opening)`;
}

const noDifferences = `
      select null::int as account_id, null::text as provider, null::text as currency, null::text as chart_account,
             null::numeric as opening, null::boolean as is_complete, null::numeric as moved, null::numeric as difference,
             null::numeric as of_earlier
      where false`;

const noMonths = `
        select null::int as account_id, null::date as first_day, null::date as last_day, null::timestamptz as known_at,
               null::boolean as corrects, null::boolean as is_last, null::text as functional_currency
        where false`;

/**
 * What the journals of closed months have booked: the balance at the end of the last month that could be valued, less what had no rate, and
 * everything after it at the rate of its day. Where no month could be, what was there before the first of them and everything since.
 */
function bookedThen(
  rateOn: (day: string, at: string) => string,
  worth: (amount: string, rate: string) => string,
  knownAt: string,
): string {
  const sumWhere = (figure: string, condition: string) =>
    `coalesce(sum(${figure}) filter (where ${condition}), 0)`;
  const closedDays =
    "unnest(s.closed_day, s.closed_amount, s.closed_is_rated, s.closed_rate_then) as v (day, amount, is_rated, rate_then)";
  const hadRate = "(not v.is_rated or at_close.rate is not null)";
  return `
          select coalesce(
            (
              select ${worth("b.closing", "e.last_rate")} + b.later
              from (select * from signed where account_id = s.account_id order by last_day desc) as m   -- nearly always the first is taken
              cross join lateral (
                select ${sumWhere("v.amount", `v.day < m.first_day and ${hadRate}`)} as opening,
                       ${sumWhere("v.amount", `v.day <= m.last_day and ${hadRate}`)} as closing,
                       ${sumWhere("v.amount * (coalesce(v.rate_then, 0) - case when v.day > m.last_day then 0 else coalesce(at_close.rate, 0) end)", "v.is_rated")} as later,
                       coalesce(bool_and(${hadRate}) filter (where v.day between m.first_day and m.last_day), true) as is_whole
                from ${closedDays}
                -- Later closes have put right what had another rate, or none, when this month was closed.
                left join lateral tieout.exchange_rate(
                  s.currency, s.functional_currency, v.day, case when v.is_rated and m.corrects and not m.is_last then m.known_at end
                ) as own on true
                cross join lateral (select case when m.corrects and not m.is_last then own.rate else v.rate_then end) as at_close (rate)
              ) as b
              cross join lateral (
                select ${rateOn("m.first_day - 1", "m.known_at")} as first_rate, ${rateOn("m.last_day", "m.known_at")} as last_rate
              ) as e
              where (b.opening = 0 or e.first_rate is not null)
                and (b.closing = 0 or e.last_rate is not null)
                and (m.corrects or b.is_whole)
              order by m.last_day desc
              limit 1
            ),
            (
              select ${worth("b.opening", rateOn("b.first_day - 1", knownAt))} + b.later
              from (
                select (select first_day from followed as f where f.account_id = s.account_id) as first_day,
                       ${sumWhere("v.amount", "not v.is_rated")} as opening,
                       ${sumWhere("v.amount * v.rate_then", "v.is_rated")} as later
                from ${closedDays}
              ) as b
            )
          )`;
}

/** By which moment each account was closed; an account without a close is not among them. */
function closes(priors: readonly Prior[]): string {
  if (priors.length === 0) return "select null::int, null::timestamptz where false";
  return priors.map(({ accounts, knownAt }) => `select unnest(${accounts}), ${knownAt}`).join(" union all ");
}

/**
 * The opening as it was closed. A month that was closed before exchange differences were booked carries what its journals
 * booked, each at the rate of its day, and so does the account through which currencies were exchanged.
 */
function closedThen(scope: Scope, from: string, { accounts, knownAt }: Prior): string {
  const isValued = `tieout.goes_by(${exchangeRule}, ${knownAt})`;
  return `
        union all
        select account_id, provider, currency, chart_account, ${scope.day("at")} as day,
               case when ${isValued} then 'closed' else 'unvalued' end as part, sum(amount)
        from tieout.journal_postings(${accounts}, ${knownAt})
        where at < ${from}
          and (chart_account in (${monetary}) or chart_account = 'currency_exchange' and not ${isValued})
          and exists (select from functional where currency is not null)
        group by account_id, provider, currency, chart_account, day`;
}

/** What has become known of earlier days is booked on the first day, at its rate. */
function learntSince(scope: Scope, from: string): string {
  return `
          union all
          select account_id, provider, currency, chart_account, ${scope.day(from)}, 'learnt',
                 sum(case part when 'before' then amount else -amount end)
          from posted
          where part <> 'during'
            and account_id in (select account_id from functional where prior_known_at is not null)
            and chart_account in (${monetary})
          group by account_id, provider, currency, chart_account
          having sum(case part when 'before' then amount else -amount end) <> 0`;
}
