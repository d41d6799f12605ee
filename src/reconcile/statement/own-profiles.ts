import { TieoutError } from "../../core/errors.ts";
import { notAZone } from "../../core/period.ts";
import { quote } from "../../core/quote.ts";
import { findZone } from "../../core/zone.ts";
import type { Queryable } from "../../store/database.ts";
import { listSettings } from "../../store/statements/provider-settings.ts";
import { builtInProfiles } from "../profiles/built-in.ts";
import { identifyingFields } from "./line-key.ts";
import { type Profile, profileSchema } from "./profile.ts";
import { createTimeReader } from "./times.ts";

/**
 * A profile that somebody wrote, from JSON. With `"extends": "transak"` it needs to say only what differs: columns,
 * words and sentinels are added to those of the other, everything else replaces it.
 */
export function parseProfile(json: unknown, known: readonly Profile[] = builtInProfiles): Profile {
  const whole =
    isObject(json) && typeof json["extends"] === "string" ? extended(json, json["extends"], known) : json;
  const parsed = profileSchema.safeParse(whole);
  if (!parsed.success) {
    const problems = parsed.error.issues.map(
      ({ path, message }) => `${path.join(".") || "profile"}: ${message}`,
    );
    throw new TieoutError("profile_invalid", `the profile cannot be used: ${problems.join("; ")}`);
  }
  const problems = problemsOf(parsed.data);
  if (problems.length > 0) {
    throw new TieoutError("profile_invalid", `the profile cannot be used: ${problems.join("; ")}`);
  }
  return parsed.data;
}

/** The built-in profiles, and those saved for the account: one of the same name takes the place of a built-in one. */
export async function profilesFor(tx: Queryable, accountId: number): Promise<Profile[]> {
  const saved = await listSettings(tx, { accountId, kind: "profile" });
  const own = saved.map(({ value }) => parseProfile(value));
  const names = new Set(own.map(({ name }) => name));
  const profiles = [...own, ...builtInProfiles.filter(({ name }) => !names.has(name))];
  const words = [
    ...(await listSettings(tx, { accountId, kind: "status_map" })),
    ...(await listSettings(tx, { accountId, kind: "alias" })),
  ];
  return words.length === 0 ? profiles : profiles.map((profile) => withWords(profile, words));
}

/** Words that were added for a provider, without a profile of its own for them. */
function withWords(
  profile: Profile,
  settings: readonly { provider: string; kind: string; value: unknown }[],
): Profile {
  const own = settings.filter(({ provider }) => provider === profile.provider);
  if (own.length === 0) return profile;
  const added = own.map(({ kind, value }) => (kind === "alias" ? { aliases: value } : { statuses: value }));
  return profileSchema.parse(added.reduce<unknown>((whole, words) => merge(whole, words), profile));
}

function extended(json: Record<string, unknown>, base: string, known: readonly Profile[]): unknown {
  const found = known.find(({ name }) => name === base);
  if (!found) {
    const names = known.map(({ name }) => name).join(", ");
    throw new TieoutError("profile_invalid", `there is no profile ${base} to extend: choose of ${names}`);
  }
  const { extends: _, ...own } = json;
  return merge(found, own);
}

const merged = new Set([
  "columns",
  "sentinels",
  "line_types",
  "statuses",
  "aliases",
  "fee_currencies",
  "any",
  "buy",
  "sell",
]);

function merge(base: unknown, own: unknown): unknown {
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
  const { format, zone } = profile.time;
  if (findZone(zone) === null) problems.push(`time.zone: ${notAZone(zone)}`);
  else if (createTimeReader(profile.time) === null)
    problems.push(
      `time.format: ${quote(format)} is not iso, unix_s, unix_ms or a pattern with YYYY, MM and DD`,
    );
  for (const field of profile.required) {
    if (profile.columns[field] === undefined) problems.push(`required: ${field} has no column`);
  }
  const { identity } = profile;
  if (identity.mode === "unique") {
    for (const field of [...identity.columns, ...(identity.columns_of_relating ?? [])]) {
      if (!identifyingFields.includes(field)) problems.push(`identity: ${field} cannot identify a line`);
    }
  }
  return problems;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
