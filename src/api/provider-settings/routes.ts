import { z } from "@hono/zod-openapi";
import {
  type NewSettings,
  previewSettings,
  readSettings,
  saveSettings,
} from "../../reconcile/provider-settings.ts";
import type { Queryable } from "../../store/database.ts";
import { learnLags } from "../../store/statements/learn-lags.ts";
import { SECOND } from "../../core/duration.ts";
import { needs } from "../../access/access.ts";
import { providerName } from "../body-fields.ts";
import { chooseAccount } from "../choose-account.ts";
import type { Api, ApiContext } from "../deps.ts";
import { changedMeanwhile, requireVersion } from "../if-match.ts";
import { accountParameter } from "../parameters.ts";
import { addRoute } from "../route.ts";
import { authorOf } from "../send-file.ts";
import { sendObject, sendVersioned } from "../send.ts";
import { whileWaited } from "../while-waited.ts";
import { newSettingsSchema } from "./new-settings.ts";
import { settings, settingsPreview } from "./schema.ts";

const tag = "Providers";
const path = "/v1/providers/{provider}/settings";
/** A run over everything holds up the others of its provider; one that only looks gives way. */
const previewWithin = {
  timeoutMs: 30 * SECOND,
  advice: "There is too much to preview. Save the settings without one; the next run will use them.",
};

const params = z.strictObject({ provider: providerName });
const query = z.strictObject({ account: accountParameter });
const inForce = { description: "The settings in force.", ...settings };

/** When a provider settles, what differences are small, and what its words mean. */
export function addProviderSettings(api: Api): void {
  addRoute(
    api,
    {
      method: "get",
      path,
      operationId: "getProviderSettings",
      summary: "Settings of a provider; a change needs their ETag as If-Match",
      tag,
      access: needs("reconcile:read"),
      params,
      query,
      response: inForce,
      fromPrimary: true,
      errors: ["account_required"],
    },
    async ({ c, reader, params: { provider }, query: { account: name } }) => {
      const account = await chooseAccount(reader.database, reader, name);
      return sendSettings(c, reader.database, account, provider);
    },
  );

  addRoute(
    api,
    {
      method: "patch",
      path,
      operationId: "saveProviderSettings",
      summary: "Saves a new version of the sections that are given",
      description:
        "A section replaces the previous one as a whole; `null` restores the defaults; sections left out stay. Needs `If-Match`. A run with the new settings is queued.",
      tag,
      access: needs("settings:write"),
      params,
      query,
      body: newSettingsSchema,
      response: inForce,
      errors: ["account_required"],
      ifMatch: "always",
    },
    async ({ c, caller, writing: { database, afterwards }, params: { provider }, query: asked, body }) => {
      const account = await chooseAccount(database, caller, asked.account);
      const { reason, ...sections } = body;
      const outcome = await saveSettings(database, {
        accountId: account.id,
        provider,
        settings: given(sections),
        seenVersion: requireVersion(c),
        reason,
        ...authorOf(c, caller),
      });
      if (outcome === "changed_meanwhile") throw changedMeanwhile();
      if (outcome === "saved") afterwards(async () => api.deps.wakeReconcile?.(account.id));
      return sendSettings(c, database, account, provider);
    },
  );

  addRoute(
    api,
    {
      method: "post",
      path: `${path}/preview`,
      operationId: "previewProviderSettings",
      summary: "Shows which matches the settings would gain and lose, and saves nothing",
      tag,
      // What it shows is of the books.
      access: needs("reconcile:read", "settings:write"),
      params,
      query,
      body: newSettingsSchema,
      response: { description: "What the settings would change.", ...settingsPreview },
      errors: ["account_required", "query_too_slow"],
    },
    async ({ c, caller, params: { provider }, query: asked, body }) => {
      // Nothing is kept of it, so it needs no part in the transaction that keeps the answer of a POST.
      const { database } = api.deps;
      const account = await chooseAccount(database, caller, asked.account);
      const { reason, ...sections } = body;
      const request = { accountId: account.id, provider, settings: given(sections), reason };
      const outcome = await whileWaited(
        c,
        (signal) => previewSettings(database, { ...request, ...authorOf(c, caller) }, signal),
        previewWithin,
      );
      return sendObject(c, settingsPreview.present({ account: account.name, provider, ...outcome }));
    },
  );
}

/** What is left out is not among them; `null` is. */
function given(sections: Record<string, unknown>): NewSettings {
  return Object.fromEntries(Object.entries(sections).filter(([, value]) => value !== undefined));
}

async function sendSettings(
  c: ApiContext,
  database: Queryable,
  account: { id: number; name: string },
  provider: string,
): Promise<Response> {
  const subject = { accountId: account.id, provider };
  const { version, held } = await readSettings(database, subject);
  const learnt = await learnLags(database, subject);
  const json = settings.present({ account: account.name, provider, version, held, learnt });
  return sendVersioned(c, json);
}
