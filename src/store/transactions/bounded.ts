import type { Database, Queryable } from "../database.ts";

/** What the planner expects a statement to cost, in its own units: asked in a millisecond, before anyone waits. */
export async function estimateCost(database: Queryable, text: string, values: unknown[]): Promise<number> {
  const [row] = await database.query<{ "QUERY PLAN": { Plan: { "Total Cost": number } }[] }>(
    `explain (format json) ${text}`,
    values,
  );
  return row?.["QUERY PLAN"][0]?.Plan["Total Cost"] ?? 0;
}

/** Runs `read` on statements that are cancelled after `timeoutMs`: estimates are wrong at times, and clocks are not. */
export async function withinTime<T>(
  database: Database,
  timeoutMs: number,
  read: (within: Queryable) => Promise<T>,
): Promise<T | "too slow"> {
  try {
    return await database.transaction(async (tx) => {
      await tx.query("select set_config('statement_timeout', $1, true)", [String(timeoutMs)]);
      return read(tx);
    });
  } catch (error) {
    if ((error as { code?: unknown }).code === "57014") return "too slow";
    throw error;
  }
}
