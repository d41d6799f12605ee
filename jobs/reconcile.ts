import type { Handler } from "./handler.ts";

/** Matches and judges what is new of an account. Losing this job loses time: the next one sees the same. */
export const reconcile: Handler<"reconcile"> = (deps, { accountId }) =>
  deps.reconcile.run(accountId, deps.stopping);

/** For every account: also without news, time makes things due, and a wake-up may have been lost. */
export const sweepReconcile: Handler<"reconcile-sweep"> = async (deps, _payload, enqueue) => {
  for (const accountId of deps.reconcile.accountIds()) await enqueue("reconcile", { accountId });
};
