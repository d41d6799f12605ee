import { decimal, text } from "../../column.ts";
import type { Column, Report, Scope } from "../../report.ts";
import { exchangeDifferences } from "./exchange-differences.ts";
import * as shared from "./shared-columns.ts";

/**
 * What providers owe us by their own lines: each line is earned or lost on its day, and what a provider says it paid is
 * taken off on the day it says so. `unexplained` is computed from the sums and has to be zero.
 */
export const receivable: Report = {
  ...shared.ofBooks,
  ...shared.rolledForward,
  name: "receivable",
  title: "Receivable",
  purpose: "What each provider owed us at the start, what was added and paid, and what it owes at the end.",
  grain: "One row per account, provider and currency.",
  showsPriorPeriod: true,
  totalsFirst: ["opening", "closing", "unexplained"],
  filters: { provider: "x.provider", currency: "upper(x.currency)" },
  columns: [
    shared.account,
    shared.provider,
    text("currency", "Currency of all amounts: the one in which they are owed."),
    shared.amount(
      "opening",
      "Owed to us at the start of the period; after a closed month, as it was signed.",
    ),
    shared.amount(
      "prior_period",
      "Plus: what has become known about earlier days since that month was signed (prior_known_at); zero if none was.",
    ),
    shared.amount("earned", "Plus: the net of charges and commissions, as the lines state it."),
    shared.amount("fees", "Less: fees that are lines of their own."),
    shared.amount("reversed", "Less: refunds and chargebacks, except those won back."),
    shared.amount(
      "adjusted",
      "Plus: adjustments, reserves and the rounding of tied payouts, with their sign.",
    ),
    shared.amount(
      "converted",
      "Plus: what was converted into this currency because the payout was made in it; less: what was converted out of it.",
    ),
    shared.amount("paid_out", "Less: payouts that the provider has declared."),
    shared.amount(
      "written_off",
      "Less: what was written off of the receivable: payout_sum_mismatch and payout_overdue. A declared payout is in transit and no longer in the receivable: see written_off in payout-reconciliation.",
    ),
    shared.amount("closing", "Owed to us at the end."),
    shared.amount(
      "unexplained",
      "closing less (opening + prior_period + earned - fees - reversed + adjusted + converted - paid_out - written_off): zero.",
    ),
    decimal("functional_closing", "closing at the rate of the last day, not rounded.", {
      currency: "functional_currency",
    }),
    ...shared.inFunctional,
    inFunctional(
      "functional_opening",
      "opening at the rate of the day before the period; with prior_known_at, its value at that time. Empty without a rate, like the next two.",
    ),
    inFunctional("functional_moved", "Plus: every movement up to closing, at the rate of its day."),
    inFunctional(
      "exchange_difference",
      "Plus: the effect of changed rates, up to functional_closing. The journal books it as exchange_difference.",
    ),
  ],
  select: (scope) => `
    select a.name as account, x.*, functional.currency as functional_currency, worth.rate, worth.rate_date,
           worth.source as rate_source, trim_scale(x.closing * worth.rate) as functional_closing,
           case when functional.currency is not null then worth.rate is null end as rate_missing,
           trim_scale(x.closing - (x.opening + x.prior_period + x.earned - x.fees - x.reversed + x.adjusted + x.converted
             - x.paid_out - x.written_off)) as unexplained,
           rated.opening as functional_opening, case when rated.is_complete then rated.moved end as functional_moved,
           case when rated.is_complete then trim_scale(rated.of_earlier + rated.difference) end as exchange_difference
    from (${rolledForward(scope)}
    ) as x
    join tieout.accounts as a on a.id = x.account_id
    cross join lateral (
      select tieout.account_setting(x.account_id, 'functional_currency', ${scope.knownAt()}) #>> '{}'
    ) as functional (currency)
    left join lateral tieout.exchange_rate(
      x.currency, functional.currency, ${scope.day(`(${scope.asAt()} - interval '1 microsecond')`)}, ${scope.knownAt()}
    ) as worth on functional.currency is not null
    left join (
      -- Once: joined in a loop, every rate would be looked up again for each row of the report.
      with balances as materialized (
        select * from (${exchangeDifferences(scope)}
        ) as one
        where chart_account = 'receivable'
      )
      select * from balances
    ) as rated on rated.account_id = x.account_id and rated.provider = x.provider and rated.currency = x.currency
    where ${scope.where}`,
  orderBy: "r.account, r.provider, r.currency",
};

function inFunctional(name: string, description: string): Column {
  return { name, type: "amount", currency: "functional_currency", description };
}

function rolledForward(scope: Scope): string {
  const from = scope.from() ?? "'-infinity'::timestamptz";
  const accounts = scope.accounts();
  const priors = scope.priors();
  const during = (step: string, sign = "") =>
    `trim_scale(${sign}coalesce(sum(amount) filter (where step = '${step}' and is_during and not was_closed), 0))`;
  const before = "coalesce(sum(amount) filter (where not is_during and not was_closed), 0)";
  const closed = "coalesce(sum(amount) filter (where was_closed), 0)";
  const closedThen = priors.map(
    (prior) => `
        union all
        select account_id, provider, currency, at, step, amount, true
        from tieout.claim_movements(${prior.accounts}, ${prior.knownAt})
        where at < ${from}`,
  );
  // Each account follows from its own close, and one without any from what is known of it.
  const isClosed = priors.map((prior) => `account_id = any (${prior.accounts})`).join(" or ") || "false";
  return `
      select account_id, provider, currency,
             trim_scale(case when ${isClosed} then ${closed} else ${before} end) as opening,
             trim_scale(case when ${isClosed} then ${before} - ${closed} else 0 end) as prior_period,
             ${during("earned")} as earned,
             ${during("fees", "-")} as fees,
             ${during("reversed", "-")} as reversed,
             ${during("adjusted")} as adjusted,
             ${during("converted")} as converted,
             ${during("paid_out", "-")} as paid_out,
             ${during("written_off", "-")} as written_off,
             trim_scale(coalesce(sum(amount) filter (where not was_closed), 0)) as closing
      from (             -- each movement is looked at once; what is left is a few rows
        select account_id, provider, currency, step, at >= ${from} as is_during, was_closed, sum(amount) as amount
        from (
          select account_id, provider, currency, at, step, amount, false as was_closed
          from tieout.claim_movements(${accounts}, ${scope.knownAt()})
          where at < ${scope.asAt()}${closedThen.join("")}
        ) as one
        group by account_id, provider, currency, step, is_during, was_closed
      ) as m
      group by account_id, provider, currency`;
}
