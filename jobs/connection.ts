import { type Processor, Queue, runMigrations, Worker, type WorkerOptions } from "bullmq";
import { Redis } from "ioredis";
import type { Client } from "pg";
import { certificateProblem } from "../src/core/certificate.ts";
import { MINUTE, SECOND } from "../src/core/duration.ts";
import { TieoutError } from "../src/core/errors.ts";
import { addressWithoutSecrets, type Secret } from "../src/core/secret.ts";
import { createTrouble } from "../src/core/trouble.ts";
import type { Log } from "../src/log.ts";
import { patientBackend, queueSchema } from "./postgres-backend.ts";

/** BullMQ on one of its two engines. Everything above this file is the same for both. */
export interface QueueEngine {
  kind: "postgres" | "redis";
  openQueue(lane: string): JobQueue;
  openWorker(lane: string, processor: Processor, options: Omit<WorkerOptions, "connection">): JobWorker;
}

/** What we use of BullMQ's classes: their full types also name the engine behind them. */
export type JobQueue = Pick<
  Queue,
  | "add"
  | "close"
  | "getJobCounts"
  | "getJobs"
  | "getJobScheduler"
  | "removeJobScheduler"
  | "upsertJobScheduler"
> &
  ErrorSource;
export type JobWorker = Pick<Worker, "close" | "pause" | "resume"> & ErrorSource;

interface ErrorSource {
  on(event: "error", listener: (error: Error) => void): unknown;
}

/**
 * How long an idle worker waits before it looks again by itself, in seconds. It is woken by NOTIFY, and at the time of the
 * next delayed job; where neither reaches it, the watchdog does the work.
 */
const drainDelay = 60;

export function postgresEngine(url: Secret, applicationName: string): QueueEngine {
  const backend = patientBackend({
    connectionString: url.reveal(),
    application_name: applicationName,
    connectionTimeoutMillis: 5 * SECOND,
    // A new connection costs the server more than all that an idle queue asks for.
    idleTimeoutMillis: 5 * MINUTE,
    keepAlive: true,
  });
  const connection = {};
  return {
    kind: "postgres",
    openQueue: (lane) => new Queue(lane, { connection }, backend),
    openWorker: (lane, processor, options) =>
      new Worker(lane, processor, { ...options, drainDelay, connection }, backend),
  };
}

export function redisEngine(url: Secret): QueueEngine {
  return {
    kind: "redis",
    // A producer fails soon while Redis is away instead of waiting for its return: the watchdog will make the job again.
    openQueue: (lane) =>
      new Queue(lane, {
        connection: { url: url.reveal(), maxRetriesPerRequest: 1, reconnectOnError: hasBecomeReplica },
        prefix: "tieout",
      }),
    openWorker: (lane, processor, options) =>
      new Worker(lane, processor, {
        ...options,
        connection: {
          url: url.reveal(),
          maxRetriesPerRequest: null,
          reconnectOnError: (error: Error) => (hasBecomeReplica(error) ? reconnectAndRepeat : false),
        },
        prefix: "tieout",
      }),
  };
}

/**
 * A Redis that was made a replica of its successor keeps its connections open and refuses every write on them. Only a new
 * connection leads to the successor.
 */
export function hasBecomeReplica(error: unknown): boolean {
  return error instanceof Error && error.message.includes("READONLY");
}

/** In the words of ioredis. */
const reconnectAndRepeat = 2;

/**
 * Without a listener the process would end. What keeps failing comes many times a second, from every lane, and names other
 * tables each time; its code tells one trouble from another.
 */
export function watchConnection(
  source: ErrorSource,
  { lane, log, now }: { lane: string; log: Log; now: () => number },
): void {
  const trouble = createTrouble({ log, now }, { event: "queue_connection", lane });
  source.on("error", (error) => trouble.came(error.message, codeOf(error)));
}

function codeOf(error: Error): string | undefined {
  const { code } = error as { code?: unknown };
  return typeof code === "string" ? code : undefined;
}

/** The queue's tables are not made by themselves. One dedicated client: its lock and its transaction share a session. */
export async function migrateQueue(client: Pick<Client, "query">): Promise<number> {
  return runMigrations(client, queueSchema);
}

/** A Redis that drops keys when it is full drops locks and jobs; we would rather not start. */
export async function refuseUnsafeRedis(url: Secret): Promise<void> {
  const address = addressWithoutSecrets(url.reveal());
  const redis = new Redis(url.reveal(), {
    lazyConnect: true,
    maxRetriesPerRequest: 0,
    connectTimeout: 5 * SECOND,
    retryStrategy: () => null,
  });
  let lastError: Error | undefined;
  redis.on("error", (error) => (lastError = error));
  try {
    await redis.connect();
    const memory = await redis.info("memory");
    const policy = /^maxmemory_policy:(.+?)\r?$/m.exec(memory)?.[1] ?? "unknown";
    if (policy !== "noeviction") {
      throw new TieoutError(
        "queue_unsafe",
        `the Redis at ${address} may drop keys when it is full (maxmemory-policy is ${policy}): set it to noeviction`,
      );
    }
  } catch (error) {
    if (error instanceof TieoutError) throw error;
    const said = String(lastError?.message ?? error);
    const refused = /NOAUTH|WRONGPASS|invalid username-password/.test(said);
    const why = refused
      ? "refused the password: correct REDIS_URL"
      : (certificateProblem(
          lastError ?? error,
          "start tieout with NODE_EXTRA_CA_CERTS=FILE, the certificate of",
        ) ?? "does not answer: start it, or correct or remove REDIS_URL");
    throw new TieoutError("queue_unreachable", `the Redis at ${address} ${why}`, {
      cause: lastError ?? error,
      retry: true,
    });
  } finally {
    redis.disconnect();
  }
}
