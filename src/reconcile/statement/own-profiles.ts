import { TieoutError } from "../../core/errors.ts";
import { issuesInWords } from "../../core/issue-words.ts";
import { notAZone } from "../../core/period.ts";
import { quote } from "../../core/quote.ts";
import { isLanguage } from "../../core/month-names.ts";
import { findZone } from "../../core/zone.ts";
import type { Queryable, Transaction } from "../../store/database.ts";
import {
  listSettings,
  lockSettings,
  saveSetting,
  type SettingKind,
} from "../../store/statements/provider-settings.ts";
import { builtInProfiles } from "../profiles/built-in.ts";
import { identifyingFields } from "./line-key.ts";
import { type Profile, profileSchema } from "./profile.ts";
import { namesFrom, type ProviderNames } from "./provider-names.ts";
import { createTimeReader } from "./times.ts";
import type { Author } from "../../store/people/audit-log.ts";

/**
 * A profile that someone wrote, from JSON. With `"extends": "transak"` it needs to say only what differs: columns,
 * words and sentinels are added to those of the other, everything else replaces it.
 */
export function parseProfile(json: unknown, known: readonly Profile[] = builtInProfiles): Profile {
  const whole =
    isObject(json) && typeof json["extends"] === "string" ? extended(json, json["extends"], known) : json;
  const parsed = profileSchema.safeParse(whole);
  if (!parsed.success) {
    const problems = issuesInWords(parsed.error.issues, "profile");
    throw new TieoutError("profile_invalid", `the profile cannot be used: ${problems}`);
  }
  const problems = problemsOf(parsed.data);
  if (problems.length > 0) {
    throw new TieoutError("profile_invalid", `the profile cannot be used: ${problems.join("; ")}`);
  }
  return parsed.data;
}

/** How the files of an account are read: its profiles, and the words that were set for its providers. */
export interface Vocabulary {
  readonly profiles: readonly Profile[];
  readonly providerNames: ProviderNames;
  /** The profile with the words that were added for a provider without a profile of its own for them. */
  readonly forProvider: (profile: Profile, provider: string) => Profile;
}

export async function vocabularyOf(tx: Queryable, accountId: number): Promise<Vocabulary> {
  const settings = async (kind: SettingKind) => listSettings(tx, { accountId, kind });
  const words = [
    ...(await settings("status_map")),
    ...(await settings("alias")),
    ...(await settings("category")),
  ];
  return {
    profiles: (await listProfiles(tx, accountId)).map(({ profile }) => profile),
    providerNames: namesFrom(
      (await settings("provider_name")).map(({ provider, value }) => ({
        provider,
        names: value as string[],
      })),
    ),
    forProvider: (profile, provider) =>
      withWords(
        profile,
        words.filter((each) => each.provider === provider),
      ),
  };
}

export interface KnownProfile {
  readonly profile: Profile;
  /** `null`: built in. */
  readonly saved: {
    readonly by: string;
    readonly byName: string;
    readonly at: string;
    readonly provider: string;
  } | null;
}

/** The built-in profiles, and those saved for the account: one of the same name takes the place of a built-in one. */
export async function listProfiles(tx: Queryable, accountId: number): Promise<KnownProfile[]> {
  const settings = await listSettings(tx, { accountId, kind: "profile" });
  const own = settings.map(({ value, savedBy, savedByName, savedAt, provider }) => ({
    profile: parseProfile(value),
    saved: { by: savedBy, byName: savedByName, at: savedAt, provider },
  }));
  const names = new Set(own.map(({ profile }) => profile.name));
  const builtIn = builtInProfiles.filter(({ name }) => !names.has(name));
  return [...own, ...builtIn.map((profile) => ({ profile, saved: null }))];
}

export async function findProfile(
  tx: Queryable,
  { accountId, name }: { accountId: number; name: string },
): Promise<KnownProfile> {
  const known = (await listProfiles(tx, accountId)).find(({ profile }) => profile.name === name);
  if (known) return known;
  throw new TieoutError("profile_not_found", `there is no profile ${name}: see tieout statement profiles`);
}

