import { boolean, time } from "../column.ts";
import type { Report } from "../report.ts";
import * as shared from "./record-columns.ts";

export const transactions: Report = {
  name: "transactions",
  version: 1,
  title: "Transactions",
  purpose: "Every transaction as it stands: the list that the books are tied out against.",
  grain: "One row per transaction, at its latest status.",
  period: shared.statusPeriod,
  moment: "apart",
  needsCoverage: true,
  account: "t.account_id",
  filters: shared.recordFilters,
  columns: [
    shared.account,
    shared.transactionId,
    shared.status,
    boolean("is_final", "Whether the status is normally the last."),
    ...shared.statusTimes,
    ...shared.recordColumns,
    shared.recordHash,
    time("first_seen_at", "When any status of it was first read."),
    time("last_changed_at", "When its latest status row last changed here."),
    time("missing_since_at", "The time since which the aggregator no longer returns it; normally empty."),
    shared.timezone,
  ],
  select: (scope) => `
    select a.name as account,
         t.account_id,
         t.transaction_id,
         t.status,
         t.is_final,
         t.status_date as status_at,
         ${scope.day("t.status_date")} as status_date,${shared.recordSql},
         encode(t.record_hash, 'hex') as record_hash,
         t.first_seen_at,
         t.last_changed_at,
         t.missing_since as missing_since_at,
         ${scope.zone()} as timezone
    from ${scope.records()} as t
    join tieout.accounts as a on a.id = t.account_id
    where ${scope.where}`,
  orderBy: "r.status_at, r.transaction_id, r.account_id",
};
