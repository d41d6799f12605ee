import { randomBytes } from "node:crypto";
import { endpointSecret, isSignedWith, signingKeyFingerprint } from "../../src/core/webhook-signature.ts";
import type { EventType } from "../../src/core/event-types.ts";
import { createPoster } from "../../src/notify/post-event.ts";
import { type SenderDeps, startWebhookSender, type WebhookSender } from "../../src/notify/webhook-sender.ts";
import type { Database } from "../../src/store/database.ts";
import { createEndpoint, type Endpoint } from "../../src/store/notify/endpoints.ts";
import type { ReceivedRequest } from "../support/http-server.ts";

export const signingKey = "a key that only this test has";

export async function anEndpoint(
  db: Database,
  url: string,
  more: { events?: readonly (EventType | "*")[]; accountIds?: number[] | null } = {},
): Promise<Endpoint> {
  return createEndpoint(
    db,
    {
      id: randomBytes(6).toString("hex"),
      url,
      description: "",
      events: more.events ?? ["*"],
      accountIds: more.accountIds ?? null,
      keyFingerprint: signingKeyFingerprint(signingKey),
    },
    { actor: "test" },
  );
}

export interface SenderOfTest extends WebhookSender {
  readonly log: Record<string, unknown>[];
}

/** A sender that may call this machine. */
export function aSender(db: Database, more: Partial<SenderDeps> = {}): SenderOfTest {
  const log: Record<string, unknown>[] = [];
  const poster = createPoster({ allowedNetworks: ["127.0.0.0/8"], connectionsMax: 16 });
  const note = (fields: object) => void log.push({ ...fields });
  const sender = startWebhookSender({
    database: db,
    poster,
    signingKey,
    sender: `test-${randomBytes(4).toString("hex")}`,
    now: Date.now,
    random: () => 0,
    log: { info: note, warn: note },
    ...more,
  });
  return {
    log,
    stop: async () => {
      await sender.stop();
      await poster.close();
    },
  };
}

export interface ReceivedEvent {
  id: string;
  type: string;
  timestamp: string;
  data: Record<string, unknown>;
}

export function eventIn({ headers, body }: ReceivedRequest): ReceivedEvent {
  return {
    ...(JSON.parse(body) as Omit<ReceivedEvent, "id">),
    id: String(headers["webhook-id"]),
  };
}

export function isSignedBy(
  request: ReceivedRequest,
  endpoint: Pick<Endpoint, "id">,
  version: number,
): boolean {
  const { headers, body } = request;
  const secret = endpointSecret(signingKey, { id: endpoint.id, version });
  const event = { id: String(headers["webhook-id"]), timestamp: Number(headers["webhook-timestamp"]), body };
  return isSignedWith(secret, event, String(headers["webhook-signature"]));
}

/** Everything is over: makes what waits for a later attempt due now. */
export async function makeDue(db: Database): Promise<void> {
  await db.query(
    "update tieout.webhook_deliveries set next_at = clock_timestamp() where state = 'pending' and next_at > clock_timestamp()",
  );
  await db.query("select pg_notify('tieout_webhooks', '')");
}
