import { notApplicable } from "./check.ts";
import { isObject, isSuccess } from "./expect.ts";
import type { Answer, Target, TargetRequest } from "./target.ts";

/**
 * What checks need to know before they can ask their own question. A server that answers these wrongly is reported by
 * the checks of that endpoint; everything that builds on it is not applicable, so that one fault is one difference.
 */
export async function readList(
  target: Target,
  request: TargetRequest,
  key: "message" | "assets" | "crypto" | "fiat" | "gateways" | null,
): Promise<{ answer: Answer; items: Record<string, unknown>[] }> {
  const answer = await target.ask(request);
  const found = key === null ? answer.json : listUnder(answer.json, key);
  if (!isSuccess(answer) || !Array.isArray(found))
    notApplicable(`${answer.request} gave no list to judge by`);
  return { answer, items: found.filter(isObject) };
}

export const readCrypto = (target: Target) => readList(target, { path: "/supported" }, "crypto");
export const readFiat = (target: Target) => readList(target, { path: "/supported" }, "fiat");

/** The country that the server takes us to be in, upper case. */
export async function ownCountry(target: Target): Promise<string> {
  const answer = await target.ask({ path: "/supported/assets" });
  const country = field(field(answer.json, "message"), "country");
  if (typeof country !== "string") notApplicable(`${answer.request} names no country`);
  return country.toUpperCase();
}

export interface DefaultsEntry {
  source: string;
  target: string;
  amount: number;
}

export async function readDefaults(
  target: Target,
): Promise<{ answer: Answer; byCountry: Map<string, DefaultsEntry> }> {
  const answer = await target.ask({ path: "/supported/defaults/all" });
  const found = field(field(answer.json, "message"), "defaults");
  if (!isObject(found)) notApplicable(`${answer.request} gave no defaults to judge by`);
  const entries = Object.entries(found).filter(([, entry]) => isEntry(entry));
  return { answer, byCountry: new Map(entries as [string, DefaultsEntry][]) };
}

/** A pair and an amount for which somebody should quote: what the server itself recommends, then its other defaults. */
export async function tradablePairs(target: Target): Promise<DefaultsEntry[]> {
  const answer = await target.ask({ path: "/supported/defaults/all" });
  const recommended = field(field(answer.json, "message"), "recommended");
  const { byCountry } = await readDefaults(target);
  const pairs = [recommended, ...byCountry.values()].filter(isEntry);
  if (pairs.length === 0) notApplicable(`${answer.request} names no pair to ask quotes for`);
  return pairs.slice(0, pairsMax);
}

const pairsMax = 6;

export async function someCountries(target: Target, count: number): Promise<string[]> {
  const { byCountry } = await readDefaults(target);
  const countries = [...byCountry.keys()];
  if (countries.length === 0) notApplicable("GET /supported/defaults/all names no country");
  return countries.slice(0, count);
}

export function field(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

export function lower(value: unknown): string {
  return String(value).toLowerCase();
}

function listUnder(json: unknown, key: string): unknown {
  if (key === "message" || key === "gateways") return field(json, key);
  return field(field(json, "message"), key);
}

function isEntry(value: unknown): value is DefaultsEntry {
  return (
    isObject(value) &&
    typeof value["source"] === "string" &&
    typeof value["target"] === "string" &&
    typeof value["amount"] === "number"
  );
}
