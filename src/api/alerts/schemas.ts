import { z } from "@hono/zod-openapi";
import { type AlertKind, alertKinds, isAlertKind } from "../../core/alert-kinds.ts";
import type { NamedRule } from "../../store/notify/alert-rules.ts";
import type { NamedAlert } from "../../store/notify/alerts.ts";
import { accountNames, amountField } from "../body-fields.ts";
import { describeObject, time } from "../object.ts";
import { referenceTo } from "../references.ts";

export const kindNames = Object.keys(alertKinds).filter(isAlertKind) as [AlertKind, ...AlertKind[]];
const kind = z.enum(kindNames);

const settable = {
  accounts: accountNames
    .optional()
    .describe("Accounts that it watches. If left out of a new rule: those of the key."),
  limit_seconds: z
    .int()
    .min(0)
    .max(366 * 24 * 3_600)
    .optional()
    .openapi({ description: "For data_old: how old data may get.", example: 900 }),
  limit_amount: amountField("1000", { isMeant: (amount) => !amount.startsWith("-") })
    .optional()
    .describe("For value_at_risk: how much may be at risk."),
  currency: z
    .string()
    .regex(/^[A-Za-z0-9_]{2,20}$/, "is not a currency code, such as eur")
    .transform((code) => code.toLowerCase())
    .optional()
    .openapi({ type: "string", description: "Of that amount.", example: "eur" }),
  by_email: z.boolean().optional(),
  by_webhook: z
    .boolean()
    .optional()
    .describe("Whether alert.raised and alert.cleared are sent to webhook endpoints."),
};

export const newRuleSchema = z.strictObject({ kind, ...settable }).openapi("NewAlertRule");
export const ruleChangeSchema = z.strictObject(settable).openapi("AlertRuleChange");

export const alertRule = describeObject({
  name: "AlertRule",
  object: "alert_rule",
  members: {
    id: z.string(),
    kind,
    accounts: z.array(z.string()).nullable().describe("null: all of them."),
    limit_seconds: z.int().nullable(),
    limit_amount: z.string().nullable(),
    currency: z.string().nullable(),
    by_email: z.boolean(),
    by_webhook: z.boolean(),
    created_at: time,
    created_by: z.string(),
    version: z.int(),
  },
  present: (rule: NamedRule) => ({ id: referenceTo("alert_rule", rule.id), kind: rule.kind as AlertKind }),
  example: {
    id: 3,
    kind: "data_old",
    limitSeconds: 900,
    byEmail: true,
    byWebhook: false,
    createdAt: "2026-11-14 09:00:00+00",
    createdBy: "key_3fK9ZQ2b",
    version: 1,
  },
});

export const alert = describeObject({
  name: "Alert",
  object: "alert",
  members: {
    id: z.string(),
    rule: z.string().describe("The rule that found it; it may have been removed since."),
    kind,
    account: z.string().nullable().describe("null: it concerns several."),
    state: z.enum(["open", "cleared"]),
    title: z.string(),
    path: z.string().describe("Where on the page to look."),
    raised_at: time,
    cleared_at: time.nullable(),
    emailed_at: time.nullable(),
  },
  present: (row: NamedAlert) => ({
    id: referenceTo("alert", row.id),
    rule: referenceTo("alert_rule", row.ruleId),
    kind: row.kind as AlertKind,
    state: row.clearedAt === null ? ("open" as const) : ("cleared" as const),
  }),
  example: {
    id: 12,
    ruleId: 3,
    kind: "data_old",
    account: "default",
    title: "Data of account default is more than 00:15:00 old",
    path: "/sync",
    raisedAt: "2026-11-14 10:00:00+00",
  },
});
