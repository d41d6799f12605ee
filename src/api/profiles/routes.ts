import { z } from "@hono/zod-openapi";
import {
  findProfile,
  listProfiles,
  parseProfile,
  retireProfile,
  saveProfile,
} from "../../reconcile/statement/own-profiles.ts";
import { type TriedRow, tryProfile } from "../../reconcile/statement/try-profile.ts";
import { presentProfile, presentWholeProfile } from "../../reconcile/statement/present-profile.ts";
import { needs } from "../../access/access.ts";
import { chooseAccount } from "../choose-account.ts";
import type { Api } from "../deps.ts";
import { freshnessFor, listResponse, sendWhole } from "../list.ts";
import { accountParameter } from "../parameters.ts";
import { addRoute } from "../route.ts";
import { authorOf } from "../send-file.ts";
import { sendObject } from "../send.ts";
import { throwStatementProblem } from "../statement-problem.ts";
import { reasonField } from "../reason-field.ts";

const tag = "Statements";
const params = z.strictObject({ name: z.string().openapi({ example: "moonpay" }) });
const query = z.strictObject({ account: accountParameter });

const profileFields = {
  object: z.literal("profile"),
  name: z.string(),
  version: z.int(),
  provider: z.string().nullable().openapi({ description: "`null`: for any provider." }),
  built_in: z.boolean(),
  about: z.string().nullable(),
  recognise: z.string().openapi({
    description: "by_header: a header that fits is enough; only_when_named: only with `profile`.",
  }),
  file_name: z.string().nullable().openapi({ description: "Only for files with such a name." }),
  based_on: z.string().nullable().openapi({ description: "The profile that it extends." }),
  required: z.array(z.string()).openapi({ description: "Fields without which a file has another layout." }),
  saved_by: z.string().nullable(),
  saved_by_name: z.string().nullable(),
};

/** Presented where files are read: the command line shows the same. */
const example: ReturnType<typeof presentProfile> = {
  object: "profile",
  name: "kappa",
  version: 1,
  provider: "kappa",
  built_in: false,
  about: null,
  recognise: "by_header",
  file_name: null,
  based_on: "generic",
  required: ["provider_transaction_id", "fiat_currency", "fiat_gross", "effective_at"],
  saved_by: "cli:alice",
  saved_by_name: "alice (command line)",
};

const profile = { schema: z.strictObject(profileFields).openapi("Profile"), example };
const wholeProfile = {
  schema: z
    .strictObject({
      ...profileFields,
      profile: z.looseObject({}).openapi({ description: "All that it says, as JSON for `--profile`." }),
    })
    .openapi("WholeProfile"),
  example: { ...example, profile: { name: "kappa", version: 1, provider: "kappa" } },
};

const givenProfile = z.looseObject({}).openapi({
  description: "As `GET /v1/profiles/{name}` shows one; with `extends` it says only what differs.",
  example: { name: "kappa", provider: "kappa", extends: "generic" },
});
const cells = z.array(z.string().max(2_000)).max(500);

const triedSchema = z
  .strictObject({
    object: z.literal("profile_preview"),
    missing: z
      .array(z.string())
      .openapi({ description: "Headers that it needs and the file does not have." }),
    repeated: z.array(z.string()).openapi({ description: "Headers that it reads and the file has twice." }),
    rows: z.array(
      z.strictObject({
        line: z.looseObject({}).nullable().openapi({ description: "The line in our words." }),
        rejection: z
          .strictObject({ code: z.string(), field: z.string().nullable(), reason: z.string() })
          .nullable(),
      }),
    ),
  })
  .openapi("ProfilePreview");

const triedExample = {
  object: "profile_preview",
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
};

