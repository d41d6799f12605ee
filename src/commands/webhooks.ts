import { randomBytes } from "node:crypto";
import { isoTime } from "../api/present.ts";
import { counted } from "../core/counted.ts";
import { presentDelivery, presentWebhook } from "../api/webhooks/schemas.ts";
import { parseDurationMs } from "../core/duration.ts";
import { usageError } from "../core/errors.ts";
import { eventTypeNames, isEventType } from "../core/event-types.ts";
import { notATime, parseTime } from "../core/period.ts";
import { endpointSecret, signingKeyFingerprint } from "../core/webhook-signature.ts";
import { endpointUrlCheck } from "../notify/endpoint-url.ts";
import { listDeliveries, replayEvents, sendTestEvent } from "../store/notify/deliveries.ts";
import {
  createEndpoint,
  deleteEndpoint,
  type Endpoint,
  listEndpoints,
  readEndpoint,
  rotateSecret,
} from "../store/notify/endpoints.ts";
import type { Database } from "../store/database.ts";
import { accountsNamed } from "./accounts-named.ts";
import { actorName } from "./actor-name.ts";
import type { CommandContext } from "./context.ts";
import { answerList, writeOut } from "./write-out.ts";
import { openWebhookKey } from "./webhook-key.ts";
import { withDatabase, withExistingDatabase } from "./with-store.ts";

interface CreateWebhookFlags {
  url: string;
  event?: string[];
  account?: string[];
  description: string;
  json: boolean;
}

/** The secret goes to stdout, alone or as JSON, so that it can be piped into a file; the explanation goes to stderr. */
export async function createWebhook(context: CommandContext, flags: CreateWebhookFlags): Promise<void> {
  const wrong = endpointUrlCheck(context.config.webhooks.allowedNetworks)(flags.url);
  if (wrong !== null) throw usageError(`--url: ${flags.url} ${wrong}`);
  const named = flags.event?.flatMap((text) => text.split(",")) ?? ["*"];
  const events = named.map((type) => {
    if (type === "*" || isEventType(type)) return type;
    throw usageError(`--event: expected one of ${eventTypeNames.join(", ")}, found "${type}"`);
  });
  const signingKey = await openWebhookKey(context.config);
  await withDatabase(context, async (database) => {
    const held = await createEndpoint(
      database,
      {
        id: randomBytes(6).toString("hex"),
        url: flags.url,
        description: flags.description,
        events,
        accountIds: await accountsNamed(database, flags.account),
        keyFingerprint: signingKeyFingerprint(signingKey),
      },
      { actor: actorName() },
    );
    const secret = secretOf(signingKey, held);
    if (flags.json) write({ ...presentWebhook(held), secret });
    else {
      writeOut(`${secret}\n`);
      context.say(`Webhook ${describe(held)}. Its secret is shown only now; rotate gives another.`);
    }
  });
}

export async function listWebhooks(context: CommandContext, flags: { json: boolean }): Promise<void> {
  await withExistingDatabase(context, async (database) => {
    const { rows } = await listEndpoints({ database, accountIds: null }, { limit: 10_000, after: null });
    const none = "There are no endpoints yet: tieout webhooks create adds one.";
    answerList(context, flags, { rows, present: presentWebhook, describe, none });
  });
}

export async function listWebhookDeliveries(
  context: CommandContext,
  id: string,
  flags: { state?: string; json: boolean },
): Promise<void> {
  await withExistingDatabase(context, async (database) => {
    const endpoint = await oneEndpoint(database, id);
    const filters = flags.state === undefined ? {} : { state: [flags.state] };
    const { rows } = await listDeliveries(database, endpoint.id, filters, { limit: 100, after: null });
    if (flags.json) {
      writeOut(`[${rows.map(presentDelivery).join(",")}]\n`);
      return;
    }
    if (rows.length === 0) context.say("There are no such deliveries.");
    for (const row of rows) {
      const outcome = row.error ?? (row.status === null ? "" : `the receiver answered ${row.status}`);
      writeOut(`evt_${row.eventId}  ${isoTime(row.at)}  ${row.type}  ${row.state}  ${outcome}\n`);
    }
  });
}

export async function testWebhook(context: CommandContext, id: string): Promise<void> {
  await withExistingDatabase(context, async (database) => {
    const endpoint = await oneEndpoint(database, id);
    const { eventId } = await sendTestEvent(database, endpoint.id, { actor: actorName() });
    context.say(`evt_${eventId} is on its way: see tieout webhooks deliveries wh_${endpoint.id}`);
  });
}

export async function rotateWebhook(
  context: CommandContext,
  id: string,
  flags: { overlap: string },
): Promise<void> {
  const overlapMs = parseDurationMs(flags.overlap);
  if (overlapMs === null)
    throw usageError(`--overlap: expected a duration such as 1d, found "${flags.overlap}"`);
  const signingKey = await openWebhookKey(context.config);
  await withExistingDatabase(context, async (database) => {
    const endpoint = await oneEndpoint(database, id);
    const keyFingerprint = signingKeyFingerprint(signingKey);
    const held = await rotateSecret(
      database,
      { id: endpoint.id, keyFingerprint, overlapMs },
      { actor: actorName() },
    );
    writeOut(`${secretOf(signingKey, held)}\n`);
    context.say(`Rotated: ${describe(held)}. For ${flags.overlap} both secrets sign.`);
  });
}

interface ReplayFlags {
  from?: string;
  to?: string;
  all: boolean;
}

export async function replayWebhook(context: CommandContext, id: string, flags: ReplayFlags): Promise<void> {
  const times = { from: timeOf("--from", flags.from), to: timeOf("--to", flags.to) };
  await withExistingDatabase(context, async (database) => {
    const endpoint = await oneEndpoint(database, id);
    const wanted = { ...times, undelivered: !flags.all };
    const count = await replayEvents(database, endpoint.id, wanted, { actor: actorName() });
    context.say(`${counted(count, "event is", "events are")} sent again`);
  });
}

export async function removeWebhook(context: CommandContext, id: string): Promise<void> {
  await withExistingDatabase(context, async (database) => {
    const endpoint = await oneEndpoint(database, id);
    await deleteEndpoint(database, endpoint.id, { actor: actorName() });
    context.say(`Removed: ${describe(endpoint)}`);
  });
}

function timeOf(flag: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const time = parseTime(text);
  if (time === null) throw usageError(`${flag}: ${notATime(text)}`);
  return time;
}

async function oneEndpoint(database: Database, id: string): Promise<Endpoint> {
  const held = await readEndpoint({ database, accountIds: null }, id.replace(/^wh_/, ""));
  if (held === null) throw usageError(`there is no webhook ${id}: see tieout webhooks list`);
  return held;
}

function secretOf(signingKey: string, { id, secretVersion: version }: Endpoint): string {
  return endpointSecret(signingKey, { id, version });
}

function describe(held: Endpoint): string {
  const notes = [
    held.accounts === null ? "all accounts" : `accounts ${held.accounts.join(", ")}`,
    `${held.pending} waiting`,
    held.lastError === null ? null : `last failure: ${held.lastError}`,
    held.disabledReason,
  ].filter(Boolean);
  return `wh_${held.id}  ${held.state}  ${held.url}  ${held.events.join(" ")}  (${notes.join("; ")})`;
}

function write(value: unknown): void {
  writeOut(`${JSON.stringify(value)}\n`);
}
