import type { Handler } from "./handler.ts";

/**
 * Walks windows of one account until there is none to claim; what is new is reconciled at once. Losing this job loses
 * time, and nothing else.
 */
export const walk: Handler<"walk"> = async (deps, { accountId }, enqueue) => {
  if (await deps.sync.walk(accountId, deps.stopping)) await enqueue("reconcile", { accountId });
};
