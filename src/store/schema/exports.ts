import { sql } from "drizzle-orm";
import { boolean, index, integer, jsonb, text } from "drizzle-orm/pg-core";
import { bigint, bytes, checks, tieout, time } from "./columns.ts";

export interface ExportFile {
  /** For the reader. */
  name: string;
  /** In the folder of exports: no two attempts ever write the same one. */
  storedAs: string;
  rows: number;
  bytes: number;
  sha256: string;
}

/** Report runs. Like a window, a run is leased by a worker and fenced by its attempt, by the database's clock. */
export const exports = tieout.table(
  "exports",
  {
    id: text("id").primaryKey(),
    report: text("report").notNull(),
    format: text("format", { enum: ["csv", "jsonl", "xlsx", "parquet"] }).notNull(),
    parameters: jsonb("parameters").$type<Readonly<Record<string, readonly string[]>>>().notNull(),
    actor: text("actor").notNull(),
    /** The accounts that the caller may see; null for all. */
    accountIds: integer("account_ids").array(),
    wallets: boolean("wallets").notNull(),
    linkSecret: bytes("link_secret").notNull(),
    state: text("state", { enum: ["queued", "running", "succeeded", "failed", "cancelled", "expired"] })
      .notNull()
      .default("queued"),
    attempt: integer("attempt").notNull().default(0),
    worker: text("worker"),
    leaseUntil: time("lease_until"),
    asOf: time("as_of"),
    rowsWritten: bigint("rows_written").notNull().default(0),
    rowsTotal: bigint("rows_total"),
    totals: jsonb("totals"),
    files: jsonb("files").$type<ExportFile[]>(),
    errorCode: text("error_code"),
    error: text("error"),
    createdAt: time("created_at")
      .notNull()
      .default(sql`clock_timestamp()`),
    startedAt: time("started_at"),
    finishedAt: time("finished_at"),
    expiresAt: time("expires_at"),
  },
  (table) => [
    index("exports_by_age").on(table.createdAt, table.id),
    index("exports_unfinished")
      .on(table.createdAt)
      .where(sql`state in ('queued', 'running')`),
    ...checks({
      export_format_is_known: sql`${table.format} in ('csv', 'jsonl', 'xlsx', 'parquet')`,
      export_state_is_known: sql`${table.state} in ('queued', 'running', 'succeeded', 'failed', 'cancelled', 'expired')`,
      running_export_is_leased: sql`${table.state} <> 'running' or ${table.leaseUntil} is not null`,
      succeeded_export_is_complete: sql`${table.state} <> 'succeeded'
        or (${table.files} is not null and ${table.totals} is not null and ${table.asOf} is not null and ${table.expiresAt} is not null)`,
      failed_export_says_why: sql`${table.state} <> 'failed' or ${table.error} is not null`,
    }),
  ],
);
