import type { Handler } from "./handler.ts";

/** Matches and judges what is new of an account. Losing this job loses time: the next one sees the same. */
export const reconcile: Handler<"reconcile"> = (deps, { accountId }) =>
  deps.reconcile.run(accountId, deps.stopping);

/** After each sync, for every account: one of which nothing is new costs next to nothing. */
export const sweepReconcile: Handler<"reconcile-sweep"> = async (deps, _payload, enqueue) => {
  for (const accountId of deps.reconcile.accountIds()) await enqueue("reconcile", { accountId });
};
