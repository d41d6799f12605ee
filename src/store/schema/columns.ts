import type { SQL } from "drizzle-orm";
import { bigint as bigintColumn, check, customType, pgSchema, timestamp } from "drizzle-orm/pg-core";

/**
 * The tables are typed in this folder and generated into `migrations/0000_tables.sql`. Triggers, functions, views, roles
 * and comments are written by hand in the migrations after it, because Drizzle cannot express them.
 */
export const tieout = pgSchema("tieout");

/** Times are text in this program: a `Date` would drop the microseconds. */
export const time = (name: string) => timestamp(name, { withTimezone: true, mode: "string" });

/** A number in this program: nothing here counts beyond 2^53. */
export const bigint = (name: string) => bigintColumn(name, { mode: "number" });

export const id = () => bigint("id").primaryKey().generatedAlwaysAsIdentity();

export const bytes = customType<{ data: Buffer }>({ dataType: () => "bytea" });

/** Without precision: a fixed scale would round. Read as text, in the canonical form: `1.50` was stored, `1.5` is read. */
export const amount = customType<{ data: string; driverData: string }>({
  dataType: () => "numeric",
  fromDriver: (text) => (text.includes(".") ? text.replace(/\.?0+$/, "") : text),
});

export const bits256 = customType<{ data: string }>({ dataType: () => "bit(256)" });

export const multirange = customType<{ data: string }>({ dataType: () => "tstzmultirange" });

/** What must be true of every row of a table, each rule under the name that its violation is reported by. */
export const checks = (rules: Readonly<Record<string, SQL>>) =>
  Object.entries(rules).map(([name, rule]) => check(name, rule));
