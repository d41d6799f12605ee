import type { Report } from "../report.ts";
import * as shared from "./record-columns.ts";

export const quarantine: Report = {
  name: "quarantine",
  version: 1,
  title: "Quarantine",
  purpose: "Records that could not be understood, so that somebody can ask the aggregator about them.",
  grain: "One row per distinct text of a record.",
  period: { description: "the time it was first read (first_seen_at)", column: "t.first_seen_at" },
  needsCoverage: false,
  account: "t.account_id",
  filters: { reason: "t.reason" },
  columns: [
    shared.account,
    { name: "reason", type: "text", description: "Why it could not be understood." },
    { name: "field", type: "text", description: "The field at fault, if there is one." },
    {
      name: "raw",
      type: "text",
      wallets: "withheld",
      description:
        "The record as received; empty without wallets:read, because it may hold a wallet address.",
    },
    { name: "raw_hash", type: "text", description: "SHA-256 of the text, in hexadecimal." },
    { name: "window_id", type: "integer", description: "The window that first read it." },
    { name: "window_from_at", type: "time", description: "Start of that window." },
    { name: "window_to_at", type: "time", description: "End of that window, exclusive." },
    { name: "first_seen_at", type: "time", description: "When it was first read." },
    { name: "last_seen_at", type: "time", description: "When it was last read." },
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
