import { SECOND } from "../../core/duration.ts";
import type { EmbeddedPostgres } from "./embedded-postgres.ts";
import { isAlive } from "./process-alive.ts";
import { startServer } from "./server.ts";

const lookIntervalMs = 1 * SECOND;

/** Starts the embedded server again at its old port if it ends by itself (killed, out of memory); pools then reconnect. */
export function keepServerRunning(
  postgres: Pick<EmbeddedPostgres, "engine" | "server">,
  onLost: (error: Error) => void,
): { stop: () => void } {
  let busy = false;
  const timer = setInterval(() => {
    if (busy || isAlive(postgres.server.pid)) return;
    busy = true;
    onLost(new Error(`the embedded Postgres (process ${postgres.server.pid}) ended: starting it again`));
    void restart().finally(() => (busy = false));
  }, lookIntervalMs);

  async function restart(): Promise<void> {
    try {
      postgres.server = await startServer(postgres.engine, { port: postgres.server.port });
    } catch (error) {
      onLost(error instanceof Error ? error : new Error(String(error)));
    }
  }
  return { stop: () => clearInterval(timer) };
}
