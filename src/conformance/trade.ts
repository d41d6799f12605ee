import { decimal } from "../core/decimal.ts";
import { list, tradablePairs } from "./catalogue.ts";
import { notApplicable } from "./check.ts";
import { every, isObject, isSuccess, type Json, lower, type Seen } from "./rules.ts";
import type { Target, TargetRequest } from "./target.ts";

export interface Quotes extends Seen {
  readonly request: TargetRequest & { readonly query: Readonly<Record<string, string>> };
  readonly fiat: string;
  readonly crypto: string;
  /** What the customer gives. */
  readonly amount: number;
}

/** Buy quotes of the first recommended pair that anyone quotes for. */
export async function buyQuotes(target: Target): Promise<Quotes> {
  return target.once("buy quotes", async () => {
    for (const pair of await tradablePairs(target)) {
      const [fiat, crypto] = [lower(pair.source), lower(pair.target)];
      const found = await quotesOf(target, { fiat, crypto, side: "buy", amount: pair.amount });
      if (found.items.length > 0) return found;
    }
    return notApplicable("no recommended pair has a buy quote");
  });
}

/** Sell quotes for what the buy quotes would have paid out, so that the amount is one that people trade. */
export async function sellQuotes(target: Target): Promise<Quotes> {
  return target.once("sell quotes", async () => {
    const { fiat, crypto, items } = await buyQuotes(target);
    const amount = items.map((quote) => quote["payout"]).find((value) => typeof value === "number");
    if (amount === undefined || !(amount > 0)) notApplicable("no buy quote tells what crypto is worth");
    for (const more of [{}, ...(await sellMethods(target, fiat))]) {
      const found = await quotesOf(target, { fiat, crypto, side: "sell", amount }, more);
      if (found.items.length > 0) return found;
    }
    return notApplicable(`no provider quotes a sale of ${crypto} for ${fiat}`);
  });
}

export async function quotesOf(
  target: Target,
  wish: { fiat: string; crypto: string; side: "buy" | "sell"; amount: number },
  more: Readonly<Record<string, string>> = {},
): Promise<Quotes> {
  const { fiat, crypto, side, amount } = wish;
  const path = side === "buy" ? `/quotes/${fiat}/${crypto}` : `/quotes/${crypto}/${fiat}`;
  const query = { amount: decimal(amount), ...(side === "sell" ? { type: "sell" } : {}), ...more };
  const request = { path, query };
  const answer = await target.ask(request);
  // Some servers list a provider that cannot quote, with its reasons, among the quotes.
  const items = isSuccess(answer) && Array.isArray(answer.json) ? answer.json.filter(isObject) : [];
  return {
    request,
    answer,
    items: items.filter((item) => !("errors" in item)),
    at: "",
    fiat,
    crypto,
    amount,
  };
}

/** The same question, put differently. */
export function changed(quotes: Quotes, more: Readonly<Record<string, string>>): Quotes["request"] {
  return { ...quotes.request, query: { ...quotes.request.query, ...more } };
}

/** Who quotes, and for which method: what stays the same while prices move. */
export async function outline(target: Target, request: TargetRequest): Promise<string[] | number> {
  const { status, json } = await target.ask(request);
  if (!Array.isArray(json)) return status;
  return json.map((quote: unknown) => lineOf(isObject(quote) ? quote : {})).toSorted();
}

function lineOf(quote: Json): string {
  return `${String(quote["ramp"])} ${String(quote["paymentMethod"])}`;
}

const methodsAskedMax = 8;

async function sellMethods(target: Target, fiat: string): Promise<{ paymentMethod: string }[]> {
  const request = { path: `/supported/payment-types/${fiat}`, query: { type: "sell" } };
  const { items } = await list(request, "message")(target);
  return items.slice(0, methodsAskedMax).map((type) => ({ paymentMethod: String(type["paymentTypeId"]) }));
}

/** What a deal says of itself; `fees` in fiat. */
interface Deal {
  readonly side: "buy" | "sell";
  readonly gives: number;
  readonly gets: number;
  readonly rate: number;
  readonly fees: number;
}

/** Providers round, and cut to the digits of a currency. */
const slack = 0.03;

/**
 * Whether amount, rate, fees and payout belong to one another. Nothing says whether a rate is fiat for a coin or coins
 * for fiat, nor whether the fees are in it; so both ways round are right, with the fees counted or not.
 */
export function addsUp({ side, gives, gets, rate, fees }: Deal): boolean {
  const prices = [rate, 1 / rate];
  return prices.some((price) => {
    const [most, least] =
      side === "buy" ? [gives / price, (gives - fees) / price] : [gives * price, gives * price - fees];
    return gets <= most * (1 + slack) && gets >= least * (1 - slack) - lastDigit(gets);
  });
}

/** The worth of the last digit that is shown: what a provider may have cut off. */
function lastDigit(value: number): number {
  const [, fraction = "", exponent = "0"] = /^\d*\.?(\d*)(?:e(.+))?$/.exec(String(value)) ?? [];
  return 10 ** (Number(exponent) - fraction.length);
}

/** Every entry's figures belong together. */
export function eachAddsUp(
  side: "buy" | "sell",
  gives: number,
  read: (item: Json) => Omit<Deal, "side" | "gives">,
): (seen: Seen) => void {
  return every(
    "amount, fees, rate and payout that belong together",
    (item) => read(item),
    (item) => addsUp({ side, gives, ...read(item) }),
  );
}
