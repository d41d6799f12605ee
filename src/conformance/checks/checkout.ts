import { z } from "zod";
import { differ, group, notApplicable, row, type Rule } from "../check.ts";
import {
  abroadIntent,
  accepted,
  acceptedIntent,
  type AcceptedIntent,
  buyIntent,
  changedIntent,
  intentPath,
  sellIntent,
  theme,
} from "../intents.ts";
import {
  body,
  describe,
  expectSame,
  isObject,
  isRefusal,
  isSuccess,
  type Json,
  lower,
  member,
  refuses,
  show,
} from "../rules.ts";
import { absoluteUrl, filledText, upperCountry } from "../shapes.ts";
import type { Target } from "../target.ts";

const echoed = [
  "onramp",
  "source",
  "destination",
  "amount",
  "type",
  "paymentMethod",
  "network",
  "uuid",
  "originatingHost",
  "wallet",
];
const unechoed = ["partnerContext", "metaData", "partnerData"];
const aYear = 366 * 86_400_000;

export const checkout = group({ name: "checkout", endpoint: "POST /checkout/intent", writes: true }, [
  row(
    "wrapped-in-message",
    [7, 87, 90, 91, 212, 213],
    async (target) => (await buyIntent(target)).answer,
    body(
      z.looseObject({
        message: z.looseObject({
          sessionInformation: z.looseObject({}),
          transactionInformation: z.looseObject({}),
        }),
      }),
      "`sessionInformation` and `transactionInformation`",
    ),
  ),
  row(
    "validation-information-is-a-boolean",
    [88],
    acceptedIntent,
    has("message", { validationInformation: z.boolean() }),
  ),
  row("status-is-a-string", [89, 156], acceptedIntent, has("message", { status: filledText })),
  row(
    "session.repeats-the-request",
    [73, 74, 75, 77, 81, 83, 92, 93, 94, 95, 96, 97, 98, 99, 100, 101],
    acceptedIntent,
    ({ answer, body: sent, session: seen }) => {
      const only = (from: Json) => Object.fromEntries(echoed.map((name) => [name, from[name]]));
      expectSame(answer, only(sent), only(seen), "the fields as they were sent");
    },
  ),
  row("session.wallet-comes-back-as-sent", [101], acceptedIntent, async ({ body: sent }, target) => {
    const wallet = { ...(isObject(sent["wallet"]) ? sent["wallet"] : {}), memo: "1742" };
    const made = await changedIntent(target, { wallet });
    if (isRefusal(made.answer)) notApplicable("a wallet with a memo is refused");
    expectSame(made.answer, wallet, accepted(made).session["wallet"], "the wallet as it was sent");
  }),
  row("session.carries-the-theme", [84, 102], acceptedIntent, ({ answer, session: seen }) =>
    expectSame(
      answer,
      theme,
      member(seen, "supportedParams", "theme"),
      "`supportedParams.theme` as it was sent",
    ),
  ),
  row("session.country-is-upper-case", [103], acceptedIntent, has("session", { country: upperCountry })),
  row(
    "session.expiring-time-is-an-integer",
    [104],
    acceptedIntent,
    has("session", { expiringTime: z.int() }),
  ),
  row("session.expires-soon", [104], acceptedIntent, ({ answer, session: seen }, target) => {
    const time = Number(seen["expiringTime"]);
    // The unit is not shown. Seconds of this century are too small to be its milliseconds.
    const leftMs = (time < 1e11 ? time * 1000 : time) - target.now();
    if (!(leftMs > 0 && leftMs < aYear))
      differ(answer, "an `expiringTime` that lies ahead, by less than a year", String(time));
  }),
  row("session.has-an-id", [105], acceptedIntent, has("session", { sessionId: filledText })),
  row("session.keeps-to-itself-what-is-not-shown", [80, 106], acceptedIntent, ({ answer, message }) => {
    const found = unechoed.find((name) => holdsKey(message, name));
    if (found !== undefined) differ(answer, `no ${found} in the answer`, found);
  }),
  row(
    "transaction.has-an-id",
    [107, 109],
    acceptedIntent,
    has("transaction", { transactionId: filledText, type: filledText }),
  ),
  row("transaction.url-is-absolute", [17, 108], acceptedIntent, has("transaction", { url: absoluteUrl })),
  row("transaction.url-opens", [7, 108], acceptedIntent, async ({ transaction }, target) => {
    if (!URL.canParse(String(transaction["url"]))) notApplicable("the checkout has no url to open");
    const page = await target.ask({ surface: "absolute", path: String(transaction["url"]) });
    if (!isSuccess(page) || !/html/.test(page.contentType)) differ(page, "a page to present", describe(page));
  }),
  row(
    "transaction.permissions",
    [110],
    acceptedIntent,
    has("transaction", {
      params: z.looseObject({ permissions: z.string().regex(/^[a-z-]+( [^;]+)?(; ?[a-z-]+( [^;]+)?)*;?$/) }),
    }),
  ),
  row("transaction.can-be-read", [107, 215], acceptedIntent, async (intent, target) => {
    const record = await recordOf(target, intent);
    expectSame(
      record.answer,
      { onramp: intent.body["onramp"], transactionType: "buy" },
      { onramp: record.json["onramp"], transactionType: record.json["transactionType"] },
      "the record of this checkout",
    );
  }),
  row("transaction.keeps-the-wallet", [83, 125], acceptedIntent, async (intent, target) => {
    const { answer, json } = await recordOf(target, intent);
    const sent = member(intent.body["wallet"], "address");
    const kept = json["walletAddress"];
    if (kept !== sent) differ(answer, `the wallet as it was sent, ${show(sent)}`, show(kept));
  }),
  row(
    "ids-are-of-one-checkout",
    [105, 107],
    acceptedIntent,
    async ({ session: first, transaction }, target) => {
      const again = accepted(await changedIntent(target, {}));
      const [one, two] = [first["sessionId"], again.session["sessionId"]];
      if (one === two) differ(again.answer, "a session of its own", show(two));
      if (transaction["transactionId"] === again.transaction["transactionId"])
        differ(again.answer, "a transaction of its own", show(transaction["transactionId"]));
    },
  ),
  row("quote-id.is-taken-back", [66, 82], buyIntent, ({ answer }) => {
    if (!isSuccess(answer)) differ(answer, "a checkout for the quote just given", describe(answer));
  }),
  row("quote-id.must-be-one", [82], acceptedIntent, (_, target) =>
    refused(target, { metaData: { quoteId: "conformance-no-such-quote" } }, "a quoteId that was never given"),
  ),
  row("quote-id.keeps-its-country", [66, 103], abroadIntent, ({ answer, country }) => {
    if (!isSuccess(answer)) differ(answer, `a checkout for a quote given for ${country}`, describe(answer));
    const seen = member(answer.json, "message", "sessionInformation", "country");
    if (lower(seen) !== lower(country)) differ(answer, `country ${country}, as quoted`, show(seen));
  }),
  row("sell-is-accepted", [76], sellIntent, ({ answer }) => {
    if (!isSuccess(answer)) differ(answer, "a checkout for a sell quote", describe(answer));
    const type = member(answer.json, "message", "sessionInformation", "type");
    if (type !== "sell") differ(answer, "type sell", show(type));
  }),
  row("type-is-buy-or-sell", [76], acceptedIntent, (_, target) =>
    refused(target, { type: "swap" }, "type swap"),
  ),
  row("onramp-is-a-provider", [72], acceptedIntent, (_, target) =>
    refused(target, { onramp: "conformance-nobody" }, "a provider that nobody knows"),
  ),
  row("amount-is-a-number", [75], acceptedIntent, async (_, target) => {
    await refused(target, { amount: "a lot" }, "an amount in words");
    await refused(target, { amount: -5 }, "a negative amount");
  }),
  row("network-is-the-assets", [78], acceptedIntent, (_, target) =>
    refused(target, { network: "conformance-no-such-network" }, "a network that the asset is not on"),
  ),
  row("uuid-is-one", [79], acceptedIntent, (_, target) =>
    refused(target, { uuid: "u1" }, "a uuid that is none"),
  ),
  row("wallet-is-an-address", [83], acceptedIntent, async (_, target) => {
    const { answer } = await changedIntent(target, { wallet: { address: "not an address !!!" } });
    // `validationInformation` may be the answer's own way to say so.
    if (!isRefusal(answer) && member(answer.json, "message", "validationInformation") !== false)
      differ(
        answer,
        "a refusal of a wallet that is not an address, or `validationInformation` false",
        describe(answer),
      );
  }),
  row("theme-is-typed", [84], acceptedIntent, (_, target) =>
    refused(target, { supportedParams: { theme: { isDark: "yes" } } }, "a theme whose isDark is a text"),
  ),
  row("body-must-be-json", [4, 212], acceptedIntent, (_, target) =>
    refuses(
      target,
      { method: "POST", path: intentPath, body: "onramp=none&amount" },
      "a refusal of a body that is not JSON",
    ),
  ),
]);

