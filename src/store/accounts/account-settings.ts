import { and, desc, eq, lte, sql } from "drizzle-orm";
import type { Queryable, Transaction } from "../database.ts";
import { type Author, recordAudit } from "../people/audit-log.ts";
import { accountSettings } from "../schema/account-settings.ts";

type AccountSetting = typeof accountSettings.$inferSelect;
export type AccountSettingName = AccountSetting["name"];

/** The version in force, or that was at `knownAt`; `null` where nothing was ever set. Its value is `null` when taken back. */
export async function readAccountSetting(
  tx: Queryable,
  { accountId, name, knownAt }: { accountId: number; name: AccountSettingName; knownAt?: string },
): Promise<AccountSetting | null> {
  const [row] = await tx.orm
    .select()
    .from(accountSettings)
    .where(
      and(
        eq(accountSettings.accountId, accountId),
        eq(accountSettings.name, name),
        knownAt === undefined ? undefined : lte(accountSettings.setAt, knownAt),
      ),
    )
    .orderBy(desc(accountSettings.version))
    .limit(1);
  return row ?? null;
}

export interface AccountSettingToSave extends Author {
  readonly account: { id: number; name: string };
  readonly name: AccountSettingName;
  /** `null` goes back to the default. */
  readonly value: unknown;
  readonly reason: string;
  /** As it was seen; the save is refused when someone has saved since. `null`: whatever it is. */
  readonly seenVersion: number | null;
}

/** Adds a version, and says so in the audit log; a value that is in force already adds nothing. */
export async function saveAccountSetting(
  tx: Transaction,
  { account, name, value, reason, actor, requestId, seenVersion }: AccountSettingToSave,
): Promise<"saved" | "unchanged" | "changed_meanwhile"> {
  // One saver at a time, until the end of the database transaction.
  await tx.query("select pg_advisory_xact_lock(hashtextextended('tieout.account_settings', $1))", [
    account.id,
  ]);
  const held = await readAccountSetting(tx, { accountId: account.id, name });
  if (seenVersion !== null && seenVersion !== (held?.version ?? 0)) return "changed_meanwhile";
  if (await isSame(tx, held?.value ?? null, value)) return "unchanged";
  const version = (held?.version ?? 0) + 1;
  await tx.orm
    .insert(accountSettings)
    .values({ accountId: account.id, name, version, value, setBy: actor, reason });
  await recordAudit(tx, {
    actor,
    action: "account_setting.saved",
    subject: `${account.name} ${name}`,
    before: held?.value ?? undefined,
    after: value ?? undefined,
    reason,
    requestId,
  });
  return "saved";
}

/** As jsonb compares: the order of keys does not matter. */
async function isSame(tx: Transaction, held: unknown, value: unknown): Promise<boolean> {
  const [row] = await tx.orm
    .select({ same: sql<boolean>`${JSON.stringify(held)}::jsonb = ${JSON.stringify(value)}::jsonb` })
    .from(sql`(values (1)) as one`);
  return row?.same ?? false;
}
