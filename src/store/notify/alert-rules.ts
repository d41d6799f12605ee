import { and, eq, getTableColumns, sql } from "drizzle-orm";
import type { AlertKind } from "../../core/alert-kinds.ts";
import { type AccountReader, anyOf, type Filters, seenWhollyBy } from "../conditions.ts";
import type { Database, Queryable } from "../database.ts";
import type { Page, PageWanted } from "../keyset.ts";
import { type Author, recordAudit } from "../people/audit-log.ts";
import { accounts } from "../schema/accounts.ts";
import { alertRules, alertSettings } from "../schema/alerts.ts";
import { pagingBy, selectPage } from "../select-page.ts";
import { clearAlertsOf } from "./alerts.ts";

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

/** A person who is limited to accounts sees the rules that are limited to them as well. */
export async function listRules(reader: AccountReader): Promise<AlertRule[]> {
  return reader.database.orm
    .select()
    .from(alertRules)
    .where(seenWhollyBy(reader, alertRules.accountIds))
    .orderBy(alertRules.id)
    .limit(500);
}

/** A rule with its accounts by name. */
export type NamedRule = AlertRule & { accounts: string[] | null };

const columns = {
  ...getTableColumns(alertRules),
  accounts: sql<string[] | null>`case when ${alertRules.accountIds} is not null then array(
    select a.name from ${accounts} as a where a.id = any(${alertRules.accountIds}) order by a.name) end`,
};

export const rulePaging = pagingBy(alertRules, "descending", "id");

export async function listNamedRules(
  reader: AccountReader,
  filters: Filters<"kind">,
  page: PageWanted,
): Promise<Page<NamedRule>> {
  const select = reader.database.orm.select(columns).from(alertRules).$dynamic();
  const where = [seenWhollyBy(reader, alertRules.accountIds), anyOf(alertRules.kind, filters.kind)];
  return selectPage(select, rulePaging, page, where);
}

export async function readRule(reader: AccountReader, id: number): Promise<NamedRule | null> {
  const [row] = await reader.database.orm
    .select(columns)
    .from(alertRules)
    .where(and(seenWhollyBy(reader, alertRules.accountIds), eq(alertRules.id, id)));
  return row ?? null;
}

export type RuleChange = Partial<Omit<RuleToMake, "kind">>;

/** `null`: someone else has changed it since it was seen. What it has found stays, until it is looked at again. */
export async function changeRule(
  database: Database,
  seen: AlertRule,
  change: RuleChange,
  author: Author,
): Promise<NamedRule | null> {
  return database.transaction(async (tx) => {
    const { accountIds, ...others } = change;
    const changed = await tx.orm
      .update(alertRules)
      .set({
        ...others,
        ...(accountIds === undefined ? {} : { accountIds: accountIds && [...accountIds] }),
        version: sql`${alertRules.version} + 1`,
      })
      .where(and(eq(alertRules.id, seen.id), eq(alertRules.version, seen.version)))
      .returning({ id: alertRules.id });
    if (changed.length === 0) return null;
    await recordAudit(tx, {
      ...author,
      action: "alert_rule.changed",
      subject: `rule ${seen.id}`,
      before: wordsOf(seen),
      after: { ...wordsOf(seen), ...change },
    });
    return readRule({ database: tx, accountIds: null }, seen.id);
  });
}

function wordsOf(rule: AlertRule): RuleToMake {
  const { kind, accountIds, limitSeconds, limitAmount, currency, byEmail, byWebhook } = rule;
  return { kind: kind as AlertKind, accountIds, limitSeconds, limitAmount, currency, byEmail, byWebhook };
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
      .select()
      .from(alertRules)
      .where(and(seenWhollyBy(reader, alertRules.accountIds), eq(alertRules.id, id)))
      .for("update");
    if (gone === undefined) return false;
    await clearAlertsOf(tx, id);
    await tx.orm.delete(alertRules).where(eq(alertRules.id, id));
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

/** Recipients are added and removed one by one: see `alert-recipients.ts`. */
export async function saveAlertSettings(
  database: Database,
  settings: Omit<AlertSettings, "recipients">,
  author: Author,
): Promise<void> {
  await database.transaction(async (tx) => {
    const { recipients: _, ...before } = await readAlertSettings(tx);
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
