import { field, readList } from "./catalogue.ts";
import { notApplicable } from "./check.ts";
import { isObject, isSuccess } from "./expect.ts";
import type { Answer, Target } from "./target.ts";

export const readGateways = (target: Target) =>
  readList(target, { surface: "earlier", path: "/gateways" }, "gateways");

export interface Lane {
  readonly fiat: string;
  readonly crypto: string;
  readonly paymentMethod: string;
}

export interface Rates {
  readonly lane: Lane;
  readonly answer: Answer;
  readonly entries: Record<string, unknown>[];
}

/** An amount that most people could pay; a server with other limits says so, and the search goes on with those. */
const ordinaryAmounts = ["200", "2000", "50000"];
const lanesMax = 12;

/** Rates on a lane that at least one gateway serves. */
export async function rates(target: Target): Promise<Rates> {
  return target.once("rates", async () => {
    for (const lane of await lanes(target)) {
      for (const amount of ordinaryAmounts) {
        const found = await ratesOf(target, lane, amount);
        if (found.entries.some((entry) => entry["available"] === true)) return found;
      }
    }
    return notApplicable("no gateway is available for an ordinary amount");
  });
}

export async function ratesOf(
  target: Target,
  lane: Lane,
  amount: string,
  query: Record<string, string> = {},
): Promise<Rates> {
  const answer = await target.ask({ surface: "earlier", path: ratePath(lane, amount), query });
  const entries = isSuccess(answer) && Array.isArray(answer.json) ? answer.json.filter(isObject) : [];
  return { lane, answer, entries };
}

export function ratePath(lane: Lane, amount: string): string {
  return `/rate/${[lane.fiat, lane.crypto, lane.paymentMethod, amount].map(encodeURIComponent).join("/")}`;
}

/** Ways to pay that the gateways themselves list, the local currency and the common coins first. */
export async function lanes(target: Target): Promise<Lane[]> {
  const { answer, items } = await readGateways(target);
  const local = field(field(answer.json, "localization"), "currency");
  const fiatFirst = [String(local), "EUR", "USD", "GBP"];
  const found = items.flatMap((gateway) => {
    const [fiat] = preferred(codesOf(gateway["fiatCurrencies"]), fiatFirst);
    const cryptos = preferred(codesOf(gateway["cryptoCurrencies"]), ["BTC", "ETH", "USDC", "USDT"]).slice(
      0,
      3,
    );
    const methods = Array.isArray(gateway["paymentMethods"]) ? gateway["paymentMethods"] : [];
    const [paymentMethod] = preferred(
      methods.filter((id) => typeof id === "string"),
      ["creditCard"],
    );
    if (fiat === undefined || paymentMethod === undefined) return [];
    return cryptos.map((crypto) => ({ fiat, crypto, paymentMethod }));
  });
  if (found.length === 0)
    notApplicable(`${answer.request} lists no gateway with currencies and payment methods`);
  const distinct = new Map(found.map((lane) => [Object.values(lane).join(" "), lane]));
  return [...distinct.values()].slice(0, lanesMax);
}

function codesOf(currencies: unknown): string[] {
  const codes = Array.isArray(currencies) ? currencies.map((currency) => field(currency, "code")) : [];
  return codes.filter((code) => typeof code === "string");
}

function preferred(values: readonly string[], first: readonly string[]): string[] {
  const wanted = first.flatMap((name) =>
    values.filter((value) => value.toUpperCase() === name.toUpperCase()),
  );
  return [...new Set([...wanted, ...values])];
}
