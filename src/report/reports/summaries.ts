import { date, decimal, time } from "../column.ts";
import type { Column, Report } from "../report.ts";
import * as shared from "./record-columns.ts";

const count = (name: string, description: string): Column => ({ name, type: "integer", description });

/** Joined after grouping. Joined before, the planner underestimates the rows a hundredfold and sorts them all on disk. */
const namedAfterwards = "join tieout.accounts as a on a.id = t.account_id";

export const dailySummary: Report = {
  name: "daily-summary",
  version: 1,
  title: "Daily summary",
  purpose: "Volume by day: what to compare with a provider's dashboard or a bank statement.",
  grain: "One row per account, day, provider, type, status and pair of currencies.",
  period: shared.statusPeriodAsItEnded,
  moment: "period_end_or_asked",
  needsCoverage: true,
  account: "t.account_id",
  filters: shared.recordFilters,
  columns: [
    shared.account,
    date("date", "The calendar day of the status in the report's zone."),
    shared.provider,
    shared.transactionType,
    shared.status,
    shared.sourceCurrency,
    shared.targetCurrency,
    count("transactions", "How many."),
    { ...shared.inAmount, description: "Sum of what the customers give." },
    { ...shared.outAmount, description: "Sum of what the customers get." },
    shared.timezone,
  ],
  select: (scope) => `
    select a.name as account, t.*, ${scope.zone()} as timezone
    from (
      select t.account_id,
           t.date,
           t.provider,
           t.transaction_type,
           t.status,
           t.source_currency,
           t.target_currency,
           count(*) as transactions,
           trim_scale(sum(t.in_amount)) as in_amount,
           trim_scale(sum(t.out_amount)) as out_amount
      from (
        select t.*, ${scope.day("t.status_date")} as date
        from ${scope.records()} as t
        where ${scope.where}
      ) as t
      group by t.account_id, t.date, t.provider, t.transaction_type, t.status, t.source_currency, t.target_currency
    ) as t
    ${namedAfterwards}`,
  orderBy: `r.date, r.account, r.provider, r.transaction_type, r.status, r.source_currency, r.target_currency`,
};

export const providerSummary: Report = {
  name: "provider-summary",
  version: 1,
  title: "Provider summary",
  purpose:
    "How each provider did in the period: volume, and how many of its transactions reached a final status.",
  grain: "One row per account, provider, type and pair of currencies.",
  period: shared.statusPeriodAsItEnded,
  moment: "period_end_or_asked",
  needsCoverage: true,
  account: "t.account_id",
  filters: shared.recordFilters,
  columns: [
    shared.account,
    shared.provider,
    shared.transactionType,
    shared.sourceCurrency,
    shared.targetCurrency,
    count("transactions", "How many."),
    count("completed", "How many of them are completed."),
    count("failed", "How many have failed."),
    count("canceled", "How many were canceled."),
    count("open", "How many may still change."),
    decimal(
      "completed_percent",
      "The percentage of final ones that were completed, with two decimals; empty if none is final.",
    ),
    { ...shared.inAmount, description: "Sum of what the customers gave, completed transactions only." },
    { ...shared.outAmount, description: "Sum of what the customers got, completed transactions only." },
    time("first_status_at", "The earliest status time among them."),
    time("last_status_at", "The latest status time among them."),
  ],
  select: (scope) => `
    select a.name as account, t.*
    from (
      select t.account_id,
           t.provider,
           t.transaction_type,
           t.source_currency,
           t.target_currency,
           count(*) as transactions,
           count(*) filter (where t.status = 'completed') as completed,
           count(*) filter (where t.status = 'failed') as failed,
           count(*) filter (where t.status = 'canceled') as canceled,
           count(*) filter (where not t.is_final) as open,
           round(100.0 * count(*) filter (where t.status = 'completed')
                 / nullif(count(*) filter (where t.is_final), 0), 2) as completed_percent,
           trim_scale(sum(t.in_amount) filter (where t.status = 'completed')) as in_amount,
           trim_scale(sum(t.out_amount) filter (where t.status = 'completed')) as out_amount,
           min(t.status_date) as first_status_at,
           max(t.status_date) as last_status_at
      from ${scope.records()} as t
      where ${scope.where}
      group by t.account_id, t.provider, t.transaction_type, t.source_currency, t.target_currency
    ) as t
    ${namedAfterwards}`,
  orderBy: "r.account, r.provider, r.transaction_type, r.source_currency, r.target_currency",
};
