import { z } from "@hono/zod-openapi";
import { eventTypeNames } from "../../core/event-types.ts";
import { listOf, time } from "../list.ts";

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
const accounts = z
  .array(z.string().regex(/^[^\0]+$/))
  .min(1)
  .max(100)
  .openapi({ description: "Accounts whose events it gets. Left out: those of the key." });

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
      .openapi({ description: "How long both secrets sign; a day when left out." }),
  })
  .openapi("RotateWebhookSecret");

export const replaySchema = z
  .strictObject({
    events: z
      .array(z.string().regex(/^evt_\d{1,15}$/, "is no id of an event, such as evt_17"))
      .min(1)
      .max(1_000)
      .optional()
      .openapi({ description: "These events; left out: all of the period.", example: ["evt_4711"] }),
    from: z.iso.datetime({ offset: true }).optional(),
    to: z.iso.datetime({ offset: true }).optional(),
    all: z
      .boolean()
      .optional()
      .openapi({ description: "Also those that were delivered. Left out: only failed and missed ones." }),
  })
  .openapi("WebhookReplay");

export const webhookSchema = z
  .strictObject({
    object: z.literal("webhook"),
    id: z.string(),
    url: z.string(),
    description: z.string(),
    events: z.array(z.enum(eventNames)),
    accounts: z.array(z.string()).nullable().openapi({ description: "null: all of them." }),
    state: z.enum(["enabled", "disabled"]),
    disabled_reason: z.string().nullable(),
    disabled_at: time.nullable(),
    pending: z.int().openapi({ description: "Deliveries that wait; 1000 means as many or more." }),
    failures: z.int().openapi({ description: "Failed attempts since the last success." }),
    failing_since: time.nullable(),
    last_success_at: time.nullable(),
    last_error: z.string().nullable(),
    previous_secret_until: time.nullable(),
    created_at: time,
    created_by: z.string(),
    version: z.int(),
  })
  .openapi("Webhook");

export const webhookWithSecretSchema = z
  .strictObject({
    ...webhookSchema.shape,
    secret: z
      .string()
      .nullable()
      .openapi({ description: "What events are signed with; null when the request is answered again." }),
  })
  .openapi("WebhookWithSecret");

export const deliverySchema = z
  .strictObject({
    object: z.literal("webhook_delivery"),
    event: z.string(),
    type: z.string(),
    at: time,
    data: z.looseObject({}),
    state: z.enum(["pending", "delivered", "failed"]),
    attempts: z.int(),
    next_attempt_at: time.nullable(),
    status: z.int().nullable().openapi({ description: "The receiver's status at the last attempt." }),
    error: z.string().nullable(),
    settled_at: time.nullable(),
  })
  .openapi("WebhookDelivery");

export const replayedSchema = z
  .strictObject({ object: z.literal("webhook_replay"), events: z.int() })
  .openapi("WebhookReplayed");

export const webhookListSchema = listOf("WebhookList", webhookSchema);
export const deliveryListSchema = listOf("WebhookDeliveryList", deliverySchema);

export const webhookExample = {
  object: "webhook",
  id: "wh_3fK9ZQ2bX81L",
  url: "https://example.com/tieout-events",
  description: "finance bot",
  events: ["discrepancy.raised", "payout.declared"],
  accounts: null,
  state: "enabled",
  disabled_reason: null,
  disabled_at: null,
  pending: 0,
  failures: 0,
  failing_since: null,
  last_success_at: "2026-11-14T10:00:00.000Z",
  last_error: null,
  previous_secret_until: null,
  created_at: "2026-11-14T09:00:00.000Z",
  created_by: "key_3fK9ZQ2b",
  version: 1,
};

export const secretExample = { ...webhookExample, secret: "whsec_…" };

export const deliveryExample = {
  object: "webhook_delivery",
  event: "evt_4711",
  type: "discrepancy.raised",
  at: "2026-11-14T10:00:00.000Z",
  data: { account: "default", id: "dis_12", code: "missing_in_statement" },
  state: "delivered",
  attempts: 1,
  next_attempt_at: null,
  status: 204,
  error: null,
  settled_at: "2026-11-14T10:00:00.120Z",
};
