import { needs } from "../../access/access.ts";
import { type AlertKind, type AlertLimit, limitProblem } from "../../core/alert-kinds.ts";
import type { AccountReader } from "../../store/conditions.ts";
import {
  changeRule,
  createRule,
  listNamedRules,
  type NamedRule,
  readRule,
  removeRule,
  rulePaging,
} from "../../store/notify/alert-rules.ts";
import { alertPaging, listAlerts } from "../../store/notify/alerts.ts";
import { chooseAccounts } from "../choose-accounts.ts";
import type { Api, ApiContext } from "../deps.ts";
import { changedMeanwhile, requireVersion } from "../if-match.ts";
import { addList } from "../list.ts";
import { accountFilter, oneOf, several } from "../parameters.ts";
import { problem } from "../problem.ts";
import { foundReference, notFound, referenceParams } from "../references.ts";
import { addRoute } from "../route.ts";
import { authorOf } from "../send-file.ts";
import { sendObject, sendVersioned } from "../send.ts";
import { addAlertRecipientRoutes } from "./recipients.ts";
import { alert, alertRule, kindNames, newRuleSchema, ruleChangeSchema } from "./schemas.ts";

const tag = "Alerts";
const reading = needs("reconcile:read");
const setting = needs("settings:write");
const params = referenceParams("alert_rule");
const kindParameter = several({ description: "Kind of rule.", enum: [...kindNames] }, oneOf(kindNames));
const states = ["open", "cleared"] as const;

/** Alerts, alert rules and the recipients of e-mail. Quiet hours are set on the page. */
export function addAlertRoutes(api: Api): void {
  addAlertRecipientRoutes(api);

  addList(
    api,
    {
      path: "/v1/alerts",
      operationId: "listAlerts",
      summary: "What alert rules have found, newest first",
      description:
        "A condition that lasts is one alert. Alerts about several accounts are shown to keys for all accounts.",
      tag,
      access: reading,
      filters: {
        state: several(
          { description: "open, cleared; both when left out.", enum: [...states] },
          oneOf(states),
        ),
        kind: kindParameter,
        account: accountFilter,
      },
      name: "AlertList",
      of: alert,
      page: "A page of alerts.",
      fromPrimary: true,
    },
    ({ reader, query }) => ({
      paging: alertPaging,
      read: (page) => listAlerts(reader, query, page),
      present: alert.present,
    }),
  );

  addList(
    api,
    {
      path: "/v1/alert-rules",
      operationId: "listAlertRules",
      summary: "Alert rules, newest first",
      tag,
      access: setting,
      filters: { kind: kindParameter },
      name: "AlertRuleList",
      of: alertRule,
      page: "A page of rules.",
      fromPrimary: true,
    },
    ({ reader, query }) => ({
      paging: rulePaging,
      read: (page) => listNamedRules(reader, query, page),
      present: alertRule.present,
    }),
  );

  addRoute(
    api,
    {
      method: "post",
      path: "/v1/alert-rules",
      operationId: "createAlertRule",
      summary: "Adds an alert rule",
      description:
        "Rules are checked every minute. `data_old` needs `limit_seconds`, `value_at_risk` needs `limit_amount` and `currency`.",
      tag,
      access: setting,
      body: newRuleSchema,
      response: { status: 201, description: "The rule.", ...alertRule },
      makesVersioned: true,
    },
    async ({ c, caller, reader, writing, body }) => {
      const limit = {
        limitSeconds: body.limit_seconds ?? null,
        limitAmount: body.limit_amount ?? null,
        currency: body.currency ?? null,
      };
      refuseLimit(body.kind, limit);
      const accountIds = await chooseAccounts(reader, body.accounts);
      const { by_email: byEmail = false, by_webhook: byWebhook = false } = body;
      const wanted = { kind: body.kind, accountIds, ...limit, byEmail, byWebhook };
      const { id } = await createRule(writing.database, wanted, authorOf(c, caller));
      return sendRule(c, await oneRule(reader, id), 201);
    },
  );

  addRoute(
    api,
    {
      method: "get",
      path: "/v1/alert-rules/{id}",
      operationId: "getAlertRule",
      summary: "One alert rule; a change needs its ETag as If-Match",
      tag,
      access: setting,
      params,
      response: { description: "The rule.", ...alertRule },
      fromPrimary: true,
      errors: ["not_found"],
    },
    async ({ c, reader, params: { id } }) =>
      sendRule(c, await oneRule(reader, foundReference("alert_rule", id))),
  );

  addRoute(
    api,
    {
      method: "patch",
      path: "/v1/alert-rules/{id}",
      operationId: "changeAlertRule",
      summary: "Changes the limit of an alert rule, its accounts, or its channels",
      description: "The kind cannot be changed: add another rule instead. Needs `If-Match`.",
      tag,
      access: setting,
      params,
      body: ruleChangeSchema,
      response: { description: "The rule.", ...alertRule },
      errors: ["not_found"],
      ifMatch: "always",
    },
    async ({ c, caller, reader, writing, params: { id }, body }) => {
      const held = await oneRule(reader, foundReference("alert_rule", id));
      const version = requireVersion(c);
      const limit = {
        limitSeconds: body.limit_seconds ?? held.limitSeconds,
        limitAmount: body.limit_amount ?? held.limitAmount,
        currency: body.currency ?? held.currency,
      };
      refuseLimit(held.kind as AlertKind, limit);
      const { accounts, by_email: byEmail = held.byEmail, by_webhook: byWebhook = held.byWebhook } = body;
      const chosen = accounts === undefined ? {} : { accountIds: await chooseAccounts(reader, accounts) };
      const changed = await changeRule(
        writing.database,
        { ...held, version },
        { ...limit, byEmail, byWebhook, ...chosen },
        authorOf(c, caller),
      );
      if (changed === null) throw changedMeanwhile();
      return sendRule(c, changed);
    },
  );

  addRoute(
    api,
    {
      method: "delete",
      path: "/v1/alert-rules/{id}",
      operationId: "deleteAlertRule",
      summary: "Removes an alert rule and clears its alerts",
      tag,
      access: setting,
      params,
      response: { description: "The rule as it was.", ...alertRule },
      errors: ["not_found"],
    },
    async ({ c, caller, reader, writing, params: { id } }) => {
      const held = await oneRule(reader, foundReference("alert_rule", id));
      if (!(await removeRule(writing.database, caller, held.id, authorOf(c, caller)))) notFound("alert_rule");
      return sendObject(c, alertRule.present(held));
    },
  );
}

function refuseLimit(kind: AlertKind, limit: AlertLimit): void {
  const wrong = limitProblem(kind, limit);
  if (wrong !== null) throw problem("invalid_body", `${wrong.field} ${wrong.why}.`, { param: wrong.field });
}

async function oneRule(reader: AccountReader, id: number): Promise<NamedRule> {
  return (await readRule(reader, id)) ?? notFound("alert_rule");
}

function sendRule(c: ApiContext, held: NamedRule, status: 200 | 201 = 200): Response {
  return sendVersioned(c, alertRule.present(held), status);
}
