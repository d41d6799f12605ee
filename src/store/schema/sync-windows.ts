import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, smallint, text } from "drizzle-orm/pg-core";
import { accountId } from "./accounts.ts";
import { bigint, bits256, checks, id, tieout, time } from "./columns.ts";

/** Every window ever planned. Leases and fences are here, timed by the database's clock. */
export const syncWindows = tieout.table(
  "sync_windows",
  {
    id: id(),
    accountId: accountId(),
    kind: text("kind").notNull(),
    level: smallint("level").notNull().default(0),
    rangeFrom: time("range_from").notNull(),
    rangeTo: time("range_to").notNull(),
    state: text("state").notNull().default("planned"),
    parentId: bigint("parent_id"),
    cursor: text("cursor"),
    fence: bigint("fence").notNull().default(0),
    leaseUntil: time("lease_until"),
    worker: text("worker"),
    notBefore: time("not_before"),
    failures: integer("failures").notNull().default(0),
    restarts: integer("restarts").notNull().default(0),
    errorCode: text("error_code"),
    error: text("error"),
    pages: integer("pages").notNull().default(0),
    read: integer("read").notNull().default(0),
    added: integer("added").notNull().default(0),
    quarantined: integer("quarantined").notNull().default(0),
    vanished: integer("vanished").notNull().default(0),
    digest: bits256("digest")
      .notNull()
      .default(sql`0::bit(256)`),
    endedBy: text("ended_by"),
    plannedAt: time("planned_at")
      .notNull()
      .default(sql`clock_timestamp()`),
    startedAt: time("started_at"),
    sealedAt: time("sealed_at"),
  },
  (table) => [
    ...checks({
      window_is_not_empty: sql`${table.rangeFrom} < ${table.rangeTo}`,
      window_kind_is_known: sql`${table.kind} in ('live', 'backfill', 'lookback', 'deep', 'refresh', 'event')`,
      window_state_is_known: sql`${table.state} in ('planned', 'walking', 'sealed', 'split', 'failed')`,
      walking_window_is_leased: sql`${table.state} <> 'walking' or ${table.leaseUntil} is not null`,
      sealed_window_has_ended: sql`(${table.state} = 'sealed') = (${table.sealedAt} is not null)`,
    }),
    index("open_windows")
      .on(table.accountId, table.kind, table.rangeTo)
      .where(sql`state in ('planned', 'walking', 'failed')`),
    index("windows_by_end").on(table.accountId, table.rangeTo),
    index("sealed_windows")
      .on(table.accountId, table.sealedAt)
      .where(sql`state = 'sealed'`),
  ],
);

/** What a deep re-read found to differ from what we had. */
export const syncFindings = tieout.table(
  "sync_findings",
  {
    windowId: bigint("window_id").notNull(),
    accountId: integer("account_id").notNull(),
    transactionId: text("transaction_id").notNull(),
    finding: text("finding").notNull(),
    foundAt: time("found_at")
      .notNull()
      .default(sql`clock_timestamp()`),
  },
  (table) => [
    primaryKey({ columns: [table.windowId, table.transactionId, table.finding] }),
    index("findings_by_transaction").on(table.accountId, table.transactionId),
    check("finding_is_known", sql`${table.finding} in ('appeared', 'changed', 'vanished', 'returned')`),
  ],
);

/** Transactions that a deep re-read has seen so far, to find at its end which ones it did not see. */
export const deepReadSeen = tieout.table(
  "deep_read_seen",
  {
    windowId: bigint("window_id").notNull(),
    transactionId: text("transaction_id").notNull(),
  },
  (table) => [primaryKey({ columns: [table.windowId, table.transactionId] })],
);
