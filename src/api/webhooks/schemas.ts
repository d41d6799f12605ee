import { z } from "@hono/zod-openapi";
import { eventTypeNames } from "../../core/event-types.ts";
import type { DeliveryRow } from "../../store/notify/deliveries.ts";
import type { Endpoint } from "../../store/notify/endpoints.ts";
import { accountNames } from "../body-fields.ts";
import { describeObject, time, withMembers } from "../object.ts";
import { isoTime, jsonWith } from "../present.ts";

const eventNames = ["*", ...eventTypeNames] as const;

const url = z.string().trim().min(1).max(2_000).openapi({ example: "https://example.com/tieout-events" });
const description = z
  .string()
  .trim()
  .max(200)
  .regex(/^[^\0]*$/, "holds a NUL character");
const events = z
  .array(z.enum(eventNames))
  .min(1)
  .max(eventNames.length)
  .openapi({ description: "Types of events; `*` means all of them.", example: ["discrepancy.raised"] });
const accounts = accountNames.describe("Accounts whose events it gets. If left out: those of the key.");

export const newWebhookSchema = z
  .strictObject({ url, description: description.optional(), events, accounts: accounts.optional() })
  .openapi("NewWebhook");

export const webhookChangeSchema = z
  .strictObject({
    url: url.optional(),
    description: description.optional(),
    events: events.optional(),
    state: z.enum(["enabled", "disabled"]).optional(),
  })
  .openapi("WebhookChange");

export const rotateSchema = z
  .strictObject({
    overlap_seconds: z
      .int()
      .min(0)
      .max(30 * 24 * 3_600)
      .optional()
      .describe("How long both secrets sign; a day if left out."),
  })
  .openapi("RotateWebhookSecret");

export const replaySchema = z
  .strictObject({
    events: z
      .array(z.string().regex(/^evt_\d{1,15}$/, "is not the id of an event, such as evt_17"))
      .min(1)
      .max(1_000)
      .optional()
      .openapi({ description: "These events; left out: all of the period.", example: ["evt_4711"] }),
    from: z.iso.datetime({ offset: true }).optional(),
    to: z.iso.datetime({ offset: true }).optional(),
    all: z
      .boolean()
      .optional()
      .describe("Also those already delivered. If left out: only failed and missed ones."),
  })
  .openapi("WebhookReplay");

export const webhook = describeObject({
  name: "Webhook",
  object: "webhook",
  members: {
    id: z.string(),
    url: z.string(),
    description: z.string(),
    events: z.array(z.enum(eventNames)),
    accounts: z.array(z.string()).nullable().describe("null: all of them."),
    state: z.enum(["enabled", "disabled"]),
    disabled_reason: z.string().nullable(),
    disabled_at: time.nullable(),
    pending: z.int().describe("Waiting deliveries; 1000 means 1000 or more."),
    failures: z.int().describe("Failed attempts since the last success."),
    failing_since: time.nullable(),
    last_success_at: time.nullable(),
    last_error: z.string().nullable(),
    previous_secret_until: time.nullable(),
    created_at: time,
    created_by: z.string(),
    version: z.int(),
  },
  present: (row: Endpoint) => ({
    id: `wh_${row.id}`,
    previous_secret_until: isoTime(row.previousUntil),
  }),
  example: {
    id: "3fK9ZQ2bX81L",
    url: "https://example.com/tieout-events",
    description: "finance bot",
    events: ["discrepancy.raised", "payout.declared"],
    state: "enabled",
    pending: 0,
    failures: 0,
    lastSuccessAt: "2026-11-14 10:00:00+00",
    previousUntil: null,
    createdAt: "2026-11-14 09:00:00+00",
    createdBy: "key_3fK9ZQ2b",
    version: 1,
  },
});

export const presentWebhook = webhook.present;

export const webhookWithSecret = withMembers(
  webhook,
  "WebhookWithSecret",
  {
    secret: z
      .string()
      .nullable()
      .describe("The secret that events are signed with; null in the answer to a repeated request."),
  },
  { secret: "whsec_…" },
);

export const webhookReplay = describeObject({
  name: "WebhookReplayed",
  object: "webhook_replay",
  members: { events: z.int() },
  present: (_replay: { events: number }) => ({}),
  example: { events: 12 },
});

const deliveryWithoutData = describeObject({
  name: "WebhookDelivery",
  object: "webhook_delivery",
  members: {
    event: z.string(),
    type: z.string(),
    at: time,
    state: z.enum(["pending", "delivered", "failed"]),
    attempts: z.int(),
    next_attempt_at: time.nullable(),
    status: z.int().nullable().describe("The receiver's status at the last attempt."),
    error: z.string().nullable(),
    settled_at: time.nullable(),
  },
  present: (row: DeliveryRow) => ({
    event: `evt_${row.eventId}`,
    next_attempt_at: row.state === "pending" ? isoTime(row.nextAt) : null,
  }),
  example: {
    eventId: 4711,
    type: "discrepancy.raised",
    at: "2026-11-14 10:00:00+00",
    state: "delivered",
    attempts: 1,
    status: 204,
    settledAt: "2026-11-14 10:00:00.12+00",
  },
});

export const delivery = withMembers(
  deliveryWithoutData,
  "WebhookDelivery",
  { data: z.looseObject({}) },
  { data: { account: "default", id: "dis_12", code: "missing_in_statement" } },
);

/** As JSON text: the data of an event is text already. */
export function presentDelivery(row: DeliveryRow): string {
  return jsonWith(deliveryWithoutData.present(row), { data: row.data });
}
