import { and, arrayContained, eq, isNull, sql } from "drizzle-orm";
import { clockNow } from "../clock-time.ts";
import type { AccountReader } from "../conditions.ts";
import type { Database } from "../database.ts";
import { savedViews } from "../schema/workspace.ts";
import { actorName } from "./actor-name.ts";
import { type Author, recordAudit } from "./audit-log.ts";

export type SavedView = Pick<typeof savedViews.$inferSelect, "id" | "name" | "screen" | "query"> & {
  savedByName: string | null;
};

const { id, name, screen, query, savedBy, accountIds, removedAt } = savedViews;
const viewsMax = 100;

/** Views of a screen, or of all: those of people who see no account that the reader does not. */
export async function listViews(reader: AccountReader, ofScreen: string | null): Promise<SavedView[]> {
  return reader.database.orm
    .select({ id, name, screen, query, savedByName: actorName<string | null>(savedBy) })
    .from(savedViews)
    .where(and(seenBy(reader), isNull(removedAt), ofScreen === null ? undefined : eq(screen, ofScreen)))
    .orderBy(sql`lower(${name})`)
    .limit(viewsMax);
}

function seenBy(reader: AccountReader) {
  if (reader.accountIds === null) return undefined;
  return arrayContained(accountIds, [...reader.accountIds]);
}

/** `false`: the name is taken. Someone else's view must not change under their hands. */
export async function saveView(
  database: Database,
  reader: Pick<AccountReader, "accountIds">,
  view: { name: string; screen: string; query: string },
  author: Author,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const limits = reader.accountIds === null ? null : [...reader.accountIds];
    const [made] = await tx.orm
      .insert(savedViews)
      .values({ ...view, accountIds: limits, savedBy: author.actor })
      .onConflictDoNothing()
      .returning({ id });
    if (made === undefined) return false;
    await recordAudit(tx, { ...author, action: "view.saved", subject: `view ${made.id}`, after: view });
    return true;
  });
}

/** `false`: there is none that the reader may see. */
export async function removeView(
  database: Database,
  reader: AccountReader,
  viewId: number,
  author: Author,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const [removed] = await tx.orm
      .update(savedViews)
      .set({ removedAt: clockNow })
      .where(and(eq(id, viewId), seenBy(reader), isNull(removedAt)))
      .returning({ name, screen, query });
    if (removed === undefined) return false;
    await recordAudit(tx, { ...author, action: "view.removed", subject: `view ${viewId}`, before: removed });
    return true;
  });
}
