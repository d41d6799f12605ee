import type { Scope } from "../../report.ts";

/** The name under which `tieout.rule_changes` says since when the entries of closed months follow rates that were given later. */
export const lateRule = "'late_rates'";

/**
 * What closed months could not book, or booked at a rate that was corrected since: each line of their entries once more, with
 * the difference in the functional currency, on the first day after them. `rated_on` is the day whose rate is meant.
 */
export function restated(scope: Scope, accountWords: string): string {
  const from = scope.from();
  const priors = from === null ? [] : scope.priors();
  if (!scope.isValued || from === null || priors.length === 0) return nothing;
  const legs = priors.map(
    ({ accounts, knownAt }) => `
            select p.*, ${scope.day("p.at")} as day, ${knownAt} as prior_known_at
            from tieout.journal_postings(${accounts}, ${knownAt}) as p
            where p.at < ${from}
              and exists (select from given)`,
  );
  const columns = `e.account, e.account_word, e.account_id, e.provider, e.currency, ${from} as at`;
  return `
      with signed as materialized (${closedMonths(scope, from, priors)}
      ), given as materialized (      -- rates that came after their month was closed; nearly always there are none
        select distinct r.day
        from tieout.rates as r
        where r.imported_at <= ${scope.knownAt()}
          and exists (select from signed as m where m.last_day >= r.day and m.known_at < r.imported_at)
          and tieout.goes_by(${lateRule}, ${scope.knownAt()})
      ), legs as materialized (
        select a.name as account, a.word as account_word, p.*, f.functional_currency, m.known_at as own_known_at, m.corrects
        from (${legs.join("\n            union all")}
        ) as p
        join (${accountWords}) as a on a.id = p.account_id
        join (
          select account_id, bool_or(is_last) as follows, max(functional_currency) filter (where is_last) as functional_currency,
                 min(first_day) as first_day, bool_or(is_last and corrects) as corrects
          from signed
          group by account_id
        ) as f on f.account_id = p.account_id and f.follows and f.functional_currency is not null and f.first_day <= p.day
        cross join lateral (
          select ${rateThen("f.corrects", "p.prior_known_at", "own.known_at")} as known_at, f.corrects
          from signed as own
          where own.account_id = p.account_id
            and own.last_day >= p.day
          order by own.last_day
          limit 1
        ) as m
      ), rates as materialized (
        select d.*, now.rate, was.rate as rate_then
        from (
          select distinct currency, functional_currency, day, own_known_at
          from legs
          where day in (select given.day + later from given cross join generate_series(0, 7) as later)
        ) as d
        cross join lateral tieout.exchange_rate(d.currency, d.functional_currency, d.day, ${scope.knownAt()}) as now
        left join lateral tieout.exchange_rate(d.currency, d.functional_currency, d.day, d.own_known_at) as was on true
        where now.rate is distinct from was.rate
      ), changed as materialized (
        select legs.*, rates.rate, rates.rate_then
        from legs
        join rates using (currency, functional_currency, day, own_known_at)
      ), exchanged as (               -- what is left where money changed its currency
        select l.account, l.account_word, l.account_id, l.provider, l.functional_currency as currency, l.entry, l.payout_ref, l.day,
               max(l.line_id) as line_id, max(l.receipt_line_id) as receipt_line_id,
               case
                 when bool_and(now.rate is not null)
                   then case when bool_and(was.rate is not null) then sum(l.amount * was.rate) else 0 end - sum(l.amount * now.rate)
               end as difference
        from legs as l
        left join lateral tieout.exchange_rate(l.currency, l.functional_currency, l.day, ${scope.knownAt()}) as now on true
        left join lateral tieout.exchange_rate(l.currency, l.functional_currency, l.day, l.own_known_at) as was on true
        where l.chart_account = 'currency_exchange'
          and (l.account_id, l.entry) in (select account_id, entry from changed where chart_account = 'currency_exchange')
        group by l.account, l.account_word, l.account_id, l.provider, l.functional_currency, l.entry, l.payout_ref, l.day
      )
      select ${columns}, e.event, e.entry || '/' || ${scope.day(from)} as entry, e.chart_account, e.place, null::numeric as amount, e.line_id,
             e.payout_ref, e.decision_id, e.receipt_line_id, true as prior_period, ${scope.day(from)} as date,
             trim_scale(e.amount * (e.rate - coalesce(e.rate_then, 0))) as difference, e.day as rated_on
      from changed as e
      union all
      select ${columns}, 'exchange_difference', e.entry || '/' || ${scope.day(from)}, side.chart_account, side.place, null, e.line_id,
             e.payout_ref, null, e.receipt_line_id, true, ${scope.day(from)}, trim_scale(side.sign * e.difference), e.day
      from exchanged as e
      cross join lateral (values ('currency_exchange', 1, 5), ('exchange_differences', -1, 6)) as side (chart_account, sign, place)
      where e.difference <> 0`;
}

/**
 * The months that were closed before the period, each by what was known then. The last is the one that the period follows; what
 * was known at other times is not a close, and is not corrected.
 */
export function closedMonths(scope: Scope, from: string, priors: ReturnType<Scope["priors"]>): string {
  const closes = priors.map(({ accounts, knownAt }) => `select unnest(${accounts}), ${knownAt}`);
  const setting = (at: string) =>
    `tieout.account_setting(e.account_id, 'functional_currency', ${at}) #>> '{}'`;
  return `
        select e.account_id, ${scope.day("e.from_at")} as first_day, ${scope.day("(e.to_at - interval '1 microsecond')")} as last_day,
               e.known_at, tieout.goes_by(${lateRule}, e.known_at) as corrects,
               e.to_at = ${from} and e.known_at = e.prior_known_at and tieout.goes_by('exchange_differences', e.known_at) as is_last,
               case when ${setting("e.known_at")} = ${setting(scope.knownAt())} then ${setting("e.known_at")} end as functional_currency
        from (
          select distinct on (e.account_id, e.month) e.account_id, e.from_at, e.to_at, e.known_at, closes.known_at as prior_known_at
          from tieout.period_events as e
          join (${closes.join(" union all ")}) as closes (account_id, known_at) on closes.account_id = e.account_id
          where e.event = 'approved'
            and e.to_at <= ${from}
            and e.known_at <= closes.known_at
          order by e.account_id, e.month, e.id desc
        ) as e`;
}

/** By what was known when a day was booked last: at the last close, if that put right what came before; otherwise at that of its own month. */
export function rateThen(corrects: string, priorKnownAt: string, ownKnownAt: string): string {
  return `case when ${corrects} then ${priorKnownAt} else ${ownKnownAt} end`;
}

const nothing = `
      select null::text as account, null::text as account_word, null::int as account_id, null::text as provider, null::text as currency,
             null::timestamptz as at, null::text as event, null::text as entry, null::text as chart_account, null::int as place,
             null::numeric as amount, null::bigint as line_id, null::text as payout_ref, null::bigint as decision_id,
             null::bigint as receipt_line_id, null::boolean as prior_period, null::date as date, null::numeric as difference,
             null::date as rated_on
      where false`;
