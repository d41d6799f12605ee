import { text } from "../column.ts";
import type { Column, Report } from "../report.ts";
import * as shared from "./record-columns.ts";

const rate = (name: string, description: string): Column => ({ name, type: "amount", description });

/** Quotients have no end; Postgres keeps at least 16 significant digits of them. */
export const rates: Report = {
  name: "rates",
  version: 1,
  title: "Effective rates",
  purpose:
    "What customers really paid for a unit, by transaction, compared with their provider and with all providers that day.",
  grain: "One row per completed transaction with both amounts.",
  period: shared.statusPeriodAsItEnded,
  moment: "period_end_or_asked",
  needsCoverage: true,
  account: "t.account_id",
  filters: {
    provider: "t.provider",
    transaction_type: "t.transaction_type",
    source_currency: "lower(t.source_currency)",
    target_currency: "lower(t.target_currency)",
    payment_method: "t.payment_method",
    country: "t.country",
  },
  columns: [
    shared.account,
    shared.transactionId,
    shared.provider,
    shared.transactionType,
    text("payment_method", "Payment method id, as received."),
    text("country", "Country code, as received."),
    ...shared.statusTimes,
    shared.sourceCurrency,
    shared.inAmount,
    shared.targetCurrency,
    shared.outAmount,
    rate("rate", "in_amount / out_amount: what one unit of target_currency cost, all fees included."),
    rate("inverse_rate", "out_amount / in_amount: how much one unit of source_currency bought."),
    rate("provider_rate", "The same over all rows of this provider, type, pair and day: sum in / sum out."),
    rate("all_providers_rate", "The same over all providers."),
    rate(
      "difference_percent",
      "How much more expensive (negative: cheaper) it was than all_providers_rate, in percent with four decimals.",
    ),
    shared.timezone,
  ],
  select: (scope) => `
    select t.*,
         trim_scale(t.in_amount / t.out_amount) as rate,
         trim_scale(t.out_amount / t.in_amount) as inverse_rate,
         trim_scale(sum(t.in_amount) over of_provider / sum(t.out_amount) over of_provider) as provider_rate,
         trim_scale(sum(t.in_amount) over of_all / sum(t.out_amount) over of_all) as all_providers_rate,
         round((t.in_amount / t.out_amount) / (sum(t.in_amount) over of_all / sum(t.out_amount) over of_all) * 100 - 100, 4)
           as difference_percent,
         ${scope.zone()} as timezone
    from (
      select a.name as account, t.account_id, t.transaction_id, t.provider, t.transaction_type, t.payment_method,
             t.country, t.status_date as status_at, ${scope.day("t.status_date")} as status_date,
             t.source_currency, t.in_amount, t.target_currency, t.out_amount
      from ${scope.records()} as t
      join tieout.accounts as a on a.id = t.account_id
      where t.status = 'completed' and t.in_amount > 0 and t.out_amount > 0 and ${scope.where}
    ) as t
    window of_provider as (partition by status_date, transaction_type, source_currency, target_currency, provider),
           of_all as (partition by status_date, transaction_type, source_currency, target_currency)`,
  orderBy: "r.status_at, r.transaction_id, r.account_id",
};
