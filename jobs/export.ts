import type { Handler } from "./handler.ts";

/** Writes one export, and then whatever else waits. */
export const exportReport: Handler<"export"> = async (deps, { exportId }) => {
  await deps.exports.run(exportId, deps.stopping);
};

/** Removes what has expired, and wakes a worker for exports whose own wake-up was lost. */
export const sweepExports: Handler<"export-sweep"> = async (deps, _payload, enqueue) => {
  for (const exportId of await deps.exports.sweep()) await enqueue("export", { exportId });
};
