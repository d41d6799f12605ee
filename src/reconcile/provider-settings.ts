import type { Database, Transaction } from "../store/database.ts";
import {
  addSetting,
  auditSetting,
  listSettings,
  lockSettings,
  type SettingKind,
  type SettingToSave,
  settingsVersion,
} from "../store/statements/provider-settings.ts";
import {
  type ChangedDiscrepancy,
  type ChangedPair,
  discrepanciesChangedSince,
  matchesChangedSince,
} from "../store/books/match-difference.ts";
import { type ClassSum, sumClasses } from "../store/books/summary.ts";
import { rehearseUntil } from "../store/rehearse-until.ts";
import { databaseTime } from "../store/statements/statements.ts";
import { reconcileReceipts } from "./receipts/reconcile-receipts.ts";
import { reconcileInside } from "./reconcile.ts";

/** What can be set per account and provider, by the word that people use for it. */
export const settingSections = {
  calendar: "calendar",
  tolerances: "tolerance",
  exclusion: "exclusion",
  aliases: "alias",
  names: "provider_name",
  categories: "category",
  receipts: "receipts",
} as const satisfies Record<string, SettingKind>;

type Section = keyof typeof settingSections;
export type NewSettings = Partial<Record<Section, unknown>>;

interface Subject {
  readonly accountId: number;
  readonly provider: string;
}

export interface HeldSetting {
  readonly value: unknown;
  readonly version: number;
  readonly savedBy: string;
  readonly savedByName: string;
  readonly savedAt: string;
  /** Of all accounts, not of this one. */
  readonly isShared: boolean;
}

/** What is in force for an account and a provider; nothing where the defaults stand. */
export async function readSettings(
  database: Transaction,
  { accountId, provider }: Subject,
): Promise<{ version: number; held: Map<Section, HeldSetting> }> {
  const held = new Map<Section, HeldSetting>();
  for (const [section, kind] of Object.entries(settingSections) as [Section, SettingKind][]) {
    const found = await listSettings(database, { accountId, provider, kind });
    const setting = found.find(({ name }) => name === "");
    if (setting) held.set(section, { ...setting, isShared: setting.accountId === null });
  }
  return { version: await settingsVersion(database, { accountId, provider }), held };
}

interface SaveRequest extends Subject {
  readonly settings: NewSettings;
  /** As they were seen; the save is refused when someone has saved since. */
  readonly seenVersion: number | null;
  readonly reason: string;
  readonly actor: string;
  readonly requestId: string;
}

/** Adds a version of each section that is given. Matches nothing by itself: the next run goes by it. */
export async function saveSettings(
  database: Database,
  request: SaveRequest,
): Promise<"saved" | "unchanged" | "changed_meanwhile"> {
  return database.transaction((tx) => save(tx, request, { audited: true }));
}

export interface SettingsPreview {
  readonly pairs: readonly ChangedPair[];
  readonly discrepancies: readonly ChangedDiscrepancy[];
  /** How much is in which class, by the settings in force and by the new ones. */
  readonly before: readonly ClassSum[];
  readonly after: readonly ClassSum[];
}

/** Saves, runs, compares and undoes: what would be gained and lost, before anything is saved. */
export async function previewSettings(
  database: Database,
  request: Omit<SaveRequest, "seenVersion">,
  signal: AbortSignal,
): Promise<SettingsPreview> {
  const { accountId, provider } = request;
  return rehearseUntil(database, signal, async (tx) => {
    // First what is due anyway, so that only the setting's own doing is left to see.
    await runInside(tx, request);
    const since = await databaseTime(tx);
    const before = await sumClasses(tx, { accountId, provider, asAt: since, knownAt: "infinity" });
    await save(tx, { ...request, seenVersion: null }, { audited: false });
    await runInside(tx, request);
    const asAt = await databaseTime(tx);
    return {
      before,
      after: await sumClasses(tx, { accountId, provider, asAt, knownAt: "infinity" }),
      pairs: await matchesChangedSince(tx, { accountId, provider, since }),
      discrepancies: await discrepanciesChangedSince(tx, { accountId, provider, since }),
    };
  });
}

async function runInside(
  tx: Transaction,
  { accountId, provider, settings }: Omit<SaveRequest, "seenVersion">,
) {
  await reconcileInside(tx, { accountId, provider });
  // What is expected of the bank is judged by a run of its own.
  if (settings.receipts !== undefined) await reconcileReceipts(tx, accountId, { full: true });
}

/** A preview is not audited: the log would stay locked until the preview is rolled back. */
async function save(tx: Transaction, request: SaveRequest, { audited }: { audited: boolean }) {
  const { settings, seenVersion, ...author } = request;
  await lockSettings(tx);
  if (seenVersion !== null && seenVersion !== (await settingsVersion(tx, request)))
    return "changed_meanwhile";
  const changed: { setting: SettingToSave; before: unknown }[] = [];
  for (const [section, value] of Object.entries(settings) as [Section, unknown][]) {
    const setting = { ...author, kind: settingSections[section], name: "", value: value ?? null };
    const saved = await addSetting(tx, setting);
    if (saved.changed) changed.push({ setting, before: saved.before });
  }
  // After all are saved: an exclusion may wait for someone who is signing a month, and they for the log.
  if (audited) for (const { setting, before } of changed) await auditSetting(tx, setting, before);
  return changed.length > 0 ? "saved" : "unchanged";
}
