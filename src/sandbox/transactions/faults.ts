import { usageError } from "../../core/errors.ts";

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
  for (const { name, value } of parseParts(text)) {
    if (!isFaultName(name)) {
      throw usageError(`faults: none is called "${name}"; there are ${Object.keys(faultKinds).join(", ")}`);
    }
    faults[name] = parseFault(name, faultKinds[name].unit, value);
  }
  return faults as Faults;
}

export function isFaultName(name: string): name is FaultName {
  return Object.hasOwn(faultKinds, name);
}

/** The parts of `a=1,b=2`; in a file they may also stand on lines of their own, after comments. */
export function parseParts(text: string): { name: string; value: string }[] {
  return text
    .replaceAll(/^\s*#.*$/gm, "")
    .split(/[,\n]/)
    .filter((part) => part.trim() !== "")
    .map((part) => {
      const [name = "", value = ""] = part.split("=").map((each) => each.trim());
      return { name, value };
    });
}

export function parseFault(name: string, unit: "rate" | "number", value: string): number {
  const number = /^-?\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
  const isSigned = name.endsWith("skew-seconds");
  if (unit === "rate" ? number >= 0 && number <= 1 : isSigned ? !Number.isNaN(number) : number >= 0) {
    return number;
  }
  const wanted = unit === "rate" ? "a share between 0 and 1" : "a number, 0 or more";
  throw usageError(`faults: ${name} is ${wanted}, not "${value}"`);
}
