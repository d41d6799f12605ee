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
 * BullMQ's own connection asks once whether its tables are there, and remembers the answer. If the database goes away at
 * that very moment, the refusal is remembered too: a queue then refuses every job, and a worker repeats what is remembered
 * so fast that the process does nothing else, until it is started again. And because nobody listens to the client that
 * asks, a cut line ends the process. This one asks again, on clients that are listened to, and whenever it has lost one:
 * a database that is starting refuses at once, and a worker that is refused would ask it, and say so, without a pause.
 */
class PatientConnection extends PostgresConnection {
  override readonly schema = queueSchema;
  #ready: Promise<void> | undefined;

  constructor(config: PoolConfig) {
    const pool = new Pool({ ...config, options: `-c search_path=${queueSchema}` });
    // From its first moment on: a server that is killed may say both its first and its last word at once.
    pool.on("connect", (client) => client.on("error", () => undefined));
    // The pool that BullMQ describes in words of its own: TypeScript cannot see that they are one.
    super(pool as unknown as PgPool);
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
      // Whoever is refused asks again at once.
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

/** As BullMQ's `createPostgresBackend`, for queues and workers. */
export function patientBackend(config: PoolConfig): typeof createPostgresBackend {
  return (queue, options, { withBlockingConnection: listens = false } = {}) => {
    const max = connectionsMax + (listens ? 1 : 0);
    const connection = new PatientConnection({ ...config, max });
    return new PostgresQueueBackend(connection, queue, options, true, listens ? queue : undefined);
  };
}
