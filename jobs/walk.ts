import type { Handler } from "./handler.ts";

/** Walks windows of one account until none is to be had. Losing this job loses time, and nothing else. */
export const walk: Handler<"walk"> = (deps, { accountId }) => deps.sync.walk(accountId, deps.stopping);
