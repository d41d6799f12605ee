import { z } from "@hono/zod-openapi";
import type { KnownProfile } from "../../reconcile/statement/own-profiles.ts";
import type { Profile } from "../../reconcile/statement/profile.ts";
import type { TriedProfile } from "../../reconcile/statement/try-profile.ts";
import { describeObject, withMembers } from "../object.ts";

/** A profile as people and programs see it in a list: over HTTP, and on the command line with --json. */
export const profile = describeObject({
  name: "Profile",
  object: "profile",
  members: {
    name: z.string(),
    version: z.int(),
    provider: z.string().nullable().describe("`null`: for any provider."),
    built_in: z.boolean(),
    about: z.string().nullable(),
    recognise: z
      .string()
      .describe("by_header: a header that fits is enough; only_when_named: only with `profile`."),
    file_name: z.string().nullable().describe("Only for files with such a name."),
    based_on: z.string().nullable().describe("The profile that it extends."),
    required: z.array(z.string()).describe("Fields without which a file has another layout."),
    saved_by: z.string().nullable(),
    saved_by_name: z.string().nullable(),
  },
  present: ({ profile: said, saved }: KnownProfile) => ({
    name: said.name,
    version: said.version,
    provider: said.provider,
    built_in: saved === null,
    about: said.about ?? null,
    recognise: said.recognise,
    file_name: said.file_name ?? null,
    based_on: said.based_on ?? null,
    required: said.required,
    saved_by: saved?.by ?? null,
    saved_by_name: saved?.byName ?? null,
  }),
  example: {
    profile: {
      name: "kappa",
      version: 1,
      provider: "kappa",
      recognise: "by_header",
      based_on: "generic",
      required: ["provider_transaction_id", "fiat_currency", "fiat_gross", "effective_at"],
    } as Profile,
    saved: {
      by: "cli:alice",
      byName: "alice (command line)",
      at: "2026-11-14 09:00:00+00",
      provider: "kappa",
    },
  },
});

export const presentProfile = profile.present;

export const wholeProfile = withMembers(
  profile,
  "WholeProfile",
  { profile: z.looseObject({}).describe("The whole profile, as JSON for `--profile`.") },
  { profile: { name: "kappa", version: 1, provider: "kappa" } },
);

/** With everything that it says, as it could be written into a file of one's own. */
export function presentWholeProfile(known: KnownProfile) {
  return { ...presentProfile(known), profile: known.profile };
}

export const profilePreview = describeObject({
  name: "ProfilePreview",
  object: "profile_preview",
  members: {
    missing: z.array(z.string()).describe("Headers that it needs but the file lacks."),
    repeated: z.array(z.string()).describe("Headers that it reads and the file has twice."),
    rows: z.array(
      z.strictObject({
        line: z.looseObject({}).nullable().describe("The line in our words."),
        rejection: z
          .strictObject({ code: z.string(), field: z.string().nullable(), reason: z.string() })
          .nullable(),
      }),
    ),
  },
  present: ({ rows }: TriedProfile) => ({
    rows: rows.map(({ line, rejection }) => ({ line: line && inSnakeCase(line), rejection })),
  }),
  example: {
    missing: [],
    repeated: [],
    rows: [
      {
        line: null,
        rejection: {
          code: "row_unparseable",
          field: "fiat_gross",
          reason: '"1,200.50" is not an amount with a decimal point and no grouping',
        },
      },
    ],
  },
});

function inSnakeCase(line: object): Record<string, unknown> {
  const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return Object.fromEntries(Object.entries(line).map(([name, value]) => [snakeCase(name), value]));
}
