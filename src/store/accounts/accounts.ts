import { and, eq, gt, inArray, type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import { recordAudit } from "../people/audit-log.ts";
import type { Database, Queryable, Transaction } from "../database.ts";
import { accounts } from "../schema/accounts.ts";

export type AccountToKeep = Pick<typeof accounts.$inferInsert, "name" | "baseUrl" | "syncStart">;

/**
 * Makes the configured accounts known, and notes when one moved to another address or further back. An account that left
 * the configuration keeps its rows: what was read stays read. Returns the number of each account by its name.
 */
export async function ensureAccounts(
  database: Database,
  wanted: AccountToKeep[],
  actor: string,
): Promise<Map<string, number>> {
  return database.transaction(async (tx) => {
    const ids = new Map<string, number>();
    for (const account of wanted) ids.set(account.name, await ensureAccount(tx, account, actor));
    return ids;
  });
}

async function ensureAccount(tx: Transaction, account: AccountToKeep, actor: string): Promise<number> {
  const subject = account.name;
  const find = () => tx.orm.select().from(accounts).where(eq(accounts.name, account.name)).for("update");
  let [held] = await find();
  if (!held) {
    // Of several processes that start at once on a new database, one adds the account and the others find it.
    const [added] = await tx.orm
      .insert(accounts)
      .values(account)
      .onConflictDoNothing({ target: accounts.name })
      .returning({ id: accounts.id });
    if (added) {
      const after = { base_url: account.baseUrl, sync_start: account.syncStart };
      await recordAudit(tx, { actor, action: "account.added", subject, after });
      return added.id;
    }
    [held] = await find();
  }
  if (!held) throw new Error(`account ${account.name} is gone; start again`);
  if (held.baseUrl !== account.baseUrl) {
    await tx.orm.update(accounts).set({ baseUrl: account.baseUrl }).where(eq(accounts.id, held.id));
    const change = { before: { base_url: held.baseUrl }, after: { base_url: account.baseUrl } };
    await recordAudit(tx, { actor, action: "account.changed", subject, ...change });
  }
  return held.id;
}

/** Reads from an earlier time on; a later one changes nothing, because what was read stays read. */
export async function extendHistory(
  database: Database,
  account: { id: number; name: string; from: string },
  actor: string,
): Promise<void> {
  await database.transaction(async (tx) => {
    const [held] = await tx.orm
      .select({ syncStart: accounts.syncStart })
      .from(accounts)
      .where(and(eq(accounts.id, account.id), gt(accounts.syncStart, account.from)))
      .for("update");
    if (!held) return;
    await tx.orm.update(accounts).set({ syncStart: account.from }).where(eq(accounts.id, account.id));
    const change = {
      before: { sync_start: new Date(held.syncStart).toISOString() },
      after: { sync_start: account.from },
    };
    await recordAudit(tx, { actor, action: "account.changed", subject: account.name, ...change });
  });
}

/** Ids of accounts by name, and the names that are unknown. */
export async function accountIdsOf(
  database: Queryable,
  names: readonly string[],
): Promise<{ ids: number[]; unknown: string[] }> {
  const rows = await database.orm
    .select({ id: accounts.id, name: accounts.name })
    .from(accounts)
    .where(inArray(accounts.name, [...names]))
    .orderBy(accounts.id);
  const known = new Set(rows.map(({ name }) => name));
  return { ids: rows.map(({ id }) => id), unknown: names.filter((name) => !known.has(name)) };
}

export async function accountNames(database: Queryable): Promise<string[]> {
  const rows = await database.orm.select({ name: accounts.name }).from(accounts).orderBy(accounts.name);
  return rows.map(({ name }) => name);
}

export async function accountNamesOf(database: Queryable, ids: readonly number[]): Promise<string[]> {
  const rows = await database.orm
    .select({ name: accounts.name })
    .from(accounts)
    .where(inArray(accounts.id, [...ids]))
    .orderBy(accounts.name);
  return rows.map(({ name }) => name);
}

/** A look-up in the select list rather than a join: it cannot tempt the planner away from the order of the index. */
export function accountName(accountId: PgColumn): SQL<string> {
  return sql`(select a.name from ${accounts} as a where a.id = ${accountId})`;
}
