import { MINUTE, SECOND } from "../src/core/duration.ts";
import type { Log } from "../src/log.ts";
import type { JobQueue, QueueEngine } from "./connection.ts";
import type { Enqueue, JobDeps } from "./handler.ts";
import { jobOptions, jobs, lanes, type LaneName } from "./queues.ts";
import { restoreSchedules, type Schedule } from "./schedule.ts";
import { type RunningWorkers, startWorkers } from "./worker.ts";

export interface ClockworkDeps extends Omit<JobDeps, "stopping"> {
  log: Log;
  schedules: readonly Schedule[];
  watchdogIntervalMs: number;
  /** How far this machine's clock is ahead of the database's, measured now. */
  measureClockOffsetMs(): Promise<number>;
  clockOffsetMaxMs: number;
  onClockOffset(offsetMs: number): void;
}

export type Queues = Readonly<Record<LaneName, JobQueue>>;

/** Workers, schedules, and the watchdog that keeps both going. */
export interface Clockwork {
  stop: () => Promise<void>;
}

export const watchdogIntervalMs = MINUTE;
const closeTimeoutMs = 2 * SECOND;

export async function startClockwork(
  engine: QueueEngine,
  queues: Queues,
  given: ClockworkDeps,
): Promise<Clockwork> {
  const stopping = new AbortController();
  const deps = { ...given, stopping: stopping.signal };
  const workers = startWorkers(engine, deps, enqueueTo(queues));
  await restoreSchedules(queues, deps.schedules, deps.now());
  // One round at a time: a slow one must not be overtaken by the next.
  let watching = Promise.resolve();
  const timer = setInterval(() => {
    watching = watching.then(() => watch(deps, queues, workers));
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
    queue.on("error", (error) => log.warn({ event: "queue_connection", lane, reason: error.message }));
    return [lane, queue] as const;
  });
  return Object.fromEntries(entries) as Record<LaneName, JobQueue>;
}

export async function closeQueues(queues: Queues): Promise<void> {
  await Promise.all(
    Object.values(queues).map(async (queue) => {
      let timer: NodeJS.Timeout | undefined;
      const patience = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, closeTimeoutMs);
      });
      await Promise.race([queue.close().catch(() => undefined), patience]);
      clearTimeout(timer);
    }),
  );
}

/** Adds a job to the queue of its lane. */
export function enqueueTo(queues: Queues): Enqueue {
  return async (name, payload) => {
    await queues[jobs[name].lane].add(name, payload, jobOptions(name));
  };
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

/** One round of the watchdog. It never throws: whatever it could not mend, it tries again in a minute. */
async function watch(deps: ClockworkDeps & JobDeps, queues: Queues, workers: RunningWorkers): Promise<void> {
  try {
    const offsetMs = await deps.measureClockOffsetMs();
    deps.onClockOffset(offsetMs);
    if (Math.abs(offsetMs) > deps.clockOffsetMaxMs) {
      deps.log.error({
        event: "clock_skew",
        offset_ms: Math.round(offsetMs),
        effect: "no new jobs are taken",
      });
      await workers.pause();
    } else {
      await workers.resume();
    }
    const restored = await restoreSchedules(queues, deps.schedules, deps.now());
    for (const job of restored) deps.log.warn({ event: "schedule_restored", job });
    await deps.sync.rescue(deps.stopping);
  } catch (error) {
    deps.log.warn({ event: "watchdog_failed", err: error });
  }
}
