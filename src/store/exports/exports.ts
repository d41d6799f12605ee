import { and, count, eq, inArray } from "drizzle-orm";
import { clockNow } from "../clock-time.ts";
import { type AccountReader, anyOf, type Filters, seenWhollyBy } from "../conditions.ts";
import type { Database, Queryable, Transaction } from "../database.ts";
import type { Page, PageWanted } from "../keyset.ts";
import { recordAudit } from "../people/audit-log.ts";
import { exports } from "../schema/exports.ts";
import { pagingBy, selectPage } from "../select-page.ts";

export type ExportRow = typeof exports.$inferSelect;

export type ExportToAdd = Pick<
  ExportRow,
  "id" | "report" | "format" | "parameters" | "actor" | "accountIds" | "wallets" | "linkSecret"
> & { requestId: string | null };

/** The right of one worker to write one export. */
export interface ExportLease {
  id: string;
  attempt: number;
}

export async function addExport(database: Database, wanted: ExportToAdd): Promise<ExportRow> {
  return database.transaction(async (tx) => {
    const { requestId, ...values } = wanted;
    const [row] = await tx.orm.insert(exports).values(values).returning();
    const { id, actor, report, format, parameters, wallets } = wanted;
    const after = { report, format, parameters, wallets };
    await audit(tx, { id, actor, requestId, action: "export.requested", after });
    return row as ExportRow;
  });
}

/** An export is there for those who may see all accounts that it was made for. */
export async function readExport(reader: AccountReader, id: string): Promise<ExportRow | null> {
  const [row] = await reader.database.orm
    .select()
    .from(exports)
    .where(and(seenWhollyBy(reader, exports.accountIds), eq(exports.id, id)));
  return row ?? null;
}

export const exportPaging = pagingBy(exports, "descending", "createdAt", "id");

export async function listExports(
  reader: AccountReader,
  filters: Filters<"state" | "report">,
  page: PageWanted,
): Promise<Page<ExportRow>> {
  return selectPage(reader.database.orm.select().from(exports).$dynamic(), exportPaging, page, [
    seenWhollyBy(reader, exports.accountIds),
    anyOf(exports.state, filters.state),
    anyOf(exports.report, filters.report),
  ]);
}

export async function countRunningExports(database: Queryable): Promise<number> {
  const [row] = await database.orm
    .select({ running: count() })
    .from(exports)
    .where(eq(exports.state, "running"));
  return row?.running ?? 0;
}

const isUnfinished = inArray(exports.state, ["queued", "running"]);

export async function countUnfinished(database: Queryable, actor: string): Promise<number> {
  const [row] = await database.orm
    .select({ unfinished: count() })
    .from(exports)
    .where(and(eq(exports.actor, actor), isUnfinished));
  return row?.unfinished ?? 0;
}

/** Ends an export that is not over; a running one stops at the next sign of life of its worker. */
export async function cancelExport(
  database: Database,
  id: string,
  by: { actor: string; requestId: string | null },
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const ended = await tx.orm
      .update(exports)
      .set({ state: "cancelled", finishedAt: clockNow })
      .where(and(eq(exports.id, id), isUnfinished))
      .returning({ id: exports.id });
    if (ended.length > 0) await audit(tx, { ...by, id, action: "export.cancelled" });
    return ended.length > 0;
  });
}

/** Every copy that leaves the house is noted, whichever way it went. */
export async function auditExport(database: Database, entry: ExportAudit): Promise<void> {
  await database.transaction((tx) => audit(tx, entry));
}

interface ExportAudit {
  id: string;
  actor: string;
  requestId: string | null;
  action: string;
  after?: unknown;
}

async function audit(tx: Transaction, entry: ExportAudit): Promise<void> {
  const { id, actor, action, after, requestId } = entry;
  await recordAudit(tx, { actor, action, subject: id, after, ...(requestId === null ? {} : { requestId }) });
}
