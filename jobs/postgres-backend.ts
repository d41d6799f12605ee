import { setTimeout as sleep } from "node:timers/promises";
import {
  assertSchemaCompatibility,
  type createPostgresBackend,
  type PgPool,
  PostgresConnection,
  PostgresQueueBackend,
} from "bullmq";
import { Pool, type PoolConfig } from "pg";
import { SECOND } from "../src/core/duration.ts";

/** Queue tables have a schema of their own: they are the queue's business, and can be wiped without losing anything. */
export const queueSchema = "queue";

/** Each queue and each worker has a pool of its own, so each stays small; a worker listens on one more. */
const connectionsMax = 2;

const askAgainAfterMs = 1 * SECOND;

/**
 * BullMQ's own connection checks once that its tables are there, and keeps the result even if the check failed because the
 * database went away. The queue then refuses every job, and the worker retries in a loop that never yields, so the whole
 * process hangs. If the connection breaks during the check, the process exits: the client has no error listener.
 *
 * This one gives every client a listener and repeats a failed check after a pause. It also checks again whenever a client is
 * lost, because a database that is starting up refuses at once, and a worker would retry, and log it, hundreds of times.
 */
class PatientConnection extends PostgresConnection {
  override readonly schema = queueSchema;
  #ready: Promise<void> | undefined;

  constructor(config: PoolConfig) {
    const pool = new Pool({ ...config, options: `-c search_path=${queueSchema}` });
    // At once: a server that is killed may accept a client and end its session in the same packet.
    pool.on("connect", (client) => client.on("error", () => undefined));
    // BullMQ has its own type for a pool, which TypeScript cannot match with that of pg.
    super(patient(pool) as unknown as PgPool);
    pool.on("remove", () => (this.#ready = undefined));
  }

  override async waitUntilReady(): Promise<void> {
    this.#ready ??= this.#ask();
    await this.#ready;
  }

  override async getListenClient(): ReturnType<PostgresConnection["getListenClient"]> {
    await this.waitUntilReady();
    return super.getListenClient();
  }

  async #ask(): Promise<void> {
    try {
      await assertSchemaCompatibility(this.pool, this.schema);
    } catch (error) {
      // Callers retry as soon as they are refused.
      await sleep(askAgainAfterMs, undefined, { ref: false });
      this.#ready = undefined;
      throw error;
    }
  }

  override async close(): Promise<void> {
    const first = !this.isClosing;
    await super.close();
    if (first) await this.pool.end();
  }
}

/** When the disk is full or the server read-only, a BullMQ worker asks again at once, without end: so its errors arrive a second late. */
function patient(pool: Pool): Pool {
  const query = pool.query.bind(pool) as (text: string, values?: unknown[]) => Promise<unknown>;
  return Object.assign(pool, {
    query: (text: string, values?: unknown[]) =>
      query(text, values).catch(async (error: unknown) => {
        const { code } = error as { code?: unknown };
        if (cannotServe.test(String(code))) await sleep(askAgainAfterMs, undefined, { ref: false });
        throw error;
      }),
  });
}

/** Out of room, memory or connections; shut down or starting; read only. */
const cannotServe = /^(53|57P|25006)/;

/** As BullMQ's `createPostgresBackend`, for queues and workers. */
export function patientBackend(config: PoolConfig): typeof createPostgresBackend {
  return (queue, options, { withBlockingConnection: listens = false } = {}) => {
    const max = connectionsMax + (listens ? 1 : 0);
    const connection = new PatientConnection({ ...config, max });
    return new PostgresQueueBackend(connection, queue, options, true, listens ? queue : undefined);
  };
}
