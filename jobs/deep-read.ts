import type { Handler } from "./handler.ts";

/** Plans the nightly deep re-read; its windows are walked like any others. */
export const deepRead: Handler<"deep-read"> = (deps) => deps.sync.planDeepReads();
