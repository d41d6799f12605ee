import type { Handler } from "./handler.ts";

/** Asks the providers, a few times an hour, what they would pay for what the accounts trade. */
export const quotes: Handler<"quotes"> = (deps) => deps.sync.sampleQuotes(deps.stopping);
