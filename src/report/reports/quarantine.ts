import { integer, text, time } from "../column.ts";
import type { Report } from "../report.ts";
import * as shared from "./record-columns.ts";

export const quarantine: Report = {
  name: "quarantine",
  version: 1,
  title: "Quarantine",
  purpose: "Records that could not be understood, so that someone can ask the aggregator about them.",
  grain: "One row per distinct text of a record.",
  period: { description: "the time it was first read (first_seen_at)", column: "t.first_seen_at" },
  needsCoverage: false,
  account: "t.account_id",
  filters: { reason: "t.reason" },
  columns: [
    shared.account,
    text("reason", "Why it could not be understood."),
    text("field", "The field at fault, if there is one."),
    text("raw", "The record as received; empty without wallets:read, because it may hold a wallet address.", {
      wallets: "withheld",
    }),
    text("raw_hash", "SHA-256 of the text, in hexadecimal."),
    integer("window_id", "The window that first read it."),
    time("window_from_at", "Start of that window."),
    time("window_to_at", "End of that window, exclusive."),
    time("first_seen_at", "When it was first read."),
    time("last_seen_at", "When it was last read."),
  ],
  select: (scope) => `
    select a.name as account,
         t.account_id,
         t.reason,
         t.field,
         t.raw,
         encode(t.raw_hash, 'hex') as raw_hash,
         t.window_id,
         w.range_from as window_from_at,
         w.range_to as window_to_at,
         t.first_seen_at,
         t.last_seen_at
    from tieout.quarantined_records as t
    join tieout.accounts as a on a.id = t.account_id
    left join tieout.sync_windows as w on w.id = t.window_id
    where ${scope.where}`,
  orderBy: "r.first_seen_at, r.account_id, r.raw_hash",
};
