import { customType, pgSchema, timestamp } from "drizzle-orm/pg-core";

/**
 * The tables, as typed in this folder and as generated into `migrations/`. Views, comments, roles and triggers are
 * hand-written migrations: Drizzle has no words for them.
 */
export const tieout = pgSchema("tieout");

/** Times are text in this program: a `Date` would drop the microseconds. */
export const time = (name: string) => timestamp(name, { withTimezone: true, mode: "string" });

export const bytes = customType<{ data: Buffer }>({ dataType: () => "bytea" });

/** Without precision: a fixed scale would round. Read as text and made canonical in `core/decimal`. */
export const amount = customType<{ data: string }>({ dataType: () => "numeric" });

export const bits256 = customType<{ data: string }>({ dataType: () => "bit(256)" });

export const multirange = customType<{ data: string }>({ dataType: () => "tstzmultirange" });
