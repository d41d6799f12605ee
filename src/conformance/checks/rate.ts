import { z } from "zod";
import { gateways } from "../catalogue.ts";
import { differ, group, notApplicable, row } from "../check.ts";
import {
  askRates,
  availableRates,
  codesOf,
  cryptoRates,
  isAvailable,
  type Lane,
  lanes,
  missedLimit,
  rates,
  type Rates,
  ratesOf,
  unavailableRates,
} from "../rates.ts";
import {
  body,
  describe,
  every,
  fields,
  isRefusal,
  isSuccess,
  type Json,
  lower,
  member,
  show,
} from "../rules.ts";
import { holdsLimits } from "../rate-limits.ts";
import { fieldDescriptor, filledText, objects, step, texts } from "../shapes.ts";
import type { Target } from "../target.ts";
import { eachAddsUp } from "../trade.ts";

const none = z.null().optional();
const inCrypto = { amountInCrypto: "true" };

export const rate = group(
  {
    name: "rate",
    endpoint: "GET /rate/{fromCurrency}/{toCurrency}/{paymentMethod}/{amount}",
    surface: "legacy",
  },
  [
    row(
      "is-an-array",
      [3, 238],
      async (target) => {
        const [lane] = await lanes(target);
        return askRates(target, lane ?? notApplicable("no lane to ask for"), 200);
      },
      body(objects, "a top-level array of objects"),
    ),
    row(
      "always-identifier-and-available",
      [136, 138],
      rates,
      fields({ identifier: filledText, available: z.boolean() }),
    ),
    row(
      "always-a-duration",
      [137],
      rates,
      fields({ duration: z.looseObject({ seconds: z.int().min(0), message: filledText }) }),
    ),
    row(
      "available.figures",
      [139, 140, 142],
      availableRates,
      fields({ rate: z.number(), fees: z.number(), receivedCrypto: z.number() }),
    ),
    row(
      "available.figures-are-positive",
      [139, 140, 142],
      availableRates,
      every(
        "`rate` and `receivedCrypto` above 0, `fees` of 0 or more",
        figures,
        (one) => Number(one["rate"]) > 0 && Number(one["receivedCrypto"]) > 0 && Number(one["fees"]) >= 0,
      ),
    ),
    row("available.something-is-received", [142], rates, async ({ lane }, target) => {
      // The smallest amount that anyone takes must bring something.
      const limits = (await ratesOf(target, lane, 1)).items.map((one) => missedLimit(one, "MIN") ?? 1);
      const least = await ratesOf(target, lane, Math.ceil(Math.min(...limits)));
      const sold = least.items.filter(isAvailable);
      if (sold.length === 0) notApplicable("nobody sells for the smallest amount");
      every(
        "something to receive",
        figures,
        (one) => Number(one["receivedCrypto"]) > 0,
      )({ ...least, items: sold });
    }),
    row("available.figures-belong-together", [139, 142, 234], availableRates, (seen) =>
      eachAddsUp("buy", seen.amount, ({ rate: price, fees, receivedCrypto }) => ({
        rate: Number(price),
        fees: Number(fees),
        gets: Number(receivedCrypto),
      }))(seen),
    ),
    row(
      "available.required-kyc",
      [141],
      availableRates,
      fields({ requiredKYC: z.array(z.union([filledText, texts.min(1)])) }),
    ),
    row("available.next-step", [143], availableRates, fields({ nextStep: step })),
    row("available.form-fields", [149, 150, 151, 152, 153], availableRates, (seen) => {
      const forms = seen.items
        .map((one) => step.safeParse(one["nextStep"]).data)
        .filter((one) => one?.type === "form");
      if (forms.length === 0) notApplicable("no gateway starts with a form");
      const items = forms.map((form) => ({ data: form?.data }));
      fields(
        { data: z.array(fieldDescriptor).min(1) },
        "field descriptors",
      )({ ...seen, items, at: "nextStep" });
    }),
    row(
      "available.no-error",
      [145],
      availableRates,
      fields({ error: none }, "no `error` on an available gateway"),
    ),
    row("available.gateway-lists-what-it-sells", [232], availableRates, async (seen, target) => {
      const { items } = await gateways()(target);
      const { lane } = seen;
      const lists = ({ identifier }: Json) =>
        items
          .filter((one) => one["identifier"] === identifier)
          .some((one) =>
            [
              [one["fiatCurrencies"], lane.fiat],
              [one["cryptoCurrencies"], lane.crypto],
              [one["paymentMethods"], lane.paymentMethod],
            ].every(([codes, word]) => codesOf(codes).map(lower).includes(lower(word))),
          );
      every(`a gateway that lists ${Object.values(lane).join(", ")}`, "identifier", lists)(seen);
    }),
    row(
      "unavailable.error",
      [144],
      unavailableRates,
      fields({ error: z.looseObject({ type: filledText, message: filledText, limit: z.number() }) }),
    ),
    row(
      "unavailable.no-figures",
      [145],
      unavailableRates,
      fields({ rate: none, fees: none, receivedCrypto: none, nextStep: none }, "no figures and no step"),
    ),
    row("min.is-not-an-http-error", [247], rates, async ({ lane }, target) =>
      body(objects, "rate entries, even for an amount below every minimum")(await askRates(target, lane, 1)),
    ),
    row("min.limit-is-above-the-amount", [248], unavailableRates, (seen) => {
      const items = seen.items.filter((one) => member(one, "error", "type") === "MIN");
      if (items.length === 0) notApplicable("no gateway has a minimum above 1");
      every(
        "a `limit` above the amount asked",
        "error",
        (one) => (missedLimit(one, "MIN") ?? 0) > 1,
      )({ ...seen, items });
    }),
    row("min.limit-is-the-minimum", [249, 254], rates, ({ lane }, target) =>
      holdsLimits(target, { lane, type: "MIN", query: {} }),
    ),
    row("max.limit-is-the-maximum", [144], rates, ({ lane }, target) =>
      holdsLimits(target, { lane, type: "MAX", query: {} }),
    ),
    row("min.limit-is-the-minimum-in-crypto", [237, 249], cryptoRates, ({ lane }, target) =>
      holdsLimits(target, { lane, type: "MIN", query: inCrypto }),
    ),
    row("max.limit-is-the-maximum-in-crypto", [144, 237], cryptoRates, ({ lane }, target) =>
      holdsLimits(target, { lane, type: "MAX", query: inCrypto }),
    ),
    row("none-available.says-what-to-change", [250], rates, async ({ lane }, target) => {
      const { answer, items } = await ratesOf(target, lane, 1);
      const limits = items.map((one) => missedLimit(one, "MIN")).filter((limit) => limit !== null);
      if (items.some(isAvailable) || limits.length === 0) notApplicable("some gateway is available for 1");
      const again = await ratesOf(target, lane, Math.ceil(Math.min(...limits)));
      if (!again.items.some(isAvailable))
        differ(answer, `a gateway that is available at ${Math.min(...limits)}`, "none");
    }),
    row("gateways-are-listed", [146], rates, async ({ answer, items }, target) => {
      const known = new Set((await gateways()(target)).items.map((one) => one["identifier"]));
      const unknown = items.find((one) => "identifier" in one && !known.has(one["identifier"]));
      if (unknown !== undefined)
        differ(answer, "gateways of GET /gateways only", show(unknown["identifier"]));
    }),
    row("every-gateway-answers", [146, 238], rates, async ({ answer, items }, target) =>
      expectAll(target, { answer, items }, {}),
    ),
    row("country-selects", [235], rates, async ({ lane }, target) => {
      for (const country of ["DE", "BR", "all"])
        await expectAll(target, await ratesOf(target, lane, 200, { country }), { country });
      const [here, all] = [
        await ratesOf(target, lane, 200, { country: "US" }),
        await ratesOf(target, lane, 200, { country: "all" }),
      ];
      const most = (await gateways({ country: "all" })(target)).items.length;
      const least = (await gateways({ country: "US" })(target)).items.length;
      if (least < most && here.items.length >= all.items.length)
        differ(all.answer, "more gateways in all countries than in one", `${all.items.length}`);
    }),
    row("amount-is-a-positive-integer", [233, 253], rates, async ({ lane }, target) => {
      for (const amount of ["0", "-5", "abc", "1.5"]) await nothingAvailable(target, lane, amount);
    }),
    row("amount-may-be-large", [233, 253], rates, async ({ lane }, target) =>
      body(objects, "rate entries: it is a positive integer")(await askRates(target, lane, "1000000000000")),
    ),
    row("amount.counts", [234], availableRates, async ({ lane, amount, items }, target) => {
      const more = await ratesOf(target, lane, amount * 2);
      const both = items.flatMap((one) => {
        const twice = more.items.find(
          (other) => isAvailable(other) && other["identifier"] === one["identifier"],
        );
        return twice === undefined
          ? []
          : [[Number(one["receivedCrypto"]), Number(twice["receivedCrypto"])] as const];
      });
      if (both.length === 0) notApplicable("nobody sells twice as much");
      const wrong = both.find(([once, twice]) => !(twice > once * 1.5));
      if (wrong !== undefined) differ(more.answer, `about twice ${wrong[0]}`, String(wrong[1]));
    }),
    row("from-currency-is-fiat", [230], rates, ({ lane }, target) =>
      nothingAvailable(target, { ...lane, fiat: lane.crypto }, "200"),
    ),
    row("to-currency-is-crypto", [231], rates, ({ lane }, target) =>
      nothingAvailable(target, { ...lane, crypto: lane.fiat }, "200"),
    ),
    row("payment-method-is-of-the-gateways", [232], rates, ({ lane }, target) =>
      nothingAvailable(target, { ...lane, paymentMethod: "conformance" }, "200"),
    ),
    row("amount-in-crypto", [237], cryptoRates, (seen) => {
      // Providers cut to their own precision and may take the network's fee from what is sent.
      const near = ({ receivedCrypto }: Json) => Math.abs(Number(receivedCrypto) / seen.amount - 1) <= 0.1;
      every(`about ${seen.amount} in \`receivedCrypto\``, "receivedCrypto", near)(seen);
    }),
    row("include-icons-is-accepted", [236], rates, async ({ lane, items }, target) => {
      const seen = await ratesOf(target, lane, 200, { includeIcons: "true" });
      if (!isSuccess(seen.answer))
        differ(seen.answer, "rate entries with icons asked for", describe(seen.answer));
      if (seen.items.length !== items.length && seen.items.length === 0)
        differ(seen.answer, "the same gateways", "none");
    }),
  ],
);

function figures({ rate: price, fees, receivedCrypto }: Json): Json {
  return { rate: price, fees, receivedCrypto };
}

async function nothingAvailable(target: Target, lane: Lane, amount: string): Promise<void> {
  const { answer, items } = await ratesOf(target, lane, amount);
  const sells = items.some(isAvailable);
  if (!isRefusal(answer) && (!Array.isArray(answer.json) || sells))
    differ(
      answer,
      "a refusal, or no gateway available",
      sells ? "an available gateway" : `status ${answer.status}`,
    );
}

async function expectAll(
  target: Target,
  { answer, items }: Pick<Rates, "answer" | "items">,
  place: Record<string, string>,
): Promise<void> {
  const listed = (await gateways(place)(target)).items.map((one) => one["identifier"]);
  const missing = listed.find((name) => !items.some((one) => one["identifier"] === name));
  if (missing !== undefined)
    differ(answer, "an entry for every gateway of GET /gateways", `none for ${show(missing)}`);
}
