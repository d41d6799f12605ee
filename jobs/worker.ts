import { type Job, UnrecoverableError } from "bullmq";
import { SECOND } from "../src/core/duration.ts";
import { TieoutError } from "../src/core/errors.ts";
import { inRun } from "../src/log.ts";
import { noTraces } from "../src/trace.ts";
import { type JobWorker, type QueueEngine, watchConnection } from "./connection.ts";
import type { Enqueue, Handler, JobDeps } from "./handler.ts";
import { handlers } from "./handlers.ts";
import { type JobName, jobs, lanes } from "./queues.ts";
import { withPatience } from "./with-patience.ts";

export interface RunningWorkers {
  /** Stops claiming new jobs without ending those that run. */
  pause(): Promise<void>;
  resume(): Promise<void>;
  /** Waits for running jobs, but not for ever: what is cut off is done again by the next worker. */
  drain(): Promise<void>;
}

const drainTimeoutMs = 2 * SECOND;

export function startWorkers(engine: QueueEngine, deps: JobDeps, enqueue: Enqueue): RunningWorkers {
  const workers = Object.entries(lanes).map(([lane, { concurrency }]) => {
    const worker = engine.openWorker(lane, (job) => inRun(idsOf(job), () => traceJob(deps, enqueue, job)), {
      name: deps.workerName,
      concurrency,
      // Ours are safe to repeat, so a job that stalled (a killed worker) is not given up soon.
      maxStalledCount: 20,
      stalledInterval: 5 * SECOND,
      lockDuration: 10 * SECOND,
    });
    watchConnection(worker, { lane, ...deps });
    return worker;
  });
  return {
    pause: async () => void (await Promise.all(workers.map((worker) => worker.pause(true)))),
    resume: async () => void (await Promise.all(workers.map((worker) => worker.resume()))),
    drain: async () => void (await Promise.all(workers.map(closeWorker))),
  };
}

function traceJob(deps: JobDeps, enqueue: Enqueue, job: Job): Promise<void> {
  const { tracer = noTraces } = deps;
  return tracer.span(`job ${job.name}`, idsOf(job), () => runJob(deps, enqueue, job));
}

/** Parses the payload, calls the library, writes one line; decides between "again later" and "never again". */
async function runJob(deps: JobDeps, enqueue: Enqueue, job: Job): Promise<void> {
  const begun = deps.now();
  try {
    await handle(deps, enqueue, job);
    await noteSuccess(deps, job.name);
    deps.log.debug({ event: "job_done", duration_ms: deps.now() - begun });
  } catch (error) {
    const final = error instanceof UnrecoverableError || (error instanceof TieoutError && !error.retry);
    deps.log.error({ event: "job_failed", final, err: error, duration_ms: deps.now() - begun });
    throw final ? new UnrecoverableError(error instanceof Error ? error.message : String(error)) : error;
  }
}

function idsOf(job: Job) {
  return { job: job.name, job_id: job.id, attempt: job.attemptsMade + 1 };
}

/** When each job last came to a good end is a figure for people: to miss one must not fail what was done. */
async function noteSuccess(deps: JobDeps, job: string): Promise<void> {
  if (job === "heartbeat") return; // whose very work it is
  await deps
    .recordHeartbeat({ job, worker: deps.workerName, workerAtMs: deps.now() })
    .catch((error: unknown) => deps.log.warn({ event: "heartbeat_not_kept", job, err: error }));
}

async function handle(deps: JobDeps, enqueue: Enqueue, job: Job): Promise<void> {
  const name = job.name as JobName;
  const definition = Object.hasOwn(jobs, name) ? jobs[name] : undefined;
  if (!definition)
    throw new UnrecoverableError(`there is no job named ${name}: it came from another version`);
  const payload = definition.payload.safeParse(job.data);
  if (!payload.success) throw new UnrecoverableError(`the payload of ${name} is not what it should be`);
  // The table of jobs and the table of handlers have the same names, and each payload was parsed by its own schema.
  const handler = handlers[name] as Handler<JobName>;
  await handler(deps, payload.data, enqueue);
}

/** BullMQ waits for ever for a connection to end that is just being made again; and force changes nothing once it closes. */
async function closeWorker(worker: JobWorker): Promise<void> {
  await withPatience(
    worker.close().catch(() => undefined),
    drainTimeoutMs,
  );
}
