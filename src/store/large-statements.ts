import type { Database, Transaction } from "./database.ts";

/**
 * For few statements over very many rows: compiling them costs more than it saves, and a limit would end a good run. What
 * they look for is rare, but the planner takes nearly every row for a find, and would let one process do it all.
 */
export async function prepareSession(tx: Transaction): Promise<void> {
  await tx.query(
    `select set_config('statement_timeout', '0', true), set_config('jit', 'off', true),
            set_config('work_mem', '128MB', true), set_config('maintenance_work_mem', '128MB', true),
            set_config('parallel_tuple_cost', '0.01', true), set_config('random_page_cost', '1.1', true)`,
  );
}

/** Runs `look` over everything that is kept, without a time limit. */
export async function unhurried<T>(database: Database, look: (tx: Transaction) => Promise<T>): Promise<T> {
  return database.transaction(async (tx) => {
    await prepareSession(tx);
    return look(tx);
  });
}
