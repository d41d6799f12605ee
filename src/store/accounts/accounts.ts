import { eq } from "drizzle-orm";
import { recordAudit } from "../people/audit-log.ts";
import type { Database, Transaction } from "../database.ts";
import { accounts } from "../schema/accounts.ts";

export interface AccountToKeep {
  name: string;
  baseUrl: string;
  syncStart: string;
}

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
  const [held] = await tx.orm.select().from(accounts).where(eq(accounts.name, account.name)).for("update");
  const subject = account.name;
  if (!held) {
    const [added] = await tx.orm.insert(accounts).values(account).returning({ id: accounts.id });
    const after = { base_url: account.baseUrl, sync_start: account.syncStart };
    await recordAudit(tx, { actor, action: "account.added", subject, after });
    return added?.id ?? 0;
  }
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
    const [held] = await tx.query<{ sync_start: Date }>(
      `update tieout.accounts as a
       set sync_start = $2
       from tieout.accounts as before
       where a.id = $1 and before.id = a.id and a.sync_start > $2
       returning before.sync_start`,
      [account.id, account.from],
    );
    if (!held) return;
    const change = {
      before: { sync_start: held.sync_start.toISOString() },
      after: { sync_start: account.from },
    };
    await recordAudit(tx, { actor, action: "account.changed", subject: account.name, ...change });
  });
}