/** A profile for all files of the account that it fits from now on. One of the same name is replaced, and keeps its versions. */
export async function saveProfile(
  tx: Transaction,
  { accountId, profile: json, ...author }: Author & { accountId: number; profile: unknown; reason: string },
): Promise<KnownProfile> {
  const given = parseProfile(isObject(json) ? { version: 1, ...json } : json);
  await lockSettings(tx);
  const known = await listProfiles(tx, accountId);
  const held = known.find(({ profile, saved }) => saved !== null && profile.name === given.name);
  const provider = given.provider ?? "*";
  if (held?.saved && held.saved.provider !== provider) {
    throw new TieoutError(
      "profile_invalid",
      `${given.name} is a profile of ${held.saved.provider}: retire it first, or choose another name`,
    );
  }
  const profile = { ...given, version: (held?.profile.version ?? 0) + 1 };
  await saveSetting(tx, {
    accountId,
    provider,
    kind: "profile",
    name: given.name,
    value: profile,
    ...author,
  });
  return findProfile(tx, { accountId, name: given.name });
}

/** No file is read with it from now on; files that were keep what they were read with. */
export async function retireProfile(
  tx: Transaction,
  { accountId, name, ...author }: Author & { accountId: number; name: string; reason: string },
): Promise<KnownProfile> {
  const known = await findProfile(tx, { accountId, name });
  if (known.saved === null) {
    throw new TieoutError(
      "profile_invalid",
      `${name} is built in and cannot be retired: a profile of your own with the same name takes its place`,
    );
  }
  const settings = await listSettings(tx, { accountId, kind: "profile" });
  for (const { accountId: of, provider } of settings.filter((each) => each.name === name)) {
    await saveSetting(tx, { accountId: of, provider, kind: "profile", name, value: null, ...author });
  }
  return known;
}

function withWords(profile: Profile, settings: readonly { kind: string; value: unknown }[]): Profile {
  if (settings.length === 0) return profile;
  const added = settings.map(({ kind, value }) => {
    if (kind === "alias") return { aliases: value };
    return kind === "category" ? { categories: value } : { statuses: value };
  });
  return profileSchema.parse(added.reduce<unknown>((whole, words) => merge(whole, words), profile));
}

function extended(json: Record<string, unknown>, base: string, known: readonly Profile[]): unknown {
  const found = known.find(({ name }) => name === base);
  if (!found) {
    const names = known.map(({ name }) => name).join(", ");
    throw new TieoutError("profile_invalid", `there is no profile ${base} to extend: choose one of ${names}`);
  }
  const { extends: _, ...own } = json;
  // How a file is recognised belongs to one profile, and is not handed on.
  const { recognise: __, file_name: ___, ...base_ } = found;
  return merge({ ...base_, based_on: base }, own);
}

const merged = new Set([
  "columns",
  "sentinels",
  "prefixes",
  "constants",
  "line_types",
  "statuses",
  "aliases",
  "fee_currencies",
  "categories",
  "any",
  "buy",
  "sell",
]);

function merge(base: unknown, own: unknown): unknown {
  if (Array.isArray(base) && Array.isArray(own))
    return [...new Set([...(base as unknown[]), ...(own as unknown[])])];
  if (!isObject(base) || !isObject(own)) return own;
  const entries = Object.entries(own).map(([name, value]) => [
    name,
    merged.has(name) ? merge(base[name], value) : value,
  ]);
  return { ...base, ...Object.fromEntries(entries) };
}

/** What the schema cannot say. */
function problemsOf(profile: Profile): string[] {
  const problems: string[] = [];
  if (profile.grouping === profile.decimal) problems.push("grouping: may not be the decimal sign");
  if (profile.coin_numbers?.grouping === profile.coin_numbers?.decimal && profile.coin_numbers !== undefined)
    problems.push("coin_numbers.grouping: may not be the decimal sign");
  const { format, zone, language } = profile.time;
  if (findZone(zone) === null) problems.push(`time.zone: ${notAZone(zone)}`);
  else if (language !== undefined && !isLanguage(language))
    problems.push(`time.language: ${quote(language)} is not a language, such as es or pt-BR`);
  else if (createTimeReader(profile.time) === null)
    problems.push(
      `time.format: ${quote(format)} is not iso, unix_s, unix_ms, excel or a pattern with YYYY, MM and DD`,
    );
  for (const field of profile.required) {
    if (profile.columns[field] === undefined) problems.push(`required: ${field} has no column`);
  }
  const { identity } = profile;
  if (identity.mode === "unique") {
    for (const field of identity.columns) {
      if (!identifyingFields.includes(field)) problems.push(`identity: ${field} cannot identify a line`);
    }
  }
  return problems;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
