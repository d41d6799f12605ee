import { notApplicable, type Read } from "./check.ts";
import { isObject, isSuccess, type Json, lower, member, type Seen } from "./rules.ts";
import type { Target, TargetRequest } from "./target.ts";

/**
 * What checks need to know before they can ask their own question. A server that answers these wrongly is reported by
 * the checks of that endpoint; everything that builds on it is not applicable, so that one fault is one difference.
 */
export function list(request: TargetRequest, ...path: readonly string[]): Read<Seen> {
  return async (target) => {
    const answer = await target.ask(request);
    const found = member(answer.json, ...path);
    const items = isObject(found) ? Object.values(found) : found;
    if (!isSuccess(answer) || !Array.isArray(items))
      notApplicable(`${answer.request} gave no list to judge by`);
    return { answer, items: items.filter(isObject), at: path.join(".") };
  };
}

type Query = Readonly<Record<string, string>>;

export const crypto = list({ path: "/supported" }, "message", "crypto");
export const fiat = list({ path: "/supported" }, "message", "fiat");
export const providers = list({ path: "/supported/onramps/all" }, "message");
export const paymentTypes = (query: Query = {}) =>
  list({ path: "/supported/payment-types", query }, "message");
export const assets = (query: Query = {}) => list({ path: "/supported/assets", query }, "message", "assets");
export const gateways = (query: Query = {}) =>
  list({ surface: "legacy", path: "/gateways", query }, "gateways");

/** The values of a field in a list, lower-case: what another endpoint's answers are compared with. */
export function wordsOf(read: Read<Seen>, ...names: readonly string[]): Read<ReadonlySet<string>> {
  return async (target) => {
    const { items } = await read(target);
    return new Set(items.flatMap((item) => names.flatMap((name) => [item[name]].flat())).map(lower));
  };
}

export const providerIds = wordsOf(providers, "id");
export const fiatWords = tradedWords("fiat");
export const cryptoWords = tradedWords("crypto");

/** What can be bought, and what can be sold: some things can be only one of the two. */
function tradedWords(kind: "crypto" | "fiat"): Read<ReadonlySet<string>> {
  const lists = [{}, { type: "sell" }].map((query) => list({ path: "/supported", query }, "message", kind));
  return async (target) => {
    const words = await Promise.all(lists.map((read) => wordsOf(read, "code", "id")(target)));
    return new Set(words.flatMap((found) => [...found]));
  };
}

/** What the server answers for one country: the entries of /supported/defaults/all with their key as `country`. */
export const defaults: Read<Seen> = async (target) => {
  const answer = await target.ask({ path: "/supported/defaults/all" });
  const found = member(answer.json, "message", "defaults");
  if (!isSuccess(answer) || !isObject(found)) notApplicable(`${answer.request} gave no defaults to judge by`);
  const items = Object.entries(found).flatMap(([country, entry]) =>
    isObject(entry) ? [{ ...entry, country }] : [],
  );
  return { answer, items, at: "message.defaults" };
};

/** The country that the server takes us to be in, upper case. */
export async function ownCountry(target: Target): Promise<string> {
  const answer = await target.ask({ path: "/supported/assets" });
  const country = member(answer.json, "message", "country");
  if (typeof country !== "string") notApplicable(`${answer.request} names no country`);
  return country.toUpperCase();
}

/** Large markets first: most providers are there, and so is what sets one country apart from another. */
const countriesFirst = ["DE", "US", "BR", "GB", "IN", "JP"];

export async function someCountries(target: Target, count: number): Promise<string[]> {
  const { items } = await defaults(target);
  const known = items.map(({ country }) => String(country));
  if (known.length === 0) notApplicable("GET /supported/defaults/all names no country");
  const wanted = countriesFirst.filter((country) => known.includes(country));
  return [...new Set([...wanted, ...known])].slice(0, count);
}

export interface Pair {
  readonly source: string;
  readonly target: string;
  readonly amount: number;
}

const pairsMax = 6;

/** Pairs and amounts for which someone should quote: what the server itself recommends, then its other defaults. */
export async function tradablePairs(target: Target): Promise<Pair[]> {
  const { answer, items } = await defaults(target);
  const recommended = member(answer.json, "message", "recommended");
  const pairs = [recommended, ...items].filter(isPair);
  if (pairs.length === 0) notApplicable(`${answer.request} names no pair to ask quotes for`);
  return pairs.slice(0, pairsMax);
}

export async function firstPair(target: Target): Promise<Record<"source" | "destination", string>> {
  const [pair] = await tradablePairs(target);
  if (pair === undefined) notApplicable("no pair to ask for");
  return { source: lower(pair.source), destination: lower(pair.target) };
}

export function onramps(more: Query = {}): Read<Seen> {
  return async (target) =>
    list({ path: "/supported/onramps", query: { ...(await firstPair(target)), ...more } }, "message")(target);
}

/** The asset with this code or id; the id first, because several assets may share a code. */
export async function assetOf(target: Target, word: string): Promise<Json | undefined> {
  const { items } = await crypto(target);
  return (
    items.find((item) => lower(item["id"]) === lower(word)) ??
    items.find((item) => lower(item["code"]) === lower(word))
  );
}

function isPair(value: unknown): value is Pair {
  return (
    isObject(value) &&
    typeof value["source"] === "string" &&
    typeof value["target"] === "string" &&
    typeof value["amount"] === "number"
  );
}
