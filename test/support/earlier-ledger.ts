import type { Queryable } from "../../src/store/database.ts";

/** The migrations of tieout before they were squashed into one set. */
const earlierNames = [
  "0000_foundation",
  "0001_append_only_audit_log",
  "0002_sync",
  "0003_sync_rules",
  "0004_reporting",
  "0005_reconciliation",
  "0006_reconciliation_rules",
  "0007_api_keys",
  "0008_api_keys_rules",
  "0009_exports",
  "0010_exports_rules",
  "0011_reconcile_keys",
  "0012_reconcile_keys_rules",
  "0013_web",
  "0014_web_rules",
  "0015_reconcile_histories",
  "0016_reconcile_views",
  "0017_reporting_statements",
  "0018_comments",
  "0019_balance_lines",
  "0020_balance_lines_rules",
];

/** Makes an empty database look like one that an earlier tieout has migrated. */
export async function makeEarlierLedger(database: Queryable): Promise<void> {
  await database.query("create schema tieout");
  await database.query(
    `create table tieout.migrations (
       number integer primary key,
       name text not null,
       sha256 text not null,
       applied_at timestamptz not null default clock_timestamp()
     )`,
  );
  await database.query(
    `insert into tieout.migrations (number, name, sha256)
     select place, name, encode(sha256(name::bytea), 'hex')
     from unnest($1::text[]) with ordinality as earlier (name, place)`,
    [earlierNames],
  );
}
