import { and, eq } from "drizzle-orm";
import type { AlertKind } from "../../core/alert-kinds.ts";
import { type AccountReader, seenWhollyBy } from "../conditions.ts";
import type { Database, Queryable } from "../database.ts";
import type { Author } from "../people/api-keys.ts";
import { recordAudit } from "../people/audit-log.ts";
import { alertRules, alertSettings } from "../schema/alerts.ts";

export type AlertRule = typeof alertRules.$inferSelect;
export type AlertSettings = Omit<typeof alertSettings.$inferSelect, "one" | "digestDay">;

export interface RuleToMake {
  kind: AlertKind;
  accountIds: readonly number[] | null;
  limitSeconds: number | null;
  limitAmount: string | null;
  currency: string | null;
  byEmail: boolean;
  byWebhook: boolean;
}

/** Whoever is limited to accounts sees the rules that are limited to them as well. */
export async function listRules(reader: AccountReader): Promise<AlertRule[]> {
  return reader.database.orm
    .select()
    .from(alertRules)
    .where(seenWhollyBy(reader, alertRules.accountIds))
    .orderBy(alertRules.id)
    .limit(500);
}

export async function createRule(database: Database, wanted: RuleToMake, author: Author): Promise<AlertRule> {
  return database.transaction(async (tx) => {
    const { accountIds } = wanted;
    const [rule] = await tx.orm
      .insert(alertRules)
      .values({ ...wanted, accountIds: accountIds && [...accountIds], createdBy: author.actor })
      .returning();
    if (rule === undefined) throw new Error("a rule that was just made is there");
    await recordAudit(tx, {
      ...author,
      action: "alert_rule.created",
      subject: `rule ${rule.id}`,
      after: wanted,
    });
    return rule;
  });
}

/** What it has found is over with it. `false`: there is no such rule for this reader. */
export async function removeRule(
  database: Database,
  reader: Pick<AccountReader, "accountIds">,
  id: number,
  author: Author,
): Promise<boolean> {
  return database.transaction(async (tx) => {
    const [gone] = await tx.orm
      .delete(alertRules)
      .where(and(seenWhollyBy(reader, alertRules.accountIds), eq(alertRules.id, id)))
      .returning();
    if (gone === undefined) return false;
    await tx.query(
      "update tieout.alerts set cleared_at = clock_timestamp() where rule_id = $1 and cleared_at is null",
      [id],
    );
    const { kind, limitSeconds, limitAmount, currency } = gone;
    await recordAudit(tx, {
      ...author,
      action: "alert_rule.removed",
      subject: `rule ${id}`,
      before: { kind, limitSeconds, limitAmount, currency },
    });
    return true;
  });
}

const defaults: AlertSettings = {
  recipients: [],
  zone: "UTC",
  quietFrom: null,
  quietTo: null,
  digestAt: null,
};

export async function readAlertSettings(database: Queryable): Promise<AlertSettings> {
  const { recipients, zone, quietFrom, quietTo, digestAt } = alertSettings;
  const [row] = await database.orm
    .select({ recipients, zone, quietFrom, quietTo, digestAt })
    .from(alertSettings);
  return row ?? defaults;
}

export async function saveAlertSettings(
  database: Database,
  settings: AlertSettings,
  author: Author,
): Promise<void> {
  await database.transaction(async (tx) => {
    const before = await readAlertSettings(tx);
    await tx.orm
      .insert(alertSettings)
      .values(settings)
      .onConflictDoUpdate({ target: alertSettings.one, set: settings });
    await recordAudit(tx, {
      ...author,
      action: "alert_settings.changed",
      subject: "alerts",
      before,
      after: settings,
    });
  });
}
