import { gateways } from "./catalogue.ts";
import { notApplicable } from "./check.ts";
import { isObject, isSuccess, type Json, member, type Seen } from "./rules.ts";
import type { Answer, Target } from "./target.ts";

export interface Lane {
  readonly fiat: string;
  readonly crypto: string;
  readonly paymentMethod: string;
}

export interface Rates extends Seen {
  readonly lane: Lane;
  readonly amount: number;
}

/** An amount that most people could pay; a server with other limits says so, and the search goes on with those. */
const ordinaryAmounts = [200, 2_000, 50_000];
const lanesMax = 12;

/** Rates on a lane that at least one gateway serves. */
export async function rates(target: Target): Promise<Rates> {
  return target.once("rates", async () => {
    for (const lane of await lanes(target)) {
      for (const amount of ordinaryAmounts) {
        const found = await ratesOf(target, lane, amount);
        if (found.items.some(isAvailable)) return found;
      }
    }
    return notApplicable("no gateway is available for an ordinary amount");
  });
}

export async function availableRates(target: Target): Promise<Rates> {
  const found = await rates(target);
  return { ...found, items: found.items.filter(isAvailable) };
}

/** Amount 1 is below most minima, so if any gateway is unavailable, it is there. */
export async function unavailableRates(target: Target): Promise<Rates> {
  const { lane } = await rates(target);
  const found = await ratesOf(target, lane, 1);
  const items = found.items.filter((entry) => entry["available"] === false);
  if (items.length === 0) notApplicable("every gateway is available");
  return { ...found, items };
}

export async function ratesOf(
  target: Target,
  lane: Lane,
  amount: number | string,
  query: Readonly<Record<string, string>> = {},
  fresh = false,
): Promise<Rates> {
  const answer = await askRates(target, lane, amount, query, fresh);
  const items = isSuccess(answer) && Array.isArray(answer.json) ? answer.json.filter(isObject) : [];
  return { lane, amount: Number(amount), answer, items, at: "" };
}

export function askRates(
  target: Target,
  lane: Lane,
  amount: number | string,
  query: Readonly<Record<string, string>> = {},
  fresh = false,
): Promise<Answer> {
  const parts = [lane.fiat, lane.crypto, lane.paymentMethod, String(amount)];
  const path = `/rate/${parts.map(encodeURIComponent).join("/")}`;
  return target.ask({ surface: "legacy", path, query, ...(fresh ? { fresh } : {}) });
}

export const isAvailable = (entry: Json) => entry["available"] === true;

/** The limit that an entry says was missed; `null` when it says something else. */
export function missedLimit(entry: Json | undefined, type: "MIN" | "MAX"): number | null {
  const limit = member(entry, "error", "limit");
  return member(entry, "error", "type") === type && typeof limit === "number" ? limit : null;
}

/** Whole crypto amounts are small change for a stablecoin and a fortune in bitcoin: try until someone sells. */
export async function cryptoRates(target: Target): Promise<Rates> {
  return target.once("rates in crypto", async () => {
    const { lane } = await rates(target);
    for (const crypto of ["USDC", "USDT", "DOGE", "XRP", "DAI", lane.crypto]) {
      const amount = crypto === lane.crypto ? 1 : 200;
      const found = await ratesOf(target, { ...lane, crypto }, amount, { amountInCrypto: "true" });
      const items = found.items.filter(isAvailable);
      if (items.length > 0) return { ...found, items };
    }
    return notApplicable("no gateway sells a whole amount of a crypto currency");
  });
}

/** Ways to pay that the gateways themselves list, the local currency and the common coins first. */
export async function lanes(target: Target): Promise<Lane[]> {
  const { answer, items } = await gateways()(target);
  const fiatFirst = [String(member(answer.json, "localization", "currency")), "EUR", "USD", "GBP"];
  const found = items.flatMap((gateway) => {
    const [fiat] = preferred(codesOf(gateway["fiatCurrencies"]), fiatFirst);
    const cryptos = preferred(codesOf(gateway["cryptoCurrencies"]), ["BTC", "ETH", "USDC", "USDT"]);
    const [paymentMethod] = preferred(codesOf(gateway["paymentMethods"]), ["creditCard"]);
    if (fiat === undefined || paymentMethod === undefined) return [];
    return cryptos.slice(0, 3).map((crypto) => ({ fiat, crypto, paymentMethod }));
  });
  if (found.length === 0) notApplicable(`${answer.request} lists no gateway with currencies and methods`);
  const distinct = new Map(found.map((lane) => [Object.values(lane).join(" "), lane]));
  return [...distinct.values()].slice(0, lanesMax);
}

/** The codes of a gateway's currencies, or its payment methods, which are plain texts. */
export function codesOf(values: unknown): string[] {
  const codes = Array.isArray(values) ? values.map((one) => (isObject(one) ? one["code"] : one)) : [];
  return codes.filter((code) => typeof code === "string");
}

function preferred(values: readonly string[], first: readonly string[]): string[] {
  const wanted = first.flatMap((name) =>
    values.filter((value) => value.toUpperCase() === name.toUpperCase()),
  );
  return [...new Set([...wanted, ...values])];
}
