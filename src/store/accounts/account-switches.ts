import { eq, sql } from "drizzle-orm";
import { recordAudit } from "../people/audit-log.ts";
import { clockNow } from "../clock-time.ts";
import type { Database } from "../database.ts";
import { accounts } from "../schema/accounts.ts";

interface SwitchAuthor {
  actor: string;
  requestId: string;
}

const inAHundredYears = sql`clock_timestamp() + interval '100 years'`;

/** Nobody asks the aggregator for this account until a person says so. What is being asked now is still kept. */
export async function holdAccount(
  database: Database,
  account: { id: number; name: string; reason: string },
  author: SwitchAuthor,
): Promise<void> {
  await database.transaction(async (tx) => {
    const { name: subject, reason } = account;
    await tx.orm
      .update(accounts)
      .set({ state: "paused", pausedReason: reason, pausedAt: clockNow, notBefore: inAHundredYears })
      .where(eq(accounts.id, account.id));
    await recordAudit(tx, { ...author, action: "account.paused", subject, reason });
  });
}

/** The next worker asks again, also when the aggregator had refused the key or asked for patience. */
export async function resumeAccount(
  database: Database,
  account: { id: number; name: string },
  author: SwitchAuthor,
): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.orm
      .update(accounts)
      .set({ state: "active", pausedReason: null, pausedAt: null, notBefore: null })
      .where(eq(accounts.id, account.id));
    await recordAudit(tx, { ...author, action: "account.resumed", subject: account.name });
  });
}
