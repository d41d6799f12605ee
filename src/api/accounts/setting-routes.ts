import { z } from "@hono/zod-openapi";
import { defaultChart } from "../../core/chart-of-accounts.ts";
import {
  accountSettingNames,
  checkAccountSetting,
  setAccountSetting,
  showAccountSetting,
} from "../../reconcile/account-settings.ts";
import { reportableAccounts } from "../../store/accounts/account-reads.ts";
import type { Queryable } from "../../store/database.ts";
import { needs } from "../../access/access.ts";
import type { Caller } from "../../access/caller.ts";
import type { Api, ApiContext } from "../deps.ts";
import { changedMeanwhile, requireVersion } from "../if-match.ts";
import { refuseInput } from "../input.ts";
import { describeObject, time } from "../object.ts";
import { problem } from "../problem.ts";
import { addRoute } from "../route.ts";
import { authorOf } from "../send-file.ts";
import { sendVersioned } from "../send.ts";
import { reasonField } from "../body-fields.ts";

const tag = "Accounts";
const path = "/v1/accounts/{account}/settings/{name}";

const params = z.strictObject({
  account: z.string().min(1).max(200).openapi({ example: "default" }),
  name: z.enum(accountSettingNames as [(typeof accountSettingNames)[number]]).openapi({
    description:
      "`chart_of_accounts`: where the journal books what. `functional_currency`: the currency of the company's books. `calendar`: the zone of its months, and the first month that is closed here.",
    example: "functional_currency",
  }),
});

const value = z
  .any()
  .describe(
    'Of `chart_of_accounts` an object of `{ "code", "name", "tax_rate" }` by the accounts that the journal books to; of `functional_currency` a code such as `"EUR"`; of `calendar` `{ "zone", "first_month" }`. `null` goes back to the default.',
  );

const setting = describeObject({
  name: "AccountSetting",
  object: "account_setting",
  members: {
    account: z.string(),
    name: z.string(),
    value,
    version: z.int().describe("0 until something is set."),
    set_by: z.string().nullable(),
    set_at: time.nullable(),
    reason: z.string().nullable(),
  },
  present: ({ name }: ShownSetting) => ({ name }),
  example: {
    account: "default",
    name: "chart_of_accounts",
    value: { receivable: { ...defaultChart.receivable, tax_rate: "Tax Exempt" } },
    version: 1,
    setBy: "key_3fK9ZQ2b",
    setAt: "2026-11-02 09:00:00+00",
    reason: "our own numbers",
  },
});

type ShownSetting = Awaited<ReturnType<typeof showAccountSetting>> & { account: string; name: string };

const newSettingSchema = z.strictObject({ value, reason: reasonField }).openapi("NewAccountSetting");

/** What is set for an account: each setting by its name, in versions that are kept. */
export function addAccountSettings(api: Api): void {
  addRoute(
    api,
    {
      method: "get",
      path,
      operationId: "getAccountSetting",
      summary: "A setting of an account; a change needs its ETag as If-Match",
      tag,
      access: needs("reconcile:read"),
      params,
      response: { description: "The setting in force.", ...setting },
      fromPrimary: true,
      errors: ["not_found"],
    },
    async ({ c, reader, params: { account, name } }) =>
      sendSetting(c, reader.database, await namedAccount(reader.database, reader, account), name),
  );

  addRoute(
    api,
    {
      method: "put",
      path,
      operationId: "saveAccountSetting",
      summary: "Saves a new version of a setting",
      description:
        "Needs `If-Match`. Earlier versions stay: a report with an earlier `known_at` uses the version of that time.",
      tag,
      access: needs("settings:write"),
      params,
      body: newSettingSchema,
      response: { description: "The setting in force.", ...setting },
      errors: ["not_found"],
      ifMatch: "always",
    },
    async ({ c, caller, writing: { database }, params: { account: given, name }, body }) => {
      const account = await namedAccount(database, caller, given);
      const checked = checkAccountSetting(name, body.value);
      if ("issues" in checked)
        throw refuseInput(
          checked.issues.map((issue) => ({
            place: "body",
            issue: { ...issue, path: ["value", ...issue.path] },
            known: null,
          })),
        );
      const outcome = await setAccountSetting(database, {
        account,
        name,
        value: checked.value,
        reason: body.reason,
        seenVersion: requireVersion(c),
        ...authorOf(c, caller),
      });
      if (outcome === "changed_meanwhile") throw changedMeanwhile();
      return sendSetting(c, database, account, name);
    },
  );
}

/** One that the key may see; whether a hidden one has that name is not disclosed. */
async function namedAccount(
  database: Queryable,
  { accountIds }: Pick<Caller, "accountIds">,
  name: string,
): Promise<{ id: number; name: string }> {
  const found = (await reportableAccounts(database, accountIds)).find((each) => each.name === name);
  if (!found) throw problem("not_found", "There is no such account, or this key may not see it.");
  return found;
}

async function sendSetting(
  c: ApiContext,
  database: Queryable,
  account: { id: number; name: string },
  name: (typeof accountSettingNames)[number],
): Promise<Response> {
  const shown = await showAccountSetting(database, { accountId: account.id, name });
  const json = setting.present({ ...shown, account: account.name, name });
  return sendVersioned(c, json);
}
