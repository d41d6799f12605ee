import { signWebhook } from "../../core/webhook-signature.ts";
import type { Account, Webhook } from "../accounts/account.ts";
import type { KeyRing } from "../accounts/key-ring.ts";
import type { Journal } from "../checkout/journal.ts";
import type { SandboxRecord } from "../record.ts";
import type { Switches } from "../switches.ts";
import { happens, hash32 } from "../world/random.ts";
import type { Deliveries } from "./deliveries-file.ts";
import { eventsOf, type OrderEvent } from "./events.ts";
import type { LiveOrders } from "./live-orders.ts";

export interface WebhookDeps {
  readonly seed: string;
  readonly accounts: KeyRing;
  readonly journal: Pick<Journal, "all">;
  readonly live: LiveOrders;
  readonly switches: Switches;
  readonly deliveries: Deliveries;
  /** How much faster than the clock the waits between attempts pass. */
  readonly timeScale: number;
  /** A record in the words of the dialect. */
  readonly present: (record: SandboxRecord) => SandboxRecord;
  readonly now: () => number;
  readonly send: (url: string, headers: Record<string, string>, body: string) => Promise<number>;
}

/** One attempt, kept so that what was sent can be seen. */
export interface Attempt {
  readonly eventId: string;
  readonly type: string;
  readonly url: string;
  readonly atMs: number;
  /** The receiver's status; 0 when it could not be reached. */
  readonly status: number;
}

export interface Webhooks {
  /** Sends what is due by now; resolves when all answers are there. */
  deliverDue(): Promise<void>;
  /** The last attempts of an account, newest first. */
  attemptsOf(account: Account): readonly Attempt[];
}

/** How long after each failed attempt the next one comes: the example of Standard Webhooks. */
const waitsSeconds = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000];
const attemptsKept = 200;

/** Tells accounts about every status of their orders: at least once, in order unless disorder is asked for. */
export function createWebhooks(deps: WebhookDeps): Webhooks {
  const attempts = new Map<string, Attempt[]>();
  const waiting = new Map<string, { attempts: number; notBeforeMs: number }>();
  const underWay = new Set<string>();
  const silent = new Set<string>();
  /** Orders with nothing left to tell. */
  const finished = new Set<string>();

  async function attempt(webhook: Webhook, event: OrderEvent): Promise<void> {
    const atMs = deps.now();
    const timestamp = Math.floor(atMs / 1000);
    const status = await deps.send(
      webhook.url,
      {
        "content-type": "application/json",
        "webhook-id": event.id,
        "webhook-timestamp": String(timestamp),
        "webhook-signature": signWebhook(webhook.secret, { id: event.id, timestamp, body: event.body }),
      },
      event.body,
    );
    note(event, { eventId: event.id, type: typeOf(event), url: webhook.url, atMs, status });
    if (status >= 200 && status < 300) return settle(event);
    // Gone: the receiver wants no more events at all.
    if (status === 410) silent.add(event.apiKey);
    const made = (waiting.get(event.id)?.attempts ?? 0) + 1;
    const wait = waitsSeconds[made - 1];
    if (wait === undefined || status === 410) return settle(event);
    waiting.set(event.id, { attempts: made, notBeforeMs: atMs + (wait * 1000) / deps.timeScale });
  }

  function note(event: OrderEvent, made: Attempt): void {
    const list = attempts.get(event.apiKey) ?? [];
    attempts.set(event.apiKey, [made, ...list].slice(0, attemptsKept));
  }

  function settle(event: OrderEvent): void {
    waiting.delete(event.id);
    deps.deliveries.add(event.id);
  }

  /** In the order of the statuses: one that waits for its next attempt holds back those after it. */
  async function deliverOrder(
    account: Account,
    webhook: Webhook,
    events: readonly OrderEvent[],
  ): Promise<void> {
    const trouble = deps.switches.trouble.world;
    const befalls = (name: "lost" | "duplicates" | "disorder", event: OrderEvent) =>
      happens(trouble[`webhook-${name}`], hash32(deps.seed, "webhook", event.id, name));
    const isOut = ({ id }: OrderEvent) => deps.deliveries.has(id);
    for (const event of events) {
      if (isOut(event)) continue;
      if (silent.has(account.apiKey) || (waiting.get(event.id)?.notBeforeMs ?? 0) > deps.now()) return;
      // The last one is never held back: nothing would come after it.
      const isHeld = befalls("disorder", event) && !isFinal(event);
      if (isHeld && !events.some((other) => other.step > event.step && isOut(other))) continue;
      if (befalls("lost", event)) {
        settle(event);
        continue;
      }
      await attempt(webhook, event);
      if (befalls("duplicates", event)) await attempt(webhook, event);
      if (!isOut(event)) return;
    }
    const last = events.at(-1);
    if (!last || !isFinal(last) || !events.every(isOut)) return;
    finished.add(last.transactionId);
    deps.live.forget(account, last.transactionId);
  }

  async function deliverOnce(account: Account, events: readonly OrderEvent[]): Promise<void> {
    const transactionId = events[0]?.transactionId;
    if (!account.webhook || transactionId === undefined || underWay.has(transactionId)) return;
    underWay.add(transactionId);
    try {
      await deliverOrder(account, account.webhook, events);
    } finally {
      underWay.delete(transactionId);
    }
  }

  return {
    async deliverDue() {
      const nowMs = deps.now();
      const told = deps.accounts.accounts.filter(({ webhook }) => webhook !== null);
      const byKey = new Map(told.map((account) => [account.apiKey, account]));
      const ofCheckouts = [...deps.journal.all()].map(async (entry) => {
        const { apiKey, transactionId } = entry.purchase;
        const account = byKey.get(apiKey);
        if (account === undefined || finished.has(transactionId)) return;
        await deliverOnce(account, eventsOf(entry, nowMs, deps.present));
      });
      const ofHistory = told.flatMap((account) =>
        Array.from(deps.live.dueOf(account, nowMs).values(), (events) => deliverOnce(account, events)),
      );
      await Promise.all([...ofCheckouts, ...ofHistory]);
    },
    attemptsOf: ({ apiKey }) => attempts.get(apiKey) ?? [],
  };
}

function typeOf({ body }: OrderEvent): string {
  return /^\{"type":"([^"]*)"/.exec(body)?.[1] ?? "";
}

function isFinal(event: OrderEvent): boolean {
  return /^transaction\.(completed|failed|canceled)$/.test(typeOf(event));
}
