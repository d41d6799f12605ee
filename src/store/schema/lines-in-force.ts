import { sql } from "drizzle-orm";
import { check, integer, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import { bigint, tieout, time } from "./columns.ts";

/** When a version of a line does not count: a newer version stands in its place, or every file with it is withdrawn. */
export const lineRetirements = tieout.table(
  "line_retirements",
  {
    lineId: bigint("line_id").notNull(),
    retiredAt: time("retired_at").notNull(),
    restoredAt: time("restored_at"),
    reason: text("reason").notNull(),
    statementId: bigint("statement_id").notNull(),
  },
  (table) => [
    primaryKey({ name: "line_retires_once_at_a_time", columns: [table.lineId, table.retiredAt] }),
    uniqueIndex("line_is_retired_once_at_a_time")
      .on(table.lineId)
      .where(sql`restored_at is null`),
    check("retirement_reason_is_known", sql`${table.reason} in ('superseded', 'withdrawn')`),
    check("retirement_ends_after_it_begins", sql`${table.restoredAt} >= ${table.retiredAt}`),
  ],
);

/**
 * The file in force that carries a line, where it is not the one that first brought it: a correction, an overlap or a
 * re-issue has it too and was made later. Few rows beside the lines; `line_files` is the place to ask.
 */
export const lineCarriers = tieout.table(
  "line_carriers",
  {
    lineId: bigint("line_id").notNull(),
    sinceAt: time("since_at").notNull(),
    untilAt: time("until_at"),
    statementId: bigint("statement_id").notNull(),
    lineNo: integer("line_no").notNull(),
  },
  (table) => [
    primaryKey({ name: "line_has_one_carrier_since_a_time", columns: [table.lineId, table.sinceAt] }),
    uniqueIndex("line_has_one_carrier_at_a_time")
      .on(table.lineId)
      .where(sql`until_at is null`),
    check("carrier_ends_after_it_begins", sql`${table.untilAt} >= ${table.sinceAt}`),
  ],
);
