import { setTimeout as wait } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { DAY, HOUR, MINUTE } from "../../src/core/duration.ts";
import { formatInstant } from "../../src/core/instant.ts";
import type { SandboxOptions } from "../../src/sandbox/options.ts";
import { type RunningSandbox, startSandbox } from "../../src/sandbox/server.ts";
import type { Database } from "../../src/store/database.ts";
import type { SyncAccount, SyncDeps } from "../../src/sync/deps.ts";
import { syncOnce, type SyncResult } from "../../src/sync/sync-once.ts";
import { createUpstream, type UpstreamOptions } from "../../src/upstream/client.ts";
import { never } from "./sync-deps.ts";

/** A sandbox whose clock stands still: all that it will ever serve has happened, unless the test moves its clock. */
export interface FrozenSandbox {
  readonly sandbox: RunningSandbox;
  readonly clock: { nowMs: number };
  readonly fromMs: number;
  readonly toMs: number;
}

export async function startFrozenSandbox(options: Partial<SandboxOptions> = {}): Promise<FrozenSandbox> {
  // A minute behind the database's clock, so that even without a lag all of it lies in the past.
  const clock = { nowMs: Math.floor(Date.now() / 1000) * 1000 - MINUTE };
  const toMs = options.toMs ?? clock.nowMs;
  const fromMs = options.fromMs ?? toMs - 3 * DAY;
  const sandbox = await startSandbox({
    port: 0,
    transactions: 300,
    now: () => clock.nowMs,
    ...options,
    fromMs,
    toMs,
  });
  return { sandbox, clock, fromMs, toMs };
}

/** The same for one test, and closed after it. */
export async function openFrozenSandbox(options: Partial<SandboxOptions> = {}): Promise<FrozenSandbox> {
  const frozen = await startFrozenSandbox(options);
  onTestFinished(() => frozen.sandbox.close());
  return frozen;
}

export interface AccountOptions {
  /** Where it asks, when that is not the sandbox itself: a proxy, or a scripted server. */
  readonly url?: string;
  readonly syncStartMs?: number;
  readonly requestLimit?: number;
  readonly client?: Partial<UpstreamOptions>;
}

let accountsMade = 0;

/** A new account in the database that reads this sandbox. Rows of other tests are other accounts' rows. */
export async function addAccount(
  db: Database,
  source: { readonly url: string; readonly apiKey?: string; readonly apiSecret?: string },
  options: AccountOptions = {},
): Promise<SyncAccount> {
  const name = `account ${++accountsMade} of ${process.pid}`;
  const syncStartMs = options.syncStartMs ?? Date.now() - 3 * DAY - 2 * HOUR;
  const [row] = await db.query<{ id: number }>(
    `insert into tieout.accounts (name, base_url, sync_start, request_limit)
     values ($1, $2, $3, $4)
     returning id`,
    [name, source.url, formatInstant(syncStartMs), options.requestLimit ?? 4],
  );
  const upstream = createUpstream({
    baseUrl: options.url ?? source.url,
    apiKey: source.apiKey ?? "pk_sandbox",
    apiSecret: source.apiSecret ?? "sk_sandbox",
    now: Date.now,
    random: () => 0.01,
    sleep: (ms) => wait(ms),
    ...options.client,
  });
  onTestFinished(() => upstream.close());
  return { id: row?.id ?? 0, name, upstream };
}

/** Everything up to now, as `sync --once` does it. */
export function syncToEnd(deps: SyncDeps, account: SyncAccount): Promise<SyncResult> {
  return syncOnce(deps, account, { signal: never });
}

/** Lets all leases of the account run out, and all waits be over: what time would do, without the waiting. */
export async function passTime(db: Database, accountId: number): Promise<void> {
  await db.query(
    `update tieout.sync_windows
     set lease_until = case when state = 'walking' then clock_timestamp() - interval '1 millisecond' end,
         not_before = null
     where account_id = $1 and state in ('planned', 'walking', 'failed')`,
    [accountId],
  );
  await db.query(
    "update tieout.accounts set not_before = null, refused_credentials = null, probe_at = null where id = $1",
    [accountId],
  );
}
