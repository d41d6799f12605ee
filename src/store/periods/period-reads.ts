import { and, asc, eq, getTableColumns } from "drizzle-orm";
import { type AccountReader, seenBy } from "../conditions.ts";
import type { Queryable } from "../database.ts";
import { periodEvents, periods } from "../schema/periods.ts";

export type PeriodRow = typeof periods.$inferSelect;
export type PeriodState = "open" | "prepared" | "closed" | "reopened";

/** Checklist and accepted lines are JSON as they were signed: their amounts are texts. */
export type PeriodEventRow = typeof periodEvents.$inferSelect;

/** Periods that someone has signed; all others are open. */
export async function listPeriodRows(reader: AccountReader): Promise<PeriodRow[]> {
  return reader.database.orm
    .select()
    .from(periods)
    .where(seenBy(reader, periods.accountId))
    .orderBy(asc(periods.accountId), asc(periods.month));
}

export async function readPeriodRow(
  database: Queryable,
  { accountId, month }: { accountId: number; month: string },
): Promise<PeriodRow | null> {
  const [row] = await database.orm
    .select()
    .from(periods)
    .where(and(eq(periods.accountId, accountId), eq(periods.month, month)));
  return row ?? null;
}

/** What happened to a period, oldest first. */
export async function listPeriodEvents(
  database: Queryable,
  { accountId, month }: { accountId: number; month: string },
): Promise<PeriodEventRow[]> {
  return database.orm
    .select(getTableColumns(periodEvents))
    .from(periodEvents)
    .where(and(eq(periodEvents.accountId, accountId), eq(periodEvents.month, month)))
    .orderBy(asc(periodEvents.id));
}

/** What has become known since a period was signed and lies before its end. */
export async function listChanges(
  database: Queryable,
  { accountId, to, knownAt }: { accountId: number; to: string; knownAt: string },
): Promise<{ fact: string; changes: number }[]> {
  return database.query<{ fact: string; changes: number }>(
    `select fact, changes::int
     from tieout.changes_since($1::int, $2::timestamptz, $3::timestamptz)
     order by fact`,
    [accountId, to, knownAt],
  );
}
