import type { Handler } from "./handler.ts";

/** Proves, end to end, that the queue delivers and a worker works: `doctor` and `/readyz` report how long ago. */
export const heartbeat: Handler<"heartbeat"> = async (deps) => {
  await deps.recordHeartbeat({ job: "heartbeat", worker: deps.workerName, workerAtMs: deps.now() });
};
