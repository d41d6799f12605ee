import { customType, pgSchema, timestamp } from "drizzle-orm/pg-core";

/**
 * The tables are typed in this folder and generated into `migrations/0000_tables.sql`. Triggers, functions, views, roles
 * and comments are written by hand in the migrations after it, because Drizzle cannot express them.
 */
export const tieout = pgSchema("tieout");

/** Times are text in this program: a `Date` would drop the microseconds. */
export const time = (name: string) => timestamp(name, { withTimezone: true, mode: "string" });

export const bytes = customType<{ data: Buffer }>({ dataType: () => "bytea" });

/** Without precision: a fixed scale would round. Read as text and made canonical in `core/decimal`. */
export const amount = customType<{ data: string }>({ dataType: () => "numeric" });

export const bits256 = customType<{ data: string }>({ dataType: () => "bit(256)" });

export const multirange = customType<{ data: string }>({ dataType: () => "tstzmultirange" });
