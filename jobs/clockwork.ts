import { MINUTE, SECOND } from "../src/core/duration.ts";
import { inRun, type Log } from "../src/log.ts";
import { hasBecomeReplica, type JobQueue, type QueueEngine, watchConnection } from "./connection.ts";
import type { Enqueue, JobDeps } from "./handler.ts";
import { jobOptions, jobs, lanes, type LaneName } from "./queues.ts";
import { restoreSchedules, type Schedule } from "./schedule.ts";
import { withPatience } from "./with-patience.ts";
import { type RunningWorkers, startWorkers } from "./worker.ts";

export interface ClockworkDeps extends Omit<JobDeps, "stopping"> {
  log: Log;
  schedules: readonly Schedule[];
  watchdogIntervalMs: number;
  /** How far this machine's clock is ahead of the database's, measured now. */
  measureClockOffsetMs(): Promise<number>;
  clockOffsetMaxMs: number;
}

export type Queues = Readonly<Record<LaneName, JobQueue>>;

/** Workers, schedules, and the watchdog that keeps both going. */
export interface Clockwork {
  stop: () => Promise<void>;
}

export const watchdogIntervalMs = MINUTE;
const closeTimeoutMs = 2 * SECOND;
const queuePatienceMs = 2 * SECOND;
const requestPatienceMs = SECOND;

export async function startClockwork(
  engine: QueueEngine,
  queues: Queues,
  given: ClockworkDeps,
): Promise<Clockwork> {
  const stopping = new AbortController();
  const deps = { ...given, stopping: stopping.signal };
  await restoreSchedules(queues, deps.schedules, deps.now());
  // A schedule that was left by an earlier start may be a whole interval away; a person who starts the service wants news now.
  await enqueueTo(queues)("plan", {});
  // Last, so that a queue that refuses leaves no worker behind.
  const workers = startWorkers(engine, deps, enqueueTo(queues));
  const restore = oneAtATime(async () => {
    const restored = await restoreSchedules(queues, deps.schedules, deps.now());
    for (const job of restored) deps.log.warn({ event: "schedule_restored", job });
  });
  // One round at a time: a slow one must not be overtaken by the next.
  let watching = Promise.resolve();
  const timer = setInterval(() => {
    watching = watching.then(() => watch(deps, workers, restore));
  }, deps.watchdogIntervalMs);

  return {
    stop: async () => {
      clearInterval(timer);
      stopping.abort();
      await watching;
      await workers.drain();
    },
  };
}

/** Also for a process without workers, which only enqueues and counts. */
export function openQueues(engine: QueueEngine, log: Log): Queues {
  const names = Object.keys(lanes) as LaneName[];
  const entries = names.map((lane) => {
    const queue = engine.openQueue(lane);
    watchConnection(queue, { lane, log, now: Date.now });
    return [lane, queue] as const;
  });
  return Object.fromEntries(entries) as Record<LaneName, JobQueue>;
}

export async function closeQueues(queues: Queues): Promise<void> {
  await Promise.all(
    Object.values(queues).map((queue) =>
      withPatience(
        queue.close().catch(() => undefined),
        closeTimeoutMs,
      ),
    ),
  );
}

/** Adds a job to the queue of its lane. */
export function enqueueTo(queues: Queues): Enqueue {
  return async (name, payload) => {
    const add = () => queues[jobs[name].lane].add(name, payload, jobOptions(name));
    // Once more, by the new connection: the job would otherwise be late by a round of the watchdog.
    await add().catch((error: unknown) => (hasBecomeReplica(error) ? add() : Promise.reject(error)));
  };
}

/**
 * The same for a request, which has been written by then and does not wait for a queue that is away: a Redis that is down
 * keeps a producer waiting for 40 s. The job is still added if Redis comes back soon; otherwise the sweeps make it again.
 */
export function wakeTo(queues: Queues): Enqueue {
  const enqueue = enqueueTo(queues);
  return (name, payload) => withPatience(enqueue(name, payload), requestPatienceMs);
}

/** Jobs by lane and state, for `/metrics`. */
export async function countJobs(queues: Queues): Promise<{ queue: string; state: string; jobs: number }[]> {
  const perLane = await Promise.all(
    Object.entries(queues).map(async ([lane, queue]) => {
      const counts = await queue.getJobCounts();
      return Object.entries(counts).map(([state, count]) => ({ queue: lane, state, jobs: count }));
    }),
  );
  return perLane.flat();
}

/**
 * One round of the watchdog. It never throws: whatever it could not mend, it tries again in a minute. What is overdue
 * comes before the schedules, because those need the queue, and the queue may be what is missing.
 */
async function watch(
  deps: ClockworkDeps & JobDeps,
  workers: RunningWorkers,
  restore: () => Promise<void>,
): Promise<void> {
  const tried = async <T>(work: () => Promise<T>): Promise<T | undefined> =>
    work().catch((error: unknown) => {
      deps.log.warn({ event: "watchdog_failed", err: error });
      return undefined;
    });
  const clock = await tried(() => followClock(deps, workers));
  const ids = { job: "rescue", job_id: `rescue:${deps.now()}`, attempt: 1 };
  if (clock === "right") await tried(() => inRun(ids, () => deps.sync.rescue(deps.stopping)));
  // A queue that is away answers late or never; the next round must not wait for that.
  await withPatience(tried(restore), queuePatienceMs);
}

/** Asked again while it is still at work, it is the same work. */
function oneAtATime(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  return () => (running ??= work().finally(() => (running = null)));
}

async function followClock(deps: ClockworkDeps, workers: RunningWorkers): Promise<"right" | "wrong"> {
  const offsetMs = await deps.measureClockOffsetMs();
  if (Math.abs(offsetMs) <= deps.clockOffsetMaxMs) {
    await workers.resume();
    return "right";
  }
  const effect = "no new jobs are taken";
  deps.log.error({ event: "clock_skew", offset_ms: Math.round(offsetMs), effect });
  await workers.pause();
  return "wrong";
}
