import { z } from "@hono/zod-openapi";
import {
  findProfile,
  listProfiles,
  parseProfile,
  retireProfile,
  saveProfile,
} from "../../reconcile/statement/own-profiles.ts";
import { tryProfile } from "../../reconcile/statement/try-profile.ts";
import { needs } from "../../access/access.ts";
import { chooseAccount } from "../choose-account.ts";
import type { Api } from "../deps.ts";
import { freshnessFor, listResponse, sendWhole } from "../list.ts";
import { accountParameter } from "../parameters.ts";
import { addRoute } from "../route.ts";
import { authorOf } from "../send-file.ts";
import { sendObject } from "../send.ts";
import { throwStatementProblem } from "../statement-problem.ts";
import { reasonField } from "../body-fields.ts";
import { presentProfile, presentWholeProfile, profile, profilePreview, wholeProfile } from "./schema.ts";

const tag = "Statements";
const params = z.strictObject({ name: z.string().openapi({ example: "moonpay" }) });
const query = z.strictObject({ account: accountParameter });

const givenProfile = z.looseObject({}).openapi({
  description: "As shown by `GET /v1/profiles/{name}`; with `extends` it states only what differs.",
  example: { name: "kappa", provider: "kappa", extends: "generic" },
});
const cells = z.array(z.string().max(2_000)).max(500);

/** How the providers' files are read: the built-in profiles and those of the account. */
export function addProfileRoutes(api: Api): void {
  addRoute(
    api,
    {
      method: "get",
      path: "/v1/profiles",
      operationId: "listProfiles",
      summary: "The profiles for reading statements, all on one page",
      tag,
      access: needs("reconcile:read"),
      query,
      response: listResponse("ProfileList", profile, {
        url: "/v1/profiles",
        description: "The profiles: those of the account, then the built-in ones.",
      }),
      fromPrimary: true,
      errors: ["account_required"],
    },
    async ({ c, caller, reader: { database }, query: asked }) => {
      const account = await chooseAccount(database, caller, asked.account);
      const profiles = await listProfiles(database, account.id);
      return sendWhole(c, profiles.map(presentProfile), await freshnessFor(api, caller));
    },
  );

  addRoute(
    api,
    {
      method: "get",
      path: "/v1/profiles/{name}",
      operationId: "getProfile",
      summary: "One profile with all its fields",
      tag,
      access: needs("reconcile:read"),
      params,
      query,
      response: { description: "The profile.", ...wholeProfile },
      fromPrimary: true,
      errors: ["account_required", "not_found"],
    },
    async ({ c, caller, reader: { database }, params: { name }, query: asked }) => {
      const account = await chooseAccount(database, caller, asked.account);
      const known = await findProfile(database, { accountId: account.id, name }).catch(throwStatementProblem);
      return sendObject(c, presentWholeProfile(known));
    },
  );

  addRoute(
    api,
    {
      method: "post",
      path: "/v1/profiles/{name}/retire",
      operationId: "retireProfile",
      summary: "Retires a profile of the account",
      description: "Files read with it stay as they are. A built-in profile cannot be retired.",
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
      summary: "Saves a profile for the account's next files",
      description:
        "It replaces one of the same name, as a new version. Files already imported are not read again.",
      tag,
      access: needs("statements:write"),
      query,
      body: z.strictObject({ profile: givenProfile, reason: reasonField }),
      response: { status: 201, description: "The profile.", ...wholeProfile },
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
      summary: "Shows how a profile reads some rows; stores nothing",
      tag,
      access: needs("statements:write"),
      body: z.strictObject({ profile: givenProfile, header: cells, rows: z.array(cells).max(100) }),
      response: { description: "Each row as it would be read.", ...profilePreview },
      errors: ["profile_invalid"],
    },
    async ({ c, body }) => {
      try {
        const tried = tryProfile(parseProfile({ version: 1, ...body.profile }), body);
        return sendObject(c, profilePreview.present(tried));
      } catch (error) {
        return throwStatementProblem(error);
      }
    },
  );
}
