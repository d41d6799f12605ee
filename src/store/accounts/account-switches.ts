import { and, eq, sql } from "drizzle-orm";
import { recordAudit } from "../people/audit-log.ts";
import { clockNow } from "../clock-time.ts";
import { type AccountReader, anyOf, type Filters, seenBy } from "../conditions.ts";
import type { Database } from "../database.ts";
import { accounts } from "../schema/accounts.ts";
import { accountColumns, type AccountRow } from "./account-reads.ts";

/** An account as its reading is going. */
export interface SyncAccount extends AccountRow {
  /** Paused by a person, and so until a person resumes it. */
  held: boolean;
  /** Seconds until anybody asks again; `null` when nobody has to wait. */
  waitSeconds: number | null;
}

/** So far ahead that only a person can have meant it: no aggregator asks for a longer wait than days. */
const heldBeyond = sql`clock_timestamp() + interval '30 days'`;
const inAHundredYears = sql`clock_timestamp() + interval '100 years'`;

export async function listSyncAccounts(
  reader: AccountReader,
  filters: Filters<"account"> = {},
): Promise<SyncAccount[]> {
  const { notBefore } = accounts;
  return reader.database.orm
    .select({
      ...accountColumns,
      held: sql<boolean>`coalesce(${notBefore} > ${heldBeyond}, false)`,
      waitSeconds: sql<number | null>`case when ${notBefore} > clock_timestamp()
        then extract(epoch from ${notBefore} - clock_timestamp())::double precision end`,
    })
    .from(accounts)
    .where(and(seenBy(reader, accounts.id), anyOf(accounts.name, filters.account)))
    .orderBy(accounts.name)
    .limit(200);
}

interface SwitchAuthor {
  actor: string;
  requestId: string;
}

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
