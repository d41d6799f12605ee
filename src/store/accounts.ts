import { eq } from "drizzle-orm";
import { recordAudit } from "./audit-log.ts";
import type { Database } from "./database.ts";
import { accounts } from "./schema/accounts.ts";

export interface AccountToKeep {
  name: string;
  baseUrl: string;
  syncStart: string;
}

/**
 * Makes the configured accounts known, and notes when one moved to another address or start. An account that left the
 * configuration keeps its rows: what was read stays read.
 */
export async function ensureAccounts(
  database: Database,
  wanted: AccountToKeep[],
  actor: string,
): Promise<void> {
  await database.transaction(async (tx) => {
    for (const account of wanted) {
      const [held] = await tx.orm
        .select()
        .from(accounts)
        .where(eq(accounts.name, account.name))
        .for("update");
      const after = { base_url: account.baseUrl };
      if (!held) {
        await tx.orm.insert(accounts).values(account);
        const whole = { ...after, sync_start: account.syncStart };
        await recordAudit(tx, { actor, action: "account.added", subject: account.name, after: whole });
      } else if (held.baseUrl !== account.baseUrl) {
        await tx.orm.update(accounts).set({ baseUrl: account.baseUrl }).where(eq(accounts.id, held.id));
        const before = { base_url: held.baseUrl };
        await recordAudit(tx, { actor, action: "account.changed", subject: account.name, before, after });
      }
    }
  });
}
