import { boolean, integer, text, time } from "../column.ts";
import type { Report } from "../report.ts";
import * as shared from "./record-columns.ts";

export const transactionStatuses: Report = {
  name: "transaction-statuses",
  version: 1,
  title: "Transaction statuses",
  purpose: "The whole history: what the aggregator said of each transaction, and when we read it.",
  grain: "One row per distinct record ever read; several per transaction.",
  period: shared.statusPeriod,
  moment: "apart",
  needsCoverage: true,
  account: "t.account_id",
  filters: shared.recordFilters,
  columns: [
    shared.account,
    shared.transactionId,
    shared.status,
    text("received_status", "The word received, where it was folded into another."),
    ...shared.statusTimes,
    ...shared.recordColumns,
    shared.recordHash,
    integer("hash_version", "Which form of the record was hashed."),
    text("extra", "Fields the specification does not name, as JSON; empty without wallets:read.", {
      wallets: "withheld",
    }),
    time("first_seen_at", "When we first read this record."),
    boolean("is_latest", "Whether this is the row that the transaction stands at."),
    shared.timezone,
  ],
  select: (scope) => `
    select a.name as account,
         t.account_id,
         t.transaction_id,
         t.status,
         t.received_status,
         t.status_date as status_at,
         ${scope.day("t.status_date")} as status_date,${shared.recordSql},
         encode(t.record_hash, 'hex') as record_hash,
         t.hash_version,
         t.extra::text as extra,
         t.first_seen_at,
         case
           when latest.status_date < ${scope.asAt()} and latest.last_changed_at <= ${scope.knownAt()}
             then latest.record_hash = t.record_hash
           else t.record_hash = (
             select s.record_hash
             from tieout.record_at(t.account_id, t.transaction_id, ${scope.asAt()}, ${scope.knownAt()}) as s
           )
         end as is_latest,
         ${scope.zone()} as timezone
    from tieout.transaction_statuses as t
    join tieout.accounts as a on a.id = t.account_id
    join tieout.transactions as latest on latest.account_id = t.account_id and latest.transaction_id = t.transaction_id
    where t.status_date < ${scope.asAt()} and t.first_seen_at <= ${scope.knownAt()} and ${scope.where}`,
  orderBy: "r.account_id, r.status_at, r.transaction_id, r.record_hash",
};
