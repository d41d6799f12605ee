import { z } from "zod";
import { MINUTE, SECOND } from "../src/core/duration.ts";

/**
 * The table of jobs. A job is a wake-up: its payload holds ids only, and everything that decides what is done and by
 * whom lies in Postgres. So a job may be lost, doubled or late without harm.
 */
export const jobs = {
  heartbeat: { lane: "clock", payload: z.strictObject({}), attempts: 1, backoffMs: SECOND },
  plan: { lane: "clock", payload: z.strictObject({}), attempts: 3, backoffMs: SECOND },
  walk: { lane: "sync", payload: z.strictObject({ accountId: z.int() }), attempts: 5, backoffMs: 2 * SECOND },
  catalogue: { lane: "clock", payload: z.strictObject({}), attempts: 5, backoffMs: 30 * SECOND },
  quotes: { lane: "clock", payload: z.strictObject({}), attempts: 1, backoffMs: SECOND },
  export: {
    lane: "exports",
    payload: z.strictObject({ exportId: z.string() }),
    attempts: 5,
    backoffMs: 2 * SECOND,
  },
  "export-sweep": { lane: "clock", payload: z.strictObject({}), attempts: 1, backoffMs: SECOND },
  reconcile: {
    lane: "reconcile",
    payload: z.strictObject({ accountId: z.int() }),
    attempts: 5,
    backoffMs: 5 * SECOND,
  },
  "reconcile-sweep": { lane: "clock", payload: z.strictObject({}), attempts: 1, backoffMs: SECOND },
  alerts: { lane: "clock", payload: z.strictObject({}), attempts: 1, backoffMs: SECOND },
  "audit-head": { lane: "clock", payload: z.strictObject({}), attempts: 3, backoffMs: 30 * SECOND },
  backup: { lane: "clock", payload: z.strictObject({}), attempts: 2, backoffMs: MINUTE },
  retention: { lane: "clock", payload: z.strictObject({}), attempts: 2, backoffMs: MINUTE },
  // Beside the exports: it takes as long as they do, and the clock must not wait for it.
  lake: { lane: "exports", payload: z.strictObject({}), attempts: 3, backoffMs: 10 * SECOND },
  "deep-read": { lane: "clock", payload: z.strictObject({}), attempts: 3, backoffMs: MINUTE },
} as const satisfies Record<string, JobDefinition>;

/** Jobs of one lane share a queue and its concurrency, so that slow work never delays the clock's. */
export const lanes = {
  clock: { concurrency: 4 },
  // Many, because a walker mostly waits for answers; how many of them ask at once is decided by the leases.
  sync: { concurrency: 32 },
  // Each takes a core of the database and one of ours; how many run in all is decided by the leases.
  exports: { concurrency: 2 },
  // A run is a few large statements; more than two at once would only wait for each other.
  reconcile: { concurrency: 2 },
} as const satisfies Record<string, { concurrency: number }>;

export type JobName = keyof typeof jobs;
export type Payload<Name extends JobName> = z.infer<(typeof jobs)[Name]["payload"]>;
export type LaneName = keyof typeof lanes;

interface JobDefinition {
  lane: string;
  payload: z.ZodType;
  attempts: number;
  backoffMs: number;
}

/** Finished jobs would stay for ever; these are enough to see what happened lately. */
const keepCompleted = { count: 100, age: 3_600 };
const keepFailed = { count: 1_000, age: 7 * 24 * 3_600 };
const backoffMaxMs = 5 * MINUTE;

export function jobOptions(name: JobName) {
  const { attempts, backoffMs } = jobs[name];
  return {
    attempts,
    backoff: { type: "exponential", delay: Math.min(backoffMs, backoffMaxMs), jitter: 0.5 },
    removeOnComplete: keepCompleted,
    removeOnFail: keepFailed,
  };
}
