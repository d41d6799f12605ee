import type { Dialect } from "./transactions/dialect.ts";
import type { Faults } from "./transactions/faults.ts";
import type { Trouble } from "./trouble/trouble.ts";

/** How the sandbox behaves; may be exchanged while it runs. */
export interface Switches {
  dialect: Dialect;
  /** What befalls `GET /transactions` and its records. */
  faults: Faults;
  /** What befalls everything else. */
  trouble: Trouble;
  /** Kept by `faultsSince`. */
  since?: { readonly faults: Faults; readonly ms: number };
}

/** When these faults were switched on: records drift, vanish and change from then on, even between requests. */
export function faultsSince(switches: Switches, nowMs: number): number {
  if (switches.since?.faults !== switches.faults) switches.since = { faults: switches.faults, ms: nowMs };
  return switches.since.ms;
}
