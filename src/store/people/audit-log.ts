import { getTableColumns, sql } from "drizzle-orm";
import { anyOf, type Filters } from "../conditions.ts";
import type { Database, Queryable, Transaction } from "../database.ts";
import type { Page, PageWanted } from "../keyset.ts";
import { auditLog } from "../schema/audit-log.ts";
import { pagingBy, selectPage } from "../select-page.ts";

/** Who does it, and in which request, if in any. */
export interface Author {
  readonly actor: string;
  readonly requestId?: string | undefined;
}

export interface AuditEntry extends Author {
  action: string;
  subject: string;
  before?: unknown;
  after?: unknown;
  reason?: string | undefined;
}

/** Written in the database transaction of the change itself: there is no change without its entry, and no entry without. */
export async function recordAudit(tx: Transaction, entry: AuditEntry): Promise<void> {
  await tx.orm.insert(auditLog).values({
    actor: entry.actor,
    action: entry.action,
    subject: entry.subject,
    before: entry.before,
    after: entry.after,
    reason: entry.reason,
    requestId: entry.requestId,
    // The trigger `chain_entry` puts the true values here.
    number: 0,
    at: "now",
    previousHash: Buffer.alloc(0),
    hash: Buffer.alloc(0),
  });
}

/** Someone was refused, so nothing else changes. */
export async function auditRefusal(
  database: Database,
  refusal: Pick<AuditEntry, "action" | "subject" | "after" | "requestId">,
): Promise<void> {
  await database.transaction((tx) => recordAudit(tx, { ...refusal, actor: "stranger" }));
}

/** `before` and `after` are JSON text: parsing them would round long numbers. */
export type AuditRow = Omit<typeof auditLog.$inferSelect, "before" | "after"> & {
  before: string | null;
  after: string | null;
};

const columns = {
  ...getTableColumns(auditLog),
  before: sql<string | null>`${auditLog.before}::text`,
  after: sql<string | null>`${auditLog.after}::text`,
};

/** More than these are found by typing the address. */
const actorsMax = 500;

/** Everyone who can act, as the log calls them, with their names as they are now; people first. */
export async function listActors(database: Queryable): Promise<{ actor: string; name: string }[]> {
  return database.query<{ actor: string; name: string }>(
    `select actor, name
     from (
       select 'person:' || id as actor, name, 0 as rank from tieout.people
       union all
       select 'key:' || id, 'key ' || name, 1 from tieout.api_keys
     ) as known
     order by rank, lower(name), actor
     limit $1::int`,
    [actorsMax],
  );
}

export const auditPaging = pagingBy(auditLog, "descending", "number");

/** The log of the whole service: it belongs to no account, and only a key for all accounts may read it. */
export async function listAudit(
  database: Queryable,
  filters: Filters<"actor" | "action" | "subject">,
  page: PageWanted,
): Promise<Page<AuditRow>> {
  return selectPage(database.orm.select(columns).from(auditLog).$dynamic(), auditPaging, page, [
    anyOf(auditLog.actor, filters.actor),
    anyOf(auditLog.action, filters.action),
    anyOf(auditLog.subject, filters.subject),
  ]);
}
