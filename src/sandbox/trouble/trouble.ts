import { TieoutError, usageError } from "../../core/errors.ts";
import {
  isFaultName,
  noFaults,
  parseFault,
  parseParts,
  faultKinds,
  type FaultName,
  type Faults,
} from "../transactions/faults.ts";
import { providerProfiles } from "../world/provider-profiles.ts";

/** What goes wrong on purpose beyond `GET /transactions`: with other endpoints, providers, orders, users and events. */
export interface Trouble {
  /** Faults of answers, by the endpoints they befall. */
  readonly answers: Readonly<Record<EndpointGroup, Faults>>;
  /** Ids of providers that are down: they quote nothing and open no orders. */
  readonly outages: ReadonlySet<string>;
  readonly world: WorldTrouble;
}

export const endpointGroups = [
  "supported",
  "quotes",
  "checkout",
  "gateways",
  "rate",
  "steps",
  "pages",
] as const;
export type EndpointGroup = (typeof endpointGroups)[number];

/** Faults that make sense for any answer, not only for a page of records. */
export const answerFaults = [
  "latency-ms",
  "429",
  "rate-limit",
  "5xx",
  "reset",
  "truncated",
  "html",
  "bom",
  "slow-body",
  "skew-seconds",
  "revoked-after",
] as const satisfies readonly FaultName[];

export const worldTroubles = {
  declined: { unit: "rate", about: "orders that the customer pays for end `failed`" },
  slow: { unit: "rate", about: "orders take ten times as long" },
  stuck: { unit: "rate", about: "orders stay `pending` or `paid` for ever" },
  "user-orders": { unit: "number", about: "orders that one user may open in 24 hours" },
  "user-usd": { unit: "number", about: "what one user may order for in 24 hours, in US dollars" },
  "webhook-duplicates": { unit: "rate", about: "events are delivered twice" },
  "webhook-disorder": {
    unit: "rate",
    about: "events are held back until a later one of the same order is out",
  },
  "webhook-lost": { unit: "rate", about: "events are never sent" },
} as const;

export type WorldTroubleName = keyof typeof worldTroubles;
export type WorldTrouble = { readonly [Name in WorldTroubleName]: number };

const noWorldTrouble = Object.fromEntries(
  Object.keys(worldTroubles).map((name) => [name, 0]),
) as WorldTrouble;

export const noTrouble: Trouble = {
  answers: Object.fromEntries(endpointGroups.map((group) => [group, noFaults])) as Trouble["answers"],
  outages: new Set(),
  world: noWorldTrouble,
};

/**
 * Reads everything that can go wrong, as one text: `429=0.05` befalls `/transactions`, `quotes:429=0.05` quotes,
 * `all:latency-ms=200` every endpoint, `outage=moonpay+banxa` takes two providers away.
 */
export function parseAllFaults(text: string): { faults: Faults; trouble: Trouble } {
  const faults: Record<string, number> = { ...noFaults };
  const world: Record<string, number> = { ...noWorldTrouble };
  const answers = Object.fromEntries(endpointGroups.map((group) => [group, { ...noFaults }])) as Record<
    string,
    Record<string, number>
  >;
  let outages: ReadonlySet<string> = new Set();
  for (const { name, value } of parseParts(text)) {
    const [group, fault] = name.includes(":") ? name.split(":") : ["", name];
    if (group !== undefined && group !== "") {
      const number = parseAnswerFault(group, fault ?? "", value);
      if (group === "all" || group === "transactions") faults[fault ?? ""] = number;
      for (const each of endpointGroups) {
        if (group === "all" || group === each) Object.assign(answers[each] ?? {}, { [fault ?? ""]: number });
      }
    } else if (name === "outage") outages = parseOutages(value);
    else if (Object.hasOwn(worldTroubles, name)) {
      world[name] = parseFault(name, worldTroubles[name as WorldTroubleName].unit, value);
    } else if (isFaultName(name)) faults[name] = parseFault(name, faultKinds[name].unit, value);
    else throw unknown(name);
  }
  return {
    faults: faults as Faults,
    trouble: {
      answers: answers as unknown as Trouble["answers"],
      outages,
      world: world as WorldTrouble,
    },
  };
}

/** The same as text, so that what is in force can be shown, kept and set again. */
export function writeAllFaults({ faults, trouble }: { faults: Faults; trouble: Trouble }): string {
  const active = (values: Readonly<Record<string, number>>, prefix = "") =>
    Object.entries(values)
      .filter(([, value]) => value !== 0)
      .map(([name, value]) => `${prefix}${name}=${value}`);
  return [
    ...active(faults),
    ...endpointGroups.flatMap((group) => active(trouble.answers[group], `${group}:`)),
    ...(trouble.outages.size === 0 ? [] : [`outage=${[...trouble.outages].join("+")}`]),
    ...active(trouble.world),
  ].join(",");
}

function parseAnswerFault(group: string, name: string, value: string): number {
  const groups = ["all", "transactions", ...endpointGroups];
  if (!groups.includes(group)) {
    throw usageError(`faults: no endpoints are called "${group}"; there are ${groups.join(", ")}`);
  }
  const isAnswerFault = answerFaults.some((each) => each === name);
  if (!isFaultName(name) || (!isAnswerFault && group !== "transactions")) {
    throw usageError(`faults: none is called "${name}" for ${group}; there are ${answerFaults.join(", ")}`);
  }
  return parseFault(`${group}:${name}`, faultKinds[name].unit, value);
}

function parseOutages(value: string): ReadonlySet<string> {
  const known = providerProfiles.map(({ id }) => id);
  const ids = value.split("+").filter((id) => id !== "");
  const wrong = ids.find((id) => !known.includes(id));
  if (wrong !== undefined) {
    throw usageError(`faults: outage is one or more of ${known.join(", ")}, joined by +, not "${wrong}"`);
  }
  return new Set(ids);
}

function unknown(name: string): TieoutError {
  const names = [...Object.keys(faultKinds), "outage", ...Object.keys(worldTroubles)];
  return usageError(`faults: none is called "${name}"; there are ${names.join(", ")}`);
}
