import { hostname } from "node:os";
import { MINUTE, SECOND } from "../core/duration.ts";
import type { Secret } from "../core/secret.ts";
import { type Database, openDatabase } from "../store/database.ts";
import { rememberErased } from "../store/erasure/erased-subjects.ts";
import { createPageRecorder } from "../store/transactions/page-recorder.ts";
import type { SyncDeps } from "../sync/deps.ts";
import { createTurns } from "../sync/take-turns.ts";
import type { CommandContext } from "./context.ts";
import { findErasureKey } from "./erasure-key.ts";
import { pause, randomShare } from "./open-accounts.ts";

/** A worker that falls silent loses its window after this long; it says "still here" four times in it. */
const leaseMs = 8 * SECOND;

/** Connections for walkers: each page is one short statement, so a few serve many walkers. */
const connectionsMax = 16;

/** A pool of its own: a busy backfill must not starve the API, nor the other way round. */
export function openSyncDatabase(context: CommandContext, url: Secret): Database {
  return openDatabase(url, {
    part: "sync",
    connectionsMax,
    statementTimeoutMs: MINUTE,
    idleInTransactionTimeoutMs: 30 * SECOND,
    onError: (error) => context.log.warn({ event: "database_connection", reason: error.message }),
  });
}

export function workerName(): string {
  return `${hostname()}:${process.pid}`;
}

export function syncDeps(context: CommandContext, database: Database): SyncDeps {
  const { lagMs, lookbackMs, intervalMs, concurrency } = context.config.sync;
  return {
    database,
    recordPage: createPageRecorder(database),
    erasures: rememberErased(database, () => findErasureKey(context.config)),
    log: context.log,
    sleep: pause,
    random: randomShare,
    takeTurn: createTurns(),
    failpoint: () => undefined,
    worker: workerName(),
    settings: { lagMs, lookbackMs, intervalMs, requestsMax: concurrency, leaseMs },
  };
}
