import { DAY, HOUR, MINUTE, SECOND } from "../src/core/duration.ts";
import type { JobQueue } from "./connection.ts";
import { jobOptions, jobs, type JobName, type LaneName } from "./queues.ts";

export interface Schedule {
  job: JobName;
  everyMs: number;
}

/** What happens by itself, and how often. */
export function schedulesFor(settings: {
  syncIntervalMs: number;
  sampleIntervalMs: number | null;
  /** `null`: no lake is kept. */
  lakeIntervalMs: number | null;
}): Schedule[] {
  return [
    { job: "heartbeat", everyMs: 15 * SECOND },
    { job: "plan", everyMs: settings.syncIntervalMs },
    { job: "catalogue", everyMs: DAY },
    { job: "deep-read", everyMs: DAY },
    ...(settings.sampleIntervalMs === null
      ? []
      : [{ job: "quotes" as const, everyMs: settings.sampleIntervalMs }]),
    { job: "audit-head", everyMs: HOUR },
    { job: "export-sweep", everyMs: MINUTE },
    { job: "alerts", everyMs: MINUTE },
    // Looks whether one is due; how often one is, is a setting.
    { job: "backup", everyMs: 10 * MINUTE },
    { job: "retention", everyMs: HOUR },
    ...(settings.lakeIntervalMs === null ? [] : [{ job: "lake" as const, everyMs: settings.lakeIntervalMs }]),
    // What is new is reconciled when it comes; this is for what has become due meanwhile.
    { job: "reconcile-sweep", everyMs: Math.max(5 * MINUTE, settings.syncIntervalMs) },
  ];
}

/**
 * Restores what is missing and leaves alone what is there. Schedules live in the queue, and the queue may be wiped, or
 * stop making the next job; so this runs at start and every minute, outside the queue.
 */
export async function restoreSchedules(
  queues: Readonly<Record<LaneName, JobQueue>>,
  wanted: readonly Schedule[],
  now: number,
): Promise<JobName[]> {
  const restored: JobName[] = [];
  for (const { job, everyMs } of wanted) {
    const queue = queues[jobs[job].lane];
    const held = await queue.getJobScheduler(job);
    const isRunning = held?.every === everyMs && held.next !== undefined && held.next > now - 2 * everyMs;
    if (isRunning && !(await standsStill(queue, job, held.next))) continue;
    if (held) await queue.removeJobScheduler(job);
    await queue.upsertJobScheduler(job, { every: everyMs }, { name: job, data: {}, opts: jobOptions(job) });
    restored.push(job);
  }
  return restored;
}

/**
 * A schedule makes its next job when the previous one starts; with that job gone it would wait for ever. The lists of
 * jobs are read one after the other, so a job that moves from list to list meanwhile is in none of them: only a schedule
 * that has no job at two looks, and has not moved on between them, stands still.
 */
async function standsStill(queue: JobQueue, job: JobName, next: number | undefined): Promise<boolean> {
  for (let look = 1; look <= 2; look++) {
    if (await hasJob(queue, job)) return false;
    if ((await queue.getJobScheduler(job))?.next !== next) return false;
  }
  return true;
}

async function hasJob(queue: JobQueue, job: JobName): Promise<boolean> {
  const next = await queue.getJobs(["delayed", "waiting", "active", "prioritized"], 0, 100);
  return next.some((one) => one?.name === job);
}
