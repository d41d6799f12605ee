import { z } from "@hono/zod-openapi";
import {
  type HeldSetting,
  type NewSettings,
  previewSettings,
  readSettings,
  saveSettings,
} from "../../reconcile/provider-settings.ts";
import type { Database } from "../../store/database.ts";
import { learnLags } from "../../store/statements/learn-lags.ts";
import type { ChangedDiscrepancy, ChangedPair } from "../../store/books/match-difference.ts";
import type { ClassSum } from "../../store/books/summary.ts";
import { SECOND } from "../../core/duration.ts";
import { needs } from "../../access/access.ts";
import { chooseAccount } from "../choose-account.ts";
import type { Api, ApiContext } from "../deps.ts";
import { changedMeanwhile, requireVersion, versionTag } from "../if-match.ts";
import { textParameter } from "../parameters.ts";
import { isoTime } from "../present.ts";
import { referenceTo } from "../references.ts";
import { addRoute } from "../route.ts";
import { authorOf } from "../send-file.ts";
import { sendObject, sendTagged } from "../send.ts";
import { whileWaited } from "../while-waited.ts";
import {
  calendarSchema,
  receiptSettingsSchema,
  newSettingsSchema,
  settingsExample,
  settingsPreviewExample,
  settingsPreviewSchema,
  settingsSchema,
} from "./schema.ts";

const tag = "Providers";
const path = "/v1/providers/{provider}/settings";
const shownMax = 100;
/** A run over everything holds up the others of its provider; whoever only looks gives way. */
const previewWithin = {
  timeoutMs: 30 * SECOND,
  advice: "So much is not previewed; the settings can be saved without, and the next run goes by them.",
};
const calendarDefaults = calendarSchema.parse({});
const receiptDefaults = receiptSettingsSchema.parse({});

const params = z.strictObject({
  provider: z
    .string()
    .toLowerCase()
    .regex(/^[a-z0-9_.-]{1,60}$/, "is no provider, such as moonpay")
    .openapi({ example: "moonpay" }),
});
const query = z.strictObject({
  account: textParameter("The account; needed when the key may see several.", "default"),
});

/** When a provider settles, what differences are small, and what its words mean. */
export function addProviderSettings(api: Api): void {
  addRoute(
    api,
    {
      method: "get",
      path,
      operationId: "getProviderSettings",
      summary: "What is set for a provider; its ETag is what a change needs as If-Match",
      tag,
      access: needs("reconcile:read"),
      params,
      query,
      response: { description: "The settings in force.", schema: settingsSchema, example: settingsExample },
      errors: ["account_required"],
    },
    async ({ c, reader, params: { provider }, query: { account: name } }) => {
      const account = await chooseAccount(api.deps.database, reader, name);
      return sendSettings(c, api.deps.database, account, provider);
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
        "A section replaces the one before as a whole; `null` goes back to the defaults; what is left out stays. Needs `If-Match`. Nothing is matched by it: a run is queued, which goes by the new settings.",
      tag,
      access: needs("reconcile:write"),
      params,
      query,
      body: newSettingsSchema,
      response: { description: "The settings in force.", schema: settingsSchema, example: settingsExample },
      errors: ["account_required", "precondition_required", "version_mismatch"],
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
      access: needs("reconcile:write"),
      params,
      query,
      body: newSettingsSchema,
      response: {
        description: "What would come of it.",
        schema: settingsPreviewSchema,
        example: settingsPreviewExample,
      },
      errors: ["account_required", "query_too_slow"],
    },
    async ({ c, caller, params: { provider }, query: asked, body }) => {
      // Nothing is kept of it, so it needs no part in the transaction that keeps the answer of a POST.
      const { database } = api.deps;
      const account = await chooseAccount(database, caller, asked.account);
      const { reason, ...sections } = body;
      const request = { accountId: account.id, provider, settings: given(sections), reason };
      const { pairs, discrepancies, before, after } = await whileWaited(
        c,
        (signal) => previewSettings(database, { ...request, ...authorOf(c, caller) }, signal),
        previewWithin,
      );
      const of = (change: ChangedPair["change"]) => pairs.filter((pair) => pair.change === change);
      const count = (event: ChangedDiscrepancy["event"]) =>
        discrepancies.filter((each) => each.event === event).length;
      return sendObject(
        c,
        JSON.stringify({
          object: "settings_preview",
          account: account.name,
          provider,
          matches: { gained: of("gained").length, lost: of("lost").length },
          discrepancies: {
            raised: count("raised"),
            changed: count("changed"),
            reopened: count("reopened"),
            agreed: count("agreed"),
          },
          gained: of("gained").slice(0, shownMax).map(presentPair),
          lost: of("lost").slice(0, shownMax).map(presentPair),
          changes: discrepancies.slice(0, shownMax).map(presentChange),
          classes: { before: before.map(presentSum), after: after.map(presentSum) },
        }),
      );
    },
  );
}

/** What is left out is not among them; `null` is. */
function given(sections: Record<string, unknown>): NewSettings {
  return Object.fromEntries(Object.entries(sections).filter(([, value]) => value !== undefined));
}

async function sendSettings(
  c: ApiContext,
  database: Database,
  account: { id: number; name: string },
  provider: string,
): Promise<Response> {
  const subject = { accountId: account.id, provider };
  const { version, held } = await readSettings(database, subject);
  const learnt = await learnLags(database, subject);
  const json = {
    object: "provider_settings",
    account: account.name,
    provider,
    // As a run reads it: what an older version did not say has its default.
    calendar: presentSection(held.get("calendar"), (value) => ({
      ...calendarDefaults,
      ...(value as object | undefined),
    })),
    tolerances: presentSection(held.get("tolerances"), (value) => value ?? []),
    exclusion: presentSection(held.get("exclusion"), (value) => value ?? null),
    aliases: presentSection(held.get("aliases"), (value) => value ?? {}),
    names: presentSection(held.get("names"), (value) => value ?? []),
    categories: presentSection(held.get("categories"), (value) => value ?? []),
    receipts: presentSection(held.get("receipts"), (value) => ({
      ...receiptDefaults,
      ...(value as object | undefined),
    })),
    learnt: {
      statement_lag_days: learnt.statementLagDays,
      statements: learnt.statements,
      payout_lag_days: learnt.payoutLagDays,
      payouts: learnt.payouts,
    },
  };
  return sendTagged(c, JSON.stringify(json), versionTag(version, account.id));
}

function presentSection(held: HeldSetting | undefined, present: (value: unknown) => unknown) {
  return {
    value: present(held?.value),
    version: held?.version ?? null,
    shared: held?.isShared ?? false,
    saved_by: held?.savedBy ?? null,
    saved_by_name: held?.savedByName ?? null,
    saved_at: isoTime(held?.savedAt ?? null),
  };
}

function presentPair({ transaction_id, line_id, rule, file_name, line_no }: ChangedPair) {
  return { transaction_id, line: referenceTo("line", line_id), rule, file_name, line_no };
}

function presentChange({ line_id, ...change }: ChangedDiscrepancy) {
  const line = line_id === null ? null : referenceTo("line", line_id);
  const { event, code, level, transaction_id, file_name, line_no, value, value_currency } = change;
  return { event, code, level, transaction_id, line, file_name, line_no, value, value_currency };
}

function presentSum({ currency, class: kind, transactions, amount }: ClassSum) {
  return { currency, class: kind, transactions, amount };
}
