import { sql } from "drizzle-orm";
import {
  bigint,
  check,
  customType,
  integer,
  jsonb,
  pgSchema,
  primaryKey,
  text,
  timestamp,
} from "drizzle-orm/pg-core";

/**
 * The tables, as typed here and as generated into `migrations/`. Views, comments, roles and triggers are hand-written
 * migrations: Drizzle has no words for them.
 */
const tieout = pgSchema("tieout");

/** Times are text in this program: a `Date` would drop the microseconds. */
const time = (name: string) => timestamp(name, { withTimezone: true, mode: "string" });

const bytes = customType<{ data: Buffer }>({ dataType: () => "bytea" });

export const accounts = tieout.table(
  "accounts",
  {
    id: integer("id").primaryKey().generatedAlwaysAsIdentity(),
    name: text("name").notNull().unique("account_name_is_unique"),
    baseUrl: text("base_url").notNull(),
    syncStart: time("sync_start").notNull(),
    createdAt: time("created_at")
      .notNull()
      .default(sql`clock_timestamp()`),
  },
  (table) => [check("account_has_a_name", sql`${table.name} <> ''`)],
);

export const auditLog = tieout.table("audit_log", {
  number: bigint("number", { mode: "number" }).primaryKey(),
  at: time("at").notNull(),
  actor: text("actor").notNull(),
  action: text("action").notNull(),
  subject: text("subject").notNull(),
  before: jsonb("before"),
  after: jsonb("after"),
  reason: text("reason"),
  requestId: text("request_id"),
  previousHash: bytes("previous_hash").notNull(),
  hash: bytes("hash").notNull(),
});

export const heartbeats = tieout.table(
  "heartbeats",
  {
    job: text("job").notNull(),
    worker: text("worker").notNull(),
    databaseAt: time("database_at").notNull(),
    workerAt: time("worker_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.job, table.worker] })],
);

export const schema = { accounts, auditLog, heartbeats };
