import { z } from "@hono/zod-openapi";
import { findProfile, listProfiles, retireProfile } from "../../reconcile/statement/own-profiles.ts";
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
}