/** The parts of an accepted answer have these fields. */
function has(part: "message" | "session" | "transaction", shape: z.ZodRawShape): Rule<AcceptedIntent> {
  const names = { message: [], session: ["sessionInformation"], transaction: ["transactionInformation"] };
  const whole = names[part].reduce(
    (inner, name) => z.looseObject({ [name]: inner }),
    z.looseObject(shape) as z.ZodType,
  );
  const expected = `\`${Object.keys(shape).join("`, `")}\` as specified`;
  return ({ answer }) => body(z.looseObject({ message: whole }), expected)(answer);
}

async function refused(target: Target, changes: Json, what: string): Promise<void> {
  // The same checkout without the change must be taken, or the refusal would prove nothing.
  if (!isSuccess((await target.once("plain intent", () => changedIntent(target, {}))).answer))
    notApplicable("a checkout without a quoteId is refused");
  const { answer } = await changedIntent(target, changes);
  if (!isRefusal(answer)) differ(answer, `a refusal of ${what}`, describe(answer));
}

async function recordOf(target: Target, { transaction }: AcceptedIntent) {
  const path = `/transactions/${encodeURIComponent(String(transaction["transactionId"]))}`;
  const answer = await target.ask({ path });
  if (!isSuccess(answer) || !isObject(answer.json))
    differ(answer, "the record of this checkout", describe(answer));
  return { answer, json: answer.json };
}

function holdsKey(value: unknown, name: string): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.hasOwn(value, name) || Object.values(value).some((inner) => holdsKey(inner, name));
}
