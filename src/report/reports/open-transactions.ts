import { integer, time } from "../column.ts";
import type { Report } from "../report.ts";
import * as shared from "./record-columns.ts";

export const openTransactions: Report = {
  name: "open-transactions",
  version: 1,
  title: "Open transactions",
  purpose: "What may still change: money in transit, and transactions that are stuck.",
  grain: "One row per transaction that is neither completed, failed nor canceled.",
  period: shared.statusPeriod,
  moment: "apart",
  needsCoverage: true,
  account: "t.account_id",
  filters: shared.recordFilters,
  columns: [
    shared.account,
    shared.transactionId,
    shared.status,
    ...shared.statusTimes,
    integer("age_hours", "Full hours from its last status change to the moment of this report."),
    ...shared.recordColumns,
    time("first_seen_at", "When any status of it was first read."),
    time("missing_since_at", "The time since which the aggregator no longer returns it; normally empty."),
    shared.timezone,
  ],
  select: (scope) => `
    select a.name as account,
         t.account_id,
         t.transaction_id,
         t.status,
         t.status_date as status_at,
         ${scope.day("t.status_date")} as status_date,
         floor(extract(epoch from ${scope.asAt()} - t.status_date) / 3600)::bigint as age_hours,${shared.recordSql},
         t.first_seen_at,
         t.missing_since as missing_since_at,
         ${scope.zone()} as timezone
    from ${scope.records()} as t
    join tieout.accounts as a on a.id = t.account_id
    where not t.is_final and ${scope.where}`,
  orderBy: "r.status_at, r.transaction_id, r.account_id",
};
