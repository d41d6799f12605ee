import { decimal } from "../../core/decimal.ts";
import { field, lower, readList, tradablePairs } from "./catalogue.ts";
import { notApplicable } from "./check.ts";
import { isObject, isSuccess } from "./expect.ts";
import type { Answer, Target, TargetRequest } from "./target.ts";

export interface Quotes {
  readonly request: TargetRequest & { readonly query: Readonly<Record<string, string>> };
  readonly answer: Answer;
  readonly items: Record<string, unknown>[];
}

/** Buy quotes of the first recommended pair that anybody quotes for. */
export async function buyQuotes(target: Target): Promise<Quotes> {
  return target.once("buy quotes", async () => {
    for (const pair of await tradablePairs(target)) {
      const path = `/quotes/${lower(pair.source)}/${lower(pair.target)}`;
      const found = await quotesOf(target, { path, query: { amount: decimal(pair.amount) } });
      if (found.items.length > 0) return found;
    }
    return notApplicable("no recommended pair has a buy quote");
  });
}

/** Sell quotes for what the buy quotes would have paid out, so that the amount is one that people trade. */
export async function sellQuotes(target: Target): Promise<Quotes> {
  return target.once("sell quotes", async () => {
    const bought = await buyQuotes(target);
    const [, , fiat = "", crypto = ""] = bought.request.path.split("/");
    const payout = bought.items.map((quote) => quote["payout"]).find((value) => typeof value === "number");
    if (payout === undefined) notApplicable("no buy quote tells what an amount of crypto is worth");
    const path = `/quotes/${crypto}/${fiat}`;
    for (const more of [{}, ...(await sellMethods(target, fiat))]) {
      const found = await quotesOf(target, {
        path,
        query: { amount: decimal(payout), type: "sell", ...more },
      });
      if (found.items.length > 0) return found;
    }
    return notApplicable(`no provider quotes a sale of ${crypto} for ${fiat}`);
  });
}

async function quotesOf(target: Target, request: Quotes["request"]): Promise<Quotes> {
  const answer = await target.ask(request);
  const items = isSuccess(answer) && Array.isArray(answer.json) ? answer.json.filter(isObject) : [];
  return { request, answer, items };
}

const methodsAskedMax = 6;

async function sellMethods(target: Target, fiat: string): Promise<{ paymentMethod: string }[]> {
  const request = { path: `/supported/payment-types/${fiat}`, query: { type: "sell" } };
  const { items } = await readList(target, request, "message");
  const ids = items.map((type) => field(type, "paymentTypeId")).filter((id) => typeof id === "string");
  return ids.slice(0, methodsAskedMax).map((paymentMethod) => ({ paymentMethod }));
}