/** How the providers' files are read: the built-in profiles and those of the account. */
export function addProfileRoutes(api: Api): void {
  addRoute(
    api,
    {
      method: "get",
      path: "/v1/profiles",
      operationId: "listProfiles",
      summary: "The profiles that statements are read with, all at once",
      tag,
      access: needs("reconcile:read"),
      query,
      response: listResponse("ProfileList", profile, {
        url: "/v1/profiles",
        description: "The profiles: those of the account, then the built-in ones.",
      }),
      errors: ["account_required"],
    },
    async ({ c, caller, query: asked }) => {
      const account = await chooseAccount(api.deps.database, caller, asked.account);
      const profiles = await listProfiles(api.deps.database, account.id);
      return sendWhole(c, profiles.map(presentProfile), await freshnessFor(api, caller));
    },
  );

  addRoute(
    api,
    {
      method: "get",
      path: "/v1/profiles/{name}",
      operationId: "getProfile",
      summary: "One profile with all that it says",
      tag,
      access: needs("reconcile:read"),
      params,
      query,
      response: { description: "The profile.", ...wholeProfile },
      errors: ["account_required", "not_found"],
    },
    async ({ c, caller, params: { name }, query: asked }) => {
      const account = await chooseAccount(api.deps.database, caller, asked.account);
      const known = await findProfile(api.deps.database, { accountId: account.id, name }).catch(
        throwStatementProblem,
      );
      return sendObject(c, presentWholeProfile(known));
    },
  );

  addRoute(
    api,
    {
      method: "post",
      path: "/v1/profiles/{name}/retire",
      operationId: "retireProfile",
      summary: "Reads no further file with a profile of the account",
      description: "What was read with it stays as it is. A built-in profile cannot be retired.",
      tag,
      access: needs("statements:write"),
      params,
      query,
      body: z.strictObject({ reason: reasonField }),
      response: { description: "The profile, as it was.", ...profile },
      errors: ["account_required", "not_found", "profile_invalid"],
    },
    async ({ c, caller, writing: { database }, params: { name }, query: asked, body }) => {
      const account = await chooseAccount(database, caller, asked.account);
      const request = { accountId: account.id, name, reason: body.reason, ...authorOf(c, caller) };
      const known = await database
        .transaction((tx) => retireProfile(tx, request))
        .catch(throwStatementProblem);
      return sendObject(c, presentProfile(known));
    },
  );

  addRoute(
    api,
    {
      method: "post",
      path: "/v1/profiles",
      operationId: "saveProfile",
      summary: "Saves a profile of the account, which its next files are read with",
      description:
        "One of the same name is replaced, with a version more. Nothing that was read before is read again.",
      tag,
      access: needs("statements:write"),
      query,
      body: z.strictObject({ profile: givenProfile, reason: reasonField }),
      response: {
        status: 201,
        description: "The profile.",
        ...wholeProfile,
      },
      errors: ["account_required", "profile_invalid"],
    },
    async ({ c, caller, writing: { database }, query: asked, body }) => {
      const account = await chooseAccount(database, caller, asked.account);
      const request = { accountId: account.id, ...body, ...authorOf(c, caller) };
      const known = await database.transaction((tx) => saveProfile(tx, request)).catch(throwStatementProblem);
      return sendObject(c, presentWholeProfile(known), 201);
    },
  );

  addRoute(
    api,
    {
      method: "post",
      path: "/v1/profiles/preview",
      operationId: "previewProfile",
      summary: "What a profile makes of some rows; nothing is kept",
      tag,
      access: needs("statements:write"),
      body: z.strictObject({ profile: givenProfile, header: cells, rows: z.array(cells).max(100) }),
      response: { description: "Each row as it would be read.", schema: triedSchema, example: triedExample },
      errors: ["profile_invalid"],
    },
    async ({ c, body }) => {
      try {
        const tried = tryProfile(parseProfile({ version: 1, ...body.profile }), body);
        const shown = { ...tried, rows: tried.rows.map(presentTried) };
        return sendObject(c, { object: "profile_preview", ...shown });
      } catch (error) {
        return throwStatementProblem(error);
      }
    },
  );
}

function presentTried({ line, rejection }: TriedRow) {
  if (line === null) return { line, rejection };
  const snakeCase = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const fields = Object.entries(line).map(([name, value]) => [snakeCase(name), value]);
  return { line: Object.fromEntries(fields) as Record<string, unknown>, rejection };
}
