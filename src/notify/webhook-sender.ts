import { setTimeout as sleep } from "node:timers/promises";
import { HOUR, SECOND } from "../core/duration.ts";
import { endpointSecret, signingKeyFingerprint, signWebhook } from "../core/webhook-signature.ts";
import { createTrouble } from "../core/trouble.ts";
import type { Database } from "../store/database.ts";
import { listenTo } from "../store/listen.ts";
import { forgetOldEvents } from "../store/notify/forget-events.ts";
import {
  type Attempt,
  claimDeliveries,
  type ClaimedDelivery,
  nextDueMs,
  settleAttempts,
} from "../store/notify/send-queue.ts";
import { asDatabaseError } from "../store/sql-errors.ts";
import type { EventPoster } from "./post-event.ts";
import { createWakeUp } from "./wake-up.ts";

export interface SenderDeps {
  database: Database;
  poster: Pick<EventPoster, "post">;
  /** What the secrets of endpoints are derived from. */
  signingKey: string;
  /** Tells this process from all others, also from an earlier one of the same number. */
  sender: string;
  now: () => number;
  /** 0 to 1. */
  random: () => number;
  log: { info(fields: object): void; warn(fields: object): void };
  /** Where tests let a process die. */
  failpoint?: (name: "claim.after" | "post.after" | "settle.after") => Promise<void> | void;
  /** Under way at once: in all, and to one endpoint. */
  concurrency?: number;
  perEndpoint?: number;
  leaseMs?: number;
  onAttempt?: (attempt: { result: "delivered" | "failed"; seconds: number }) => void;
}

const concurrencyDefault = 128;
const perEndpointDefault = 64;
/** Longer than an attempt may take: after it another sender tries again. */
const leaseDefaultMs = 30 * SECOND;
/** A notification may be lost, and a sender may die: at the latest after this long someone looks. */
const pollMs = 5 * SECOND;
const retryMs = 2 * SECOND;

export interface WebhookSender {
  /** Ends what is under way. What was not noted is sent again by the next sender. */
  stop(): Promise<void>;
}

/**
 * Sends what lies in the outbox: at least once, in order per subject. Everything that decides lies in Postgres, so any number
 * of these may run, and any of them may be killed at any moment.
 */
export function startWebhookSender(deps: SenderDeps): WebhookSender {
  const { database, log } = deps;
  const stopping = new AbortController();
  const wakeUp = createWakeUp();
  const underWay = new Map<string, number>();
  const attempts = new Set<Promise<void>>();
  const settle = createSettler(deps);
  let cleanedMs = 0;

  async function attempt(delivery: ClaimedDelivery): Promise<void> {
    const begun = deps.now();
    const { status, error } = await sendOne(deps, delivery);
    await deps.failpoint?.("post.after");
    deps.onAttempt?.({
      result: error === null ? "delivered" : "failed",
      seconds: (deps.now() - begun) / SECOND,
    });
    const { endpointId, eventId } = delivery;
    await settle({ endpointId, eventId, attempts: delivery.attempts, status, error, chance: deps.random() });
  }

  function start(delivery: ClaimedDelivery): void {
    const { endpointId } = delivery;
    underWay.set(endpointId, (underWay.get(endpointId) ?? 0) + 1);
    const running = attempt(delivery)
      // Its lease ends, and it is sent again.
      .catch((err: unknown) => log.warn({ event: "webhook_attempt_not_noted", endpoint: endpointId, err }))
      .finally(() => {
        const left = (underWay.get(endpointId) ?? 1) - 1;
        if (left === 0) underWay.delete(endpointId);
        else underWay.set(endpointId, left);
        attempts.delete(running);
        wakeUp.ring();
      });
    attempts.add(running);
  }

  async function round(): Promise<void> {
    const free = (deps.concurrency ?? concurrencyDefault) - attempts.size;
    const claimed =
      free <= 0
        ? []
        : await claimDeliveries(database, {
            sender: deps.sender,
            limit: free,
            perEndpoint: deps.perEndpoint ?? perEndpointDefault,
            leaseMs: deps.leaseMs ?? leaseDefaultMs,
            underWay,
          });
    if (claimed.length > 0) await deps.failpoint?.("claim.after");
    for (const delivery of claimed) start(delivery);
    if (claimed.length > 0) return;
    if (attempts.size === 0 && deps.now() - cleanedMs > HOUR) {
      cleanedMs = deps.now();
      while ((await forgetOldEvents(database)) > 0 && !stopping.signal.aborted);
    }
    const dueMs = free <= 0 ? null : await nextDueMs(database);
    await wakeUp.waitFor(Math.min(pollMs, Math.max(1, dueMs ?? pollMs)));
  }

  const sending = keepGoing(deps, stopping.signal, "webhook_sender_interrupted", async (works) => {
    while (!stopping.signal.aborted) {
      await round();
      works();
    }
  });
  const listening = keepGoing(deps, stopping.signal, "webhook_listener_interrupted", (works) => {
    const onNotification = async () => {
      works();
      wakeUp.ring();
    };
    return listenTo(database, "tieout_webhooks", onNotification, stopping.signal);
  });
  return {
    stop: async () => {
      stopping.abort();
      wakeUp.ring();
      await Promise.all([sending, listening]);
      await Promise.all(attempts);
    },
  };
}

async function keepGoing(
  deps: SenderDeps,
  stopping: AbortSignal,
  event: string,
  work: (works: () => void) => Promise<void>,
): Promise<void> {
  const trouble = createTrouble(deps, { event });
  while (!stopping.aborted) {
    try {
      await work(trouble.over);
    } catch (caught) {
      if (stopping.aborted) return;
      const { message, code } = asDatabaseError(caught);
      trouble.came(message, code);
      await sleep(retryMs, undefined, { signal: stopping }).catch(() => undefined);
    }
  }
}

/** Attempts that end while others are being noted are noted together. */
function createSettler(deps: SenderDeps): (attempt: Attempt) => Promise<void> {
  let waiting: Attempt[] = [];
  let next: Promise<void> | null = null;
  let last: Promise<unknown> = Promise.resolve();

  async function flush(): Promise<void> {
    await last.catch(() => undefined);
    const batch = waiting;
    waiting = [];
    next = null;
    const noting = settleAttempts(deps.database, deps.sender, batch);
    last = noting;
    const { disabled } = await noting;
    for (const endpoint of disabled) deps.log.warn({ event: "webhook_disabled", endpoint: `wh_${endpoint}` });
    await deps.failpoint?.("settle.after");
  }

  return (attempt) => {
    waiting.push(attempt);
    return (next ??= flush());
  };
}

async function sendOne(deps: SenderDeps, delivery: ClaimedDelivery) {
  const { endpointId: id, secretVersion: version, bothSecrets, eventId, type, at, data } = delivery;
  if (delivery.keyFingerprint !== signingKeyFingerprint(deps.signingKey)) {
    const error =
      "this sender has another WEBHOOK_SIGNING_KEY than the one that made the secret: configure it, or rotate the secret";
    return { status: null, error };
  }
  const body = `{"type":${JSON.stringify(type)},"timestamp":"${at}","data":${data}}`;
  const event = { id: `evt_${eventId}`, timestamp: Math.floor(deps.now() / SECOND), body };
  const versions = bothSecrets ? [version, version - 1] : [version];
  const signatures = versions.map((one) =>
    signWebhook(endpointSecret(deps.signingKey, { id, version: one }), event),
  );
  return deps.poster.post(
    delivery.url,
    {
      "webhook-id": event.id,
      "webhook-timestamp": String(event.timestamp),
      "webhook-signature": signatures.join(" "),
    },
    body,
  );
}
