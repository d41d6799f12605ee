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

/** The first of two signatures: of a month that is to be closed, or reopened. */
export interface FirstSignature {
  account: string;
  month: string;
  event: "prepared" | "reopen_asked";
  actor: string;
  name: string;
  vouchedBy: string | null;
  reason: string | null;
}

/** Of every month that waits for its second. */
export async function listFirstSignatures(reader: AccountReader): Promise<FirstSignature[]> {
  return reader.database.query<FirstSignature>(
    `select a.name as account, p.month, e.event, e.actor, e.actor_name as name,
            e.vouched_by as "vouchedBy", e.reason
     from tieout.periods as p
     join tieout.accounts as a on a.id = p.account_id
     cross join lateral (
       select e.*
       from tieout.period_events as e
       where e.account_id = p.account_id
         and e.month = p.month
         and e.event = case p.state when 'prepared' then 'prepared' else 'reopen_asked' end
       order by e.id desc
       limit 1
     ) as e
     where (p.state = 'prepared' or p.reopen_asked_by is not null)
       and ($1::int[] is null or p.account_id = any ($1::int[]))
     order by p.account_id, p.month`,
    [reader.accountIds],
  );
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
