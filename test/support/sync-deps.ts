import { setTimeout as wait } from "node:timers/promises";
import { DAY, MINUTE } from "../../src/core/duration.ts";
import type { Database } from "../../src/store/database.ts";
import { createPageRecorder } from "../../src/store/transactions/page-recorder.ts";
import type { SyncDeps, SyncSettings } from "../../src/sync/deps.ts";

const testSettings: SyncSettings = {
  lagMs: 0,
  lookbackMs: 7 * DAY,
  intervalMs: MINUTE,
  requestsMax: 4,
  leaseMs: 10_000,
};

export interface LogLine {
  readonly level: "debug" | "info" | "warn" | "error";
  readonly event?: string;
  readonly [field: string]: unknown;
}

/** Dependencies of a worker in this process. Its jitter is nearly nothing, so that a retry comes at once. */
export function syncDeps(
  database: Database,
  over: Partial<Omit<SyncDeps, "settings">> & { settings?: Partial<SyncSettings>; lines?: LogLine[] } = {},
): SyncDeps {
  const { lines = [], settings, ...rest } = over;
  const at = (level: LogLine["level"]) => (fields: object) => void lines.push({ level, ...fields });
  return {
    database,
    recordPage: createPageRecorder(database),
    log: { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") },
    sleep: (ms, signal) => wait(ms, undefined, signal ? { signal } : {}),
    random: () => 0.01,
    failpoint: () => undefined,
    worker: "test",
    ...rest,
    settings: { ...testSettings, ...settings },
  };
}

/** A signal that never comes. */
export const never = new AbortController().signal;
