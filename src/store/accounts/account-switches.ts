import { and, eq, sql } from "drizzle-orm";
import { type Author, recordAudit } from "../people/audit-log.ts";
import { clockNow } from "../clock-time.ts";
import { type AccountReader, anyOf, type Filters, seenBy } from "../conditions.ts";
import type { Database } from "../database.ts";
import { accounts } from "../schema/accounts.ts";
import { accountColumns, type AccountRow, everyAccount, withState } from "./account-reads.ts";

/** An account as its reading is going. */
export interface SyncAccount extends AccountRow {
  /** Seconds until the next request; `null` if there is no need to wait. */
  waitSeconds: number | null;
}

export async function listSyncAccounts(
  reader: AccountReader,
  filters: Filters<"account"> = {},
): Promise<SyncAccount[]> {
  const wait = sql`greatest(${accounts.notBefore}, ${accounts.probeAt}) - clock_timestamp()`;
  return reader.database.orm
    .select({
      ...accountColumns,
      waitSeconds: sql<number | null>`case when ${wait} > interval '0'
        then extract(epoch from ${wait})::double precision end`,
    })
    .from(accounts)
    .innerJoin(...withState)
    .where(and(seenBy(reader, accounts.id), anyOf(accounts.name, filters.account)))
    .orderBy(accounts.name)
    .limit(everyAccount.limit);
}

/** No requests for this account until a person resumes it. Requests already in flight are still recorded. */
export async function holdAccount(
  database: Database,
  account: { id: number; name: string; reason: string },
  author: Author,
): Promise<void> {
  await database.transaction(async (tx) => {
    const { name: subject, reason } = account;
    await tx.orm
      .update(accounts)
      .set({ state: "paused", pausedReason: reason, pausedAt: clockNow })
      .where(eq(accounts.id, account.id));
    await recordAudit(tx, { ...author, action: "account.paused", subject, reason });
  });
}

/** The next worker asks again, also when the aggregator had refused the key or asked for patience. */
export async function resumeAccount(
  database: Database,
  account: { id: number; name: string },
  author: Author,
): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.orm
      .update(accounts)
      .set({
        state: "active",
        pausedReason: null,
        pausedAt: null,
        notBefore: null,
        refusedCredentials: null,
        probeAt: null,
      })
      .where(eq(accounts.id, account.id));
    await recordAudit(tx, { ...author, action: "account.resumed", subject: account.name });
  });
}
