import type { Handler } from "./handler.ts";

/** Plans what the clock asks for, and wakes as many walkers as have something to do. */
export const plan: Handler<"plan"> = async (deps, _payload, enqueue) => {
  for (const { accountId, walkers } of await deps.sync.plan()) {
    for (let n = 0; n < walkers; n++) await enqueue("walk", { accountId });
  }
};
