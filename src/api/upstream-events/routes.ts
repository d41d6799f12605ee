import { z } from "@hono/zod-openapi";
import { MINUTE, SECOND } from "../../core/duration.ts";
import type { Secret } from "../../core/secret.ts";
import { isSignedWith } from "../../core/webhook-signature.ts";
import { accountIdsOf } from "../../store/accounts/accounts.ts";
import { noteUpstreamEvent } from "../../store/windows/upstream-events.ts";
import { uncounted } from "../../access/access.ts";
import type { Api, ApiContext } from "../deps.ts";
import { problem } from "../problem.ts";
import { readBodyText } from "../request-body.ts";
import { documentOperation, problemResponses } from "../document.ts";
import { declareAccess } from "../route.ts";

export interface UpstreamEventDeps {
  /** What the aggregator signs with, by account. An account without one takes no events. */
  secrets: ReadonlyMap<string, Secret>;
  /** The transaction that an event is about, in the aggregator's words; `null` when it is about none. */
  transactionOf: (body: string) => string | null;
  /** Reads what has been planned. Failing, the next round of the workers does. */
  wakeSync: (accountId: number) => Promise<void>;
}

/** As Standard Webhooks says: an event that was signed longer ago is a replay. */
const ageMaxMs = 5 * MINUTE;
const path = "/v1/events/{account}";

/**
 * Takes events of the aggregator. An event is a hint: whatever it says, only the id of its transaction is used, and the
 * transaction is read again with the account's own key.
 */
export function upstreamEventRoutes(deps: UpstreamEventDeps): (api: Api) => void {
  return (api) => {
    // Requests with the right secret are not limited; all others are counted below.
    declareAccess(api, "post", path, uncounted);
    describe(api);
    api.app.post("/v1/events/:account", async (c) => {
      const name = c.req.param("account");
      const body = await readBodyText(c);
      const eventId = c.req.header("webhook-id") ?? "";
      if (!isGenuine(deps, api, c, { name, eventId, body })) throw refuse(api, c);
      const transactionId = deps.transactionOf(body);
      const { ids } = await accountIdsOf(api.deps.database, [name]);
      const [accountId] = ids;
      if (transactionId === null || accountId === undefined) return c.json({ heard: false }, 202);
      const heard = await noteUpstreamEvent(api.deps.database, { accountId, eventId, transactionId });
      if (heard)
        await deps
          .wakeSync(accountId)
          .catch((err: unknown) => api.deps.log.error({ event: "sync_not_woken", err }));
      return c.json({ heard }, 202);
    });
  };
}

function isGenuine(
  { secrets }: UpstreamEventDeps,
  api: Api,
  c: ApiContext,
  { name, eventId, body }: { name: string; eventId: string; body: string },
): boolean {
  const secret = secrets.get(name);
  const stamp = c.req.header("webhook-timestamp") ?? "";
  if (secret === undefined || !/^[\w.-]{1,200}$/.test(eventId) || !/^\d{1,12}$/.test(stamp)) return false;
  const timestamp = Number(stamp);
  if (Math.abs(api.deps.now() - timestamp * SECOND) > ageMaxMs) return false;
  const signature = c.req.header("webhook-signature") ?? "";
  return isSignedWith(secret.reveal(), { id: eventId, timestamp, body }, signature);
}

/** The same words for an unknown account: names must not be guessable. */
function refuse(api: Api, c: ApiContext) {
  const { allowed, resetSeconds } = api.limits.take("refused", `address ${c.get("client").address}`);
  if (!allowed)
    return problem("rate_limited", `Too many refused events. Wait ${resetSeconds} s.`, {
      headers: { "Retry-After": String(resetSeconds) },
    });
  return problem(
    "signature_invalid",
    "The event is not signed with the secret of this account (UPSTREAM_WEBHOOK_SECRET), or is older than five minutes.",
  );
}

function describe(api: Api): void {
  documentOperation(api, {
    method: "post",
    path,
    operationId: "hearUpstreamEvent",
    summary: "Takes a signed event of the aggregator and reads its transaction again",
    description:
      "Needs no key: the event is signed with the account's secret, as Standard Webhooks specifies. Replayed events have no effect.",
    tags: ["Webhooks"],
    security: [],
    request: {
      params: z.strictObject({ account: z.string().openapi({ example: "default" }) }),
      headers: z.object({
        "webhook-id": z.string().describe("Id of the event; a repeated one has no effect."),
        "webhook-timestamp": z.string().describe("When it was sent, in seconds since 1970."),
        "webhook-signature": z.string().describe("`v1,` and the signature, in base64."),
      }),
      body: { content: { "application/json": { schema: z.looseObject({}) } }, required: true },
    },
    responses: {
      202: {
        description: "Whether the event was new.",
        content: {
          "application/json": { schema: z.strictObject({ heard: z.boolean() }), example: { heard: true } },
        },
      },
      ...problemResponses(["signature_invalid", "body_too_large", "rate_limited", "internal_error"]),
    },
  });
}
