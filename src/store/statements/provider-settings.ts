import { and, desc, eq, inArray, isNull, max, or, sql } from "drizzle-orm";
import { type AccountReader, conditionsFor } from "../conditions.ts";
import type { Queryable, Transaction } from "../database.ts";
import { type Author, recordAudit } from "../people/audit-log.ts";
import { providerSettings } from "../schema/provider-settings.ts";

/** `accountId` is `null` for a setting of every account. */
export type ProviderSetting = Omit<typeof providerSettings.$inferSelect, "reason"> & { savedByName: string };
export type SettingKind = ProviderSetting["kind"];

/**
 * The settings in force: of each, the greatest version that was stored by `knownAt`. One that was taken back is not
 * among them. A setting of an account goes before the same one of all accounts.
 */
export async function listSettings(
  tx: Queryable,
  filter: { accountId: number; kind: SettingKind; provider?: string; knownAt?: string },
): Promise<ProviderSetting[]> {
  return tx.query<ProviderSetting>(
    `select *
     from (
       select distinct on (provider, name)
              id::int, account_id as "accountId", provider, kind, name, version, value, saved_by as "savedBy",
              tieout.actor_name(saved_by) as "savedByName",
              saved_at::text as "savedAt"
       from tieout.provider_settings
       where (account_id = $1 or account_id is null)
         and kind = $2
         and ($3::text is null or provider = $3)
         and ($4::timestamptz is null or saved_at <= $4)
       order by provider, name, account_id nulls last, version desc
     ) as latest
     where value is not null
     order by provider, name`,
    [filter.accountId, filter.kind, filter.provider ?? null, filter.knownAt ?? null],
  );
}

export interface SettingToSave extends Author {
  readonly accountId: number | null;
  readonly provider: string;
  readonly kind: SettingKind;
  readonly name: string;
  /** `null` takes the setting back. */
  readonly value: unknown;
  readonly reason?: string;
}

/** One saver at a time, until the end of the database transaction: versions count up, and nobody overwrites unseen. */
export async function lockSettings(tx: Transaction): Promise<void> {
  await tx.query("select pg_advisory_xact_lock(hashtextextended('tieout.provider_settings', 0))");
}

/** Grows with every version that is saved for the account and provider, or for all of them; 0 where there is none. */
export async function settingsVersion(
  tx: Queryable,
  { accountId, provider }: { accountId: number; provider: string },
): Promise<number> {
  const [row] = await tx.orm
    .select({ version: max(providerSettings.id) })
    .from(providerSettings)
    .where(
      and(
        or(eq(providerSettings.accountId, accountId), isNull(providerSettings.accountId)),
        inArray(providerSettings.provider, [provider, "*"]),
      ),
    );
  return row?.version ?? 0;
}

/** Adds a version, and says so in the audit log; a value that is in force already adds nothing. */
export async function saveSetting(
  tx: Transaction,
  setting: SettingToSave,
): Promise<{ version: number; changed: boolean }> {
  const { before, ...saved } = await addSetting(tx, setting);
  if (saved.changed) await auditSetting(tx, setting, before);
  return saved;
}

/** Call it last: it locks the audit log until the commit. */
export async function auditSetting(
  tx: Transaction,
  { provider, kind, name, value, actor, reason, requestId }: SettingToSave,
  before: unknown,
): Promise<void> {
  await recordAudit(tx, {
    actor,
    action: "setting.saved",
    subject: `${provider} ${kind} ${name}`.trim(),
    before: before ?? undefined,
    after: value ?? undefined,
    reason,
    requestId,
  });
}

/** Adds the version without an audit entry. */
export async function addSetting(
  tx: Transaction,
  setting: SettingToSave,
): Promise<{ version: number; changed: boolean; before: unknown }> {
  const { accountId, provider, kind, name, actor, reason } = setting;
  const { value } = providerSettings;
  const wanted = setting.value === null ? null : JSON.stringify(setting.value);
  await lockSettings(tx);
  const [held] = await tx.orm
    .select({
      version: providerSettings.version,
      value,
      same: sql<boolean>`${value} is not distinct from ${wanted}::jsonb`,
    })
    .from(providerSettings)
    .where(
      and(
        sql`${providerSettings.accountId} is not distinct from ${accountId}`,
        eq(providerSettings.provider, provider),
        eq(providerSettings.kind, kind),
        eq(providerSettings.name, name),
      ),
    )
    .orderBy(desc(providerSettings.version))
    .limit(1);
  if (held?.same) return { version: held.version, changed: false, before: held.value };
  const version = (held?.version ?? 0) + 1;
  const added = { accountId, provider, kind, name, version, value: setting.value, savedBy: actor, reason };
  await tx.orm.insert(providerSettings).values(added);
  return { version, changed: true, before: held?.value ?? null };
}

export interface ProviderInUse {
  account: string;
  provider: string;
  /** What someone has set for it; the defaults stand for the rest. */
  kinds: SettingKind[];
  savedAt: string | null;
}

/** Every provider of which an account has transactions, statements or settings. */
export async function listProvidersInUse(reader: AccountReader): Promise<ProviderInUse[]> {
  const conditions = conditionsFor(reader, "a.id");
  return reader.database.query<ProviderInUse>(
    `with known as (
       select account_id, provider from tieout.account_providers
       union
       select account_id, provider from tieout.statements
       union
       select account_id, provider from tieout.provider_settings where account_id is not null and kind <> 'profile'
     ), latest as (
       select distinct on (account_id, provider, kind) account_id, provider, kind, value, saved_at
       from tieout.provider_settings
       where kind <> 'profile'
         and name = ''
       order by account_id, provider, kind, version desc
     )
     select a.name as account, known.provider,
            coalesce(array_agg(distinct s.kind) filter (where s.value is not null), '{}') as kinds,
            max(s.saved_at)::text as "savedAt"
     from known
     join tieout.accounts as a on a.id = known.account_id
     left join latest as s
       on s.provider = known.provider
      and (s.account_id = known.account_id or s.account_id is null)
     where ${conditions.toSql()}
       and known.provider not in ('', '*')
     group by a.name, known.provider
     order by a.name, known.provider
     limit 5000`,
    conditions.values,
  );
}
