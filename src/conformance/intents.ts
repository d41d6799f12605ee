import { assetOf, defaults, ownCountry } from "./catalogue.ts";
import { notApplicable } from "./check.ts";
import { exampleAddress } from "./example-values.ts";
import { isObject, isSuccess, type Json, lower, member } from "./rules.ts";
import type { Answer, Target } from "./target.ts";
import { buyQuotes, type Quotes, quotesOf, sellQuotes } from "./trade.ts";

export const intentPath = "/checkout/intent";

export const theme = {
  isDark: false,
  themeName: "light-theme",
  primaryColor: "#241d1c",
  secondaryColor: "#ffffff",
  primaryTextColor: "#141519",
  secondaryTextColor: "#6b6f80",
  cardColor: "#f6f7f9",
  borderRadius: null,
};

export interface Intent {
  readonly answer: Answer;
  readonly body: Json;
}

export interface AcceptedIntent extends Intent {
  readonly message: Json;
  readonly session: Json;
  readonly transaction: Json;
}

/** One purchase a run, for a quote that the server has just given. It is never paid. */
export async function buyIntent(target: Target): Promise<Intent> {
  return target.once("buy intent", async () => {
    const quotes = await buyQuotes(target);
    return post(target, await intentBody(target, quotes, "buy", quotes.items[0]));
  });
}

export async function sellIntent(target: Target): Promise<Intent> {
  return target.once("sell intent", async () => {
    const quotes = await sellQuotes(target);
    return post(target, await intentBody(target, quotes, "sell", quotes.items[0]));
  });
}

/** The accepted purchase with some of its fields changed; the quote is left out, so that only the change is judged. */
export async function changedIntent(target: Target, changes: Json): Promise<Intent> {
  const { metaData: _quote, ...taken } = (await acceptedIntent(target)).body;
  return post(target, { ...taken, ...changes });
}

/** Quotes for a country that is not the caller's own, and a purchase of one of them. */
export async function abroadIntent(target: Target): Promise<Intent & { country: string }> {
  return target.once("intent abroad", async () => {
    const own = await ownCountry(target);
    const { items } = await defaults(target);
    const others = items.filter(({ country }) => country !== own);
    for (const { country, source, target: coin, amount } of others.slice(0, countriesMax)) {
      const wish = { fiat: lower(source), crypto: lower(coin), side: "buy" as const, amount: Number(amount) };
      const quotes = await quotesOf(target, wish, { country: String(country) });
      // Who is at home there and not here is the one whose quote a forgetful server refuses.
      const here = await quotesOf(target, wish);
      const local = quotes.items.find(({ ramp }) => !here.items.some((quote) => quote["ramp"] === ramp));
      const quote = local ?? quotes.items[0];
      if (quote === undefined) continue;
      const made = await post(target, await intentBody(target, quotes, "buy", quote));
      return { ...made, country: String(country) };
    }
    return notApplicable("nobody quotes for another country");
  });
}

const countriesMax = 4;

export async function acceptedIntent(target: Target): Promise<AcceptedIntent> {
  return accepted(await buyIntent(target));
}

export function accepted(made: Intent): AcceptedIntent {
  const message = member(made.answer.json, "message");
  const session = member(message, "sessionInformation");
  const transaction = member(message, "transactionInformation");
  if (!isSuccess(made.answer) || !isObject(message) || !isObject(session) || !isObject(transaction))
    notApplicable("the checkout intent was not accepted");
  return { ...made, message, session, transaction };
}

export async function post(target: Target, body: Json): Promise<Intent> {
  const answer = await target.ask({ method: "POST", path: intentPath, body: JSON.stringify(body) });
  return { answer, body };
}

async function intentBody(target: Target, quotes: Quotes, type: string, quote: Json | undefined) {
  const { fiat, crypto, amount } = quotes;
  const named = (await assetOf(target, crypto))?.["network"];
  const network = typeof named === "string" ? named : "";
  return {
    onramp: quote?.["ramp"],
    source: type === "buy" ? fiat : crypto,
    destination: type === "buy" ? crypto : fiat,
    amount,
    type,
    paymentMethod: quote?.["paymentMethod"],
    network,
    uuid: "1b0e9a52-52c5-4b5b-8d0f-3f7d6c1c2a77",
    partnerContext: "conformance",
    originatingHost: "conformance.example",
    metaData: { quoteId: quote?.["quoteId"] },
    wallet: { address: exampleAddress(network) },
    supportedParams: {
      theme,
      partnerData: { redirectUrl: { success: "https%3A%2F%2Fconformance.example%2F" } },
    },
  };
}
