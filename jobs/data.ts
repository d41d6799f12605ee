import type { Handler } from "./handler.ts";

export const backup: Handler<"backup"> = (deps) => deps.data.backUpWhenDue(deps.stopping);

export const retention: Handler<"retention"> = async (deps) => {
  const removed = await deps.data.applyRetention(deps.stopping);
  if (Object.values(removed).some((rows) => rows > 0))
    deps.log.info({ event: "retention_applied", ...removed });
};

/** Brings the lake up to date. A lost one is made up for by the next. */
export const lake: Handler<"lake"> = (deps) => deps.data.writeLake(deps.stopping);
