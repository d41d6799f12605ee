import { hostname } from "node:os";
import { SECOND } from "../core/duration.ts";
import type { Database } from "../store/database.ts";
import type { SyncDeps } from "../sync/deps.ts";
import type { CommandContext } from "./context.ts";
import { pause, randomShare } from "./open-accounts.ts";

/** A worker that falls silent loses its window after this long; it says "still here" four times in it. */
const leaseMs = 8 * SECOND;

export function workerName(): string {
  return `${hostname()}:${process.pid}`;
}

export function syncDeps(context: CommandContext, database: Database): SyncDeps {
  const { lagMs, lookbackMs, intervalMs, concurrency } = context.config.sync;
  return {
    database,
    log: context.log,
    sleep: pause,
    random: randomShare,
    failpoint: () => undefined,
    worker: workerName(),
    settings: { lagMs, lookbackMs, intervalMs, requestsMax: concurrency, leaseMs },
  };
}
