import type { Database, TransactionWork } from "./database.ts";

const askAgainMs = 200;

/**
 * A rehearsal that ends when the signal does, whatever statement it is in: a run has no time limit of its own, and a
 * caller who only wants to see what would come of something must not hold up those who mean it.
 */
export async function rehearseUntil<T>(
  database: Database,
  signal: AbortSignal,
  work: TransactionWork<T>,
): Promise<T> {
  signal.throwIfAborted();
  return database.rehearse(async (tx, client) => {
    const [session] = await tx.query<{ pid: number }>("select pg_backend_pid() as pid");
    let asked: Promise<unknown> = Promise.resolve();
    let timer: NodeJS.Timeout | undefined;
    const cancel = () => {
      // The session may end by itself meanwhile: then there is nothing to cancel.
      asked = database.query("select pg_cancel_backend($1)", [session?.pid]).catch(() => undefined);
    };
    const onAbort = () => {
      cancel();
      // Between two statements there is nothing to cancel, so it is asked until the work has ended.
      timer = setInterval(cancel, askAgainMs);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      const result = await work(tx, client);
      signal.throwIfAborted();
      return result;
    } catch (error) {
      signal.throwIfAborted();
      throw error;
    } finally {
      signal.removeEventListener("abort", onAbort);
      clearInterval(timer);
      await asked;
    }
  });
}
