import { z } from "@hono/zod-openapi";
import {
  deliveryPaging,
  listDeliveries,
  replayEvents,
  sendTestEvent,
} from "../../store/notify/deliveries.ts";
import { needs } from "../../access/access.ts";
import { eventTypeNames } from "../../core/event-types.ts";
import type { Api } from "../deps.ts";
import { addList } from "../list.ts";
import { choices } from "../parameters.ts";
import { addRoute } from "../route.ts";
import { authorOf } from "../send-file.ts";
import { sendObject } from "../send.ts";
import { oneEndpoint } from "./one-endpoint.ts";
import { delivery, presentDelivery, replaySchema, webhook, webhookReplay } from "./schemas.ts";

const tag = "Webhooks";
const access = needs("settings:write");
const params = z.strictObject({ id: z.string().openapi({ example: webhook.example.id }) });
const states = ["pending", "delivered", "failed"] as const;

/** What was sent to an endpoint, and sending it again. */
export function addDeliveryRoutes(api: Api): void {
  addRoute(
    api,
    {
      method: "post",
      path: "/v1/webhooks/{id}/test",
      operationId: "testWebhook",
      summary: "Sends an event of type webhook.test to the endpoint",
      tag,
      access,
      params,
      body: z.strictObject({}),
      response: {
        status: 202,
        description: "The delivery; list the deliveries to see how it went.",
        schema: delivery.schema,
        example: { ...delivery.example, type: "webhook.test", state: "pending" },
      },
      errors: ["not_found"],
    },
    async ({ c, caller, reader, writing, params: { id } }) => {
      const held = await oneEndpoint(reader, id);
      const sent = await sendTestEvent(writing.database, held.id, authorOf(c, caller));
      return sendObject(c, presentDelivery(sent), 202);
    },
  );

  addList(
    api,
    {
      path: "/v1/webhooks/{id}/deliveries",
      operationId: "listWebhookDeliveries",
      summary: "Sent and waiting deliveries of an endpoint, newest event first",
      tag,
      access,
      params,
      filters: {
        state: choices("Its progress.", states),
        type: choices("Type of event.", eventTypeNames),
      },
      name: "WebhookDeliveryList",
      of: delivery,
      page: "A page of deliveries.",
      fromPrimary: true,
      exampleUrl: `/v1/webhooks/${webhook.example.id}/deliveries`,
      errors: ["not_found"],
    },
    async ({ reader, params: { id }, query }) => {
      const held = await oneEndpoint(reader, id);
      return {
        paging: deliveryPaging,
        read: (page) => listDeliveries(reader.database, held.id, query, page),
        present: presentDelivery,
      };
    },
  );

  addRoute(
    api,
    {
      method: "post",
      path: "/v1/webhooks/{id}/replay",
      operationId: "replayWebhook",
      summary: "Sends events again, including those missed while the endpoint was disabled",
      description:
        "Events are kept for 30 days. At most 100,000 are sent again by one request, the oldest first; ask again for the rest.",
      tag,
      access,
      params,
      body: replaySchema,
      response: { status: 202, description: "How many will be sent.", ...webhookReplay },
      errors: ["not_found"],
    },
    async ({ c, caller, reader, writing, params: { id }, body }) => {
      const held = await oneEndpoint(reader, id);
      const events = await replayEvents(
        writing.database,
        held.id,
        {
          eventIds: body.events?.map((event) => Number(event.slice("evt_".length))),
          from: body.from,
          to: body.to,
          undelivered: body.all !== true,
        },
        authorOf(c, caller),
      );
      return sendObject(c, webhookReplay.present({ events }), 202);
    },
  );
}
