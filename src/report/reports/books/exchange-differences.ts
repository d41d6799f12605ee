import type { Scope } from "../../report.ts";

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
 * months: a rate of theirs has changed since, or they were closed before exchange differences were booked. What depends on
 * a missing rate is null.
 */
export function exchangeDifferences(scope: Scope): string {
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
  /** Nothing is said about a sum of which a part is not known. */
  const worthOf = (parts: string) =>
    `case when coalesce(bool_and(worth is not null or amount = 0) filter (where part in (${parts})), true) then ${sumOf("worth", parts)} end`;
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
      ), valued as materialized (
        select p.*, functional.currency as functional_currency, functional.prior_currency, functional.prior_known_at,
               p.amount * known.rate as worth
        from (
          select * from posted${from === null ? "" : learntSince(scope, from)}
        ) as p
        join functional on functional.account_id = p.account_id and functional.currency is not null
        left join lateral tieout.exchange_rate(
          p.currency, functional.currency, p.day, case p.part when 'unvalued' then functional.prior_known_at else ${knownAt} end
        ) as known on p.part in ('during', 'learnt', 'unvalued')
      ), summed as (
        select account_id, provider, currency, chart_account, functional_currency, prior_currency, prior_known_at,
               case when prior_known_at is null then ${sumOf("amount", "'before'")} else ${sumOf("amount", "'closed', 'unvalued'")} end as opening,
               ${sumOf("amount", "'during', 'learnt'")} as moved,
               ${worthOf("'during', 'learnt'")} as moved_worth,
               ${worthOf("'unvalued'")} as unvalued_worth,
               bool_or(part = 'unvalued') as is_unvalued
        from valued
        group by account_id, provider, currency, chart_account, functional_currency, prior_currency, prior_known_at
      )
      select s.account_id, s.provider, s.currency, s.chart_account, trim_scale(carried.opening) as opening,
             trim_scale(s.moved_worth) as moved, trim_scale(base.opening - carried.opening) as of_earlier,
             case when s.chart_account in (${monetary}) then trim_scale(
               ${worth("(s.opening + s.moved)", rateOn(dayBefore(asAt), knownAt))} - base.opening - s.moved_worth
             ) end as difference
      from summed as s
      cross join lateral (select ${openingWorth(knownAt)}) as base (opening)
      cross join lateral (
        select case
                 when s.prior_currency is distinct from s.functional_currency then base.opening
                 when s.is_unvalued then s.unvalued_worth
                 else ${openingWorth("s.prior_known_at")}
               end
      ) as carried (opening)`;
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
