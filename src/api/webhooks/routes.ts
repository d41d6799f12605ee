import { z } from "@hono/zod-openapi";
import { DAY, SECOND } from "../../core/duration.ts";
import { endpointSecret, signingKeyFingerprint } from "../../core/webhook-signature.ts";
import {
  changeEndpoint,
  createEndpoint,
  deleteEndpoint,
  type Endpoint,
  endpointPaging,
  listEndpoints,
  rotateSecret,
} from "../../store/notify/endpoints.ts";
import { needs } from "../../access/access.ts";
import { chooseAccounts } from "../choose-accounts.ts";
import type { Api, ApiContext } from "../deps.ts";
import { changedMeanwhile, requireVersion } from "../if-match.ts";
import { addList } from "../list.ts";
import { problem } from "../problem.ts";
import { addRoute } from "../route.ts";
import { authorOf } from "../send-file.ts";
import { sendObject, sendSecret, sendVersioned } from "../send.ts";
import { addDeliveryRoutes } from "./delivery-routes.ts";
import { oneEndpoint } from "./one-endpoint.ts";
import {
  newWebhookSchema,
  rotateSchema,
  webhook,
  webhookChangeSchema,
  webhookWithSecret,
} from "./schemas.ts";

export interface WebhookRouteDeps {
  signingKey: string;
  randomBytes: (count: number) => Uint8Array;
  /** What is wrong with an address; `null`: nothing. */
  checkUrl: (url: string) => string | null;
}

const tag = "Webhooks";
const access = needs("settings:write");
const overlapDefaultSeconds = DAY / SECOND;
const params = z.strictObject({ id: z.string().openapi({ example: webhook.example.id }) });
const withoutSecret = (body: string) => JSON.stringify({ ...(JSON.parse(body) as object), secret: null });

/** Webhook endpoints: `createApp({ …, extensions: [webhookRoutes(deps)] })`. */
export function webhookRoutes(deps: WebhookRouteDeps): (api: Api) => void {
  const keyFingerprint = signingKeyFingerprint(deps.signingKey);
  const secretOf = ({ id, secretVersion: version }: Endpoint) =>
    endpointSecret(deps.signingKey, { id, version });
  const refuseUrl = (url: string | undefined) => {
    const wrong = url === undefined ? null : deps.checkUrl(url);
    if (wrong !== null) throw problem("invalid_body", `url ${wrong}.`, { param: "url" });
  };
  const sendWithSecret = (c: ApiContext, held: Endpoint, status: 200 | 201) =>
    sendSecret(c, { ...webhook.present(held), secret: secretOf(held) }, status);

  return (api) => {
    addList(
      api,
      {
        path: "/v1/webhooks",
        operationId: "listWebhooks",
        summary: "Webhook endpoints, newest first",
        tag,
        access,
        name: "WebhookList",
        of: webhook,
        page: "A page of endpoints.",
        fromPrimary: true,
      },
      ({ reader }) => ({
        paging: endpointPaging,
        read: (page) => listEndpoints(reader, page),
        present: webhook.present,
      }),
    );

    addRoute(
      api,
      {
        method: "post",
        path: "/v1/webhooks",
        operationId: "createWebhook",
        summary: "Adds a webhook endpoint and shows its secret",
        description:
          "Events are signed as Standard Webhooks specifies; docs/webhooks.md shows how to verify one. Private networks are refused unless WEBHOOK_ALLOWED_NETWORKS names them.",
        tag,
        access,
        body: newWebhookSchema,
        response: {
          status: 201,
          description: "The endpoint with its secret.",
          ...webhookWithSecret,
        },
        forStorage: withoutSecret,
      },
      async ({ c, caller, reader, writing, body }) => {
        refuseUrl(body.url);
        const accountIds = await chooseAccounts(reader, body.accounts);
        const held = await createEndpoint(
          writing.database,
          {
            id: Buffer.from(deps.randomBytes(6)).toString("hex"),
            url: body.url,
            description: body.description ?? "",
            events: body.events,
            accountIds,
            keyFingerprint,
          },
          authorOf(c, caller),
        );
        return sendWithSecret(c, held, 201);
      },
    );

    addRoute(
      api,
      {
        method: "get",
        path: "/v1/webhooks/{id}",
        operationId: "getWebhook",
        summary: "One endpoint; a change needs its ETag as If-Match",
        tag,
        access,
        params,
        response: { description: "The endpoint.", ...webhook },
        fromPrimary: true,
        errors: ["not_found"],
      },
      async ({ c, reader, params: { id } }) => sendWebhook(c, await oneEndpoint(reader, id)),
    );

    addRoute(
      api,
      {
        method: "patch",
        path: "/v1/webhooks/{id}",
        operationId: "changeWebhook",
        summary: "Changes an endpoint, or disables or enables it",
        description:
          "Events from the time when it was disabled are not sent unless you request a replay. Needs `If-Match`.",
        tag,
        access,
        params,
        body: webhookChangeSchema,
        response: { description: "The endpoint.", ...webhook },
        errors: ["not_found"],
        ifMatch: "always",
      },
      async ({ c, caller, reader, writing, params: { id }, body }) => {
        const held = await oneEndpoint(reader, id);
        refuseUrl(body.url);
        const seen = { id: held.id, version: requireVersion(c) };
        const changed = await changeEndpoint(writing.database, seen, body, authorOf(c, caller));
        if (changed === null) throw changedMeanwhile();
        return sendWebhook(c, changed);
      },
    );

    addRoute(
      api,
      {
        method: "delete",
        path: "/v1/webhooks/{id}",
        operationId: "deleteWebhook",
        summary: "Removes an endpoint and what waits for it",
        tag,
        access,
        params,
        response: { description: "The endpoint as it was.", ...webhook },
        errors: ["not_found"],
      },
      async ({ c, caller, reader, writing, params: { id } }) => {
        const held = await oneEndpoint(reader, id);
        const gone = await deleteEndpoint(writing.database, held.id, authorOf(c, caller));
        return sendObject(c, webhook.present(gone));
      },
    );

    addRoute(
      api,
      {
        method: "post",
        path: "/v1/webhooks/{id}/rotate",
        operationId: "rotateWebhookSecret",
        summary: "Gives an endpoint a new secret and shows it",
        description: "For the overlap every event carries two signatures, one by each secret.",
        tag,
        access,
        params,
        body: rotateSchema,
        response: { description: "The endpoint with its new secret.", ...webhookWithSecret },
        errors: ["not_found"],
        forStorage: withoutSecret,
      },
      async ({ c, caller, reader, writing, params: { id }, body }) => {
        const held = await oneEndpoint(reader, id);
        const overlapMs = (body.overlap_seconds ?? overlapDefaultSeconds) * SECOND;
        const rotated = await rotateSecret(
          writing.database,
          { id: held.id, keyFingerprint, overlapMs },
          authorOf(c, caller),
        );
        return sendWithSecret(c, rotated, 200);
      },
    );

    addDeliveryRoutes(api);
  };
}

function sendWebhook(c: ApiContext, held: Endpoint): Response {
  return sendVersioned(c, webhook.present(held));
}
