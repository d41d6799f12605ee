import { TieoutError } from "../../core/errors.ts";
import type { Dialect } from "./dialect.ts";

/**
 * What goes wrong on purpose, by name. A `rate` is a share of requests, pages or records between 0 and 1; the others
 * are plain numbers. All chance comes from the seed: of two sandboxes with one seed, the same request fails.
 */
export const faultKinds = {
  // Answers.
  "latency-ms": { unit: "number", about: "every answer waits about so long" },
  "429": { unit: "rate", about: "too many requests, with Retry-After in seconds or as a date" },
  "rate-limit": { unit: "number", about: "a real limit: more requests a second than this get 429" },
  "5xx": { unit: "rate", about: "500, 502, 503 or 504" },
  reset: { unit: "rate", about: "the connection is reset instead of an answer" },
  truncated: { unit: "rate", about: "the body ends too early, with or without the connection" },
  html: { unit: "rate", about: "a page of HTML with status 200" },
  bom: { unit: "rate", about: "a byte order mark before the body" },
  nan: { unit: "rate", about: "an amount is NaN, so the body is not JSON" },
  "slow-body": { unit: "rate", about: "the body comes in small pieces over some seconds" },
  "skew-seconds": { unit: "number", about: "the Date header is off by so much" },
  "revoked-after": { unit: "number", about: "the key stops working after so many requests" },
  // Pages.
  duplicates: { unit: "rate", about: "pages repeat a record, of their own or of the page before" },
  "cursor-pages": { unit: "number", about: "a cursor is refused after so many pages of one listing" },
  "cursor-seconds": { unit: "number", about: "a cursor is refused when it is older than this" },
  "cursor-loop": { unit: "rate", about: "a page's cursor leads back to itself or to an earlier page" },
  "over-limit": { unit: "rate", about: "pages hold two records more than the limit" },
  "huge-page": { unit: "rate", about: "pages hold fifty times the limit" },
  "window-days": { unit: "number", about: "a longer time window is refused" },
  // Records. Which ones is fixed by the seed, so the ledger can name them.
  malformed: {
    unit: "rate",
    about: "without id, status or date, with a broken date or amount, or nested too deep",
  },
  "unknown-status": { unit: "rate", about: "a status nobody has heard of" },
  "unknown-fields": { unit: "rate", about: "fields the specification does not have" },
  "null-fields": { unit: "rate", about: "an optional field is null" },
  late: { unit: "rate", about: "visible only some time after the status date" },
  "late-seconds": { unit: "number", about: "how long after, at most; an hour when left out" },
  drift: { unit: "rate", about: "records appear in old places while the sandbox runs" },
  vanished: { unit: "rate", about: "transactions disappear while the sandbox runs" },
  edited: { unit: "rate", about: "records change without a new status date while the sandbox runs" },
  "churn-seconds": {
    unit: "number",
    about: "how long drifting, vanishing and editing goes on; a minute when left out",
  },
} as const;

export type FaultName = keyof typeof faultKinds;
export type Faults = { readonly [Name in FaultName]: number };

export const noFaults = Object.fromEntries(Object.keys(faultKinds).map((name) => [name, 0])) as Faults;

/** Reads `429=0.05,reset=0.01`; what is not named does not happen. */
export function parseFaults(text: string): Faults {
  const faults: Record<string, number> = { ...noFaults };
  for (const part of text.split(",").filter((each) => each.trim() !== "")) {
    const [name = "", value = ""] = part.split("=").map((each) => each.trim());
    if (!Object.hasOwn(faultKinds, name)) {
      throw new TieoutError(
        "usage",
        `faults: none is called "${name}"; there are ${Object.keys(faultKinds).join(", ")}`,
      );
    }
    const { unit } = faultKinds[name as FaultName];
    const number = /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
    const fits = unit === "rate" ? number >= 0 && number <= 1 : name === "skew-seconds" || number >= 0;
    if (!fits || Number.isNaN(number)) {
      const wanted = unit === "rate" ? "a share between 0 and 1" : "a number, 0 or more";
      throw new TieoutError("usage", `faults: ${name} is ${wanted}, not "${value}"`);
    }
    faults[name] = number;
  }
  return faults as Faults;
}

/** How the sandbox behaves; may be exchanged while it runs. */
export interface Switches {
  dialect: Dialect;
  faults: Faults;
  /** Kept by `faultsSince`. */
  since?: { readonly faults: Faults; readonly ms: number };
}

/** Since when these faults are on: records drift, vanish and change from then on, also when nobody is looking. */
export function faultsSince(switches: Switches, nowMs: number): number {
  if (switches.since?.faults !== switches.faults) switches.since = { faults: switches.faults, ms: nowMs };
  return switches.since.ms;
}
