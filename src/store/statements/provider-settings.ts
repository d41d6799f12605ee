import { recordAudit } from "../people/audit-log.ts";
import type { Queryable, Transaction } from "../database.ts";

export type SettingKind = "profile" | "status_map" | "alias" | "tolerance" | "calendar" | "exclusion";

export interface ProviderSetting {
  readonly id: number;
  /** `null`: for every account. */
  readonly accountId: number | null;
  readonly provider: string;
  readonly kind: SettingKind;
  readonly name: string;
  readonly version: number;
  readonly value: unknown;
  readonly savedBy: string;
  readonly savedAt: string;
}

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

export interface SettingToSave {
  readonly accountId: number | null;
  readonly provider: string;
  readonly kind: SettingKind;
  readonly name: string;
  /** `null` takes the setting back. */
  readonly value: unknown;
  readonly actor: string;
  readonly reason?: string;
  readonly requestId?: string;
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
  const [row] = await tx.query<{ version: number }>(
    `select coalesce(max(id), 0)::int as version
     from tieout.provider_settings
     where (account_id = $1 or account_id is null)
       and provider in ($2, '*')`,
    [accountId, provider],
  );
  return row?.version ?? 0;
}

/** Adds a version, and says so in the audit log; a value that is in force already adds nothing. */
export async function saveSetting(
  tx: Transaction,
  setting: SettingToSave,
): Promise<{ version: number; changed: boolean }> {
  const { accountId, provider, kind, name, actor, reason, requestId } = setting;
  const value = setting.value === null ? null : JSON.stringify(setting.value);
  const key = [accountId, provider, kind, name];
  await lockSettings(tx);
  const [held] = await tx.query<{ version: number; value: unknown; same: boolean }>(
    `select version, value, value is not distinct from $5::jsonb as same
     from tieout.provider_settings
     where account_id is not distinct from $1
       and provider = $2
       and kind = $3
       and name = $4
     order by version desc
     limit 1`,
    [...key, value],
  );
  if (held?.same) return { version: held.version, changed: false };
  const version = (held?.version ?? 0) + 1;
  await tx.query(
    `insert into tieout.provider_settings (account_id, provider, kind, name, version, value, saved_by, reason)
     values ($1, $2, $3, $4, $5, $6, $7, $8)`,
    [...key, version, value, actor, reason ?? null],
  );
  await recordAudit(tx, {
    actor,
    action: "setting.saved",
    subject: `${provider} ${kind} ${name}`.trim(),
    before: held?.value ?? undefined,
    after: setting.value ?? undefined,
    ...(reason === undefined ? {} : { reason }),
    ...(requestId === undefined ? {} : { requestId }),
  });
  return { version, changed: true };
}
