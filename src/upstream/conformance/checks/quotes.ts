import { z } from "zod";
import { field, lower, ownCountry, readList, tradablePairs } from "../catalogue.ts";
import { type Check, type CheckGroup, notApplicable } from "../check.ts";
import { expectEach, expectRefusal, expectShape, expectThat, show } from "../expect.ts";
import { buyQuotes, type Quotes, sellQuotes } from "../quotes.ts";
import { filledText, paymentType, texts } from "../shapes.ts";
import type { Target } from "../target.ts";

const methodsRule =
  "| availablePaymentMethods | array of Payment type | present on buy quotes; absent from sell quotes |";

const buyChecks: readonly Check[] = [
  {
    id: "buy-quotes.top-level-array",
    sentence: "The /quotes responses are a top-level array.",
    async run(target) {
      for (const { source, target: crypto, amount } of (await tradablePairs(target)).slice(0, 1)) {
        const path = `/quotes/${lower(source)}/${lower(crypto)}`;
        const answer = await target.ask({ path, query: { amount: String(amount) } });
        expectShape(answer, z.array(z.looseObject({})), "a top-level array of objects");
      }
    },
  },
  ...quoteFields("buy-quotes", buyQuotes),
  {
    id: "buy-quotes.available-payment-methods-present",
    sentence: methodsRule,
    async run(target) {
      const { answer, items } = await buyQuotes(target);
      const shape = z.looseObject({ availablePaymentMethods: z.array(paymentType) });
      expectEach(answer, { at: "", items }, shape, "an array `availablePaymentMethods` of payment types");
    },
  },
  {
    id: "buy-quotes.payment-method.default-is-creditcard",
    sentence:
      "Query: `amount` (required; fiat amount), `paymentMethod` (optional, default creditcard), `uuid` (optional, default null; the unique user id of the widget), `clientName` (optional, default null; used for client-preferred recommendations), `country` (optional).",
    async run(target) {
      await expectCreditcardByDefault(await buyQuotes(target));
    },
  },
  {
    id: "buy-quotes.payment-method.is-the-one-asked",
    sentence:
      "Obtain quotes from all available providers for one amount, one currency pair and one payment method.",
    async run(target) {
      const { request, items } = await buyQuotes(target);
      const offered = items.flatMap((quote) => methodIds(quote["availablePaymentMethods"]));
      const paymentMethod = offered.find((id) => id !== "creditcard");
      if (paymentMethod === undefined) notApplicable("no quote offers a second payment method");
      const asked = { ...request, query: { ...request.query, paymentMethod } };
      const { answer, items: quotes } = await readList(target, asked, null);
      const shape = z.looseObject({ paymentMethod: z.literal(paymentMethod) });
      expectEach(answer, { at: "", items: quotes }, shape, `quotes for ${paymentMethod} only`);
    },
  },
  {
    id: "buy-quotes.amount.is-required",
    sentence:
      "Query: `amount` (required; fiat amount), `paymentMethod` (optional, default creditcard), `uuid` (optional, default null; the unique user id of the widget), `clientName` (optional, default null; used for client-preferred recommendations), `country` (optional).",
    async run(target) {
      const { request } = await buyQuotes(target);
      expectRefusal(await target.ask({ path: request.path }), "a refusal without an amount");
    },
  },
  {
    id: "buy-quotes.optional-parameters-are-accepted",
    sentence:
      "Query: `amount` (required; fiat amount), `paymentMethod` (optional, default creditcard), `uuid` (optional, default null; the unique user id of the widget), `clientName` (optional, default null; used for client-preferred recommendations), `country` (optional).",
    async run(target) {
      const { request } = await buyQuotes(target);
      const more = { uuid: exampleUuid, clientName: "conformance", country: await ownCountry(target) };
      const answer = await target.ask({ ...request, query: { ...request.query, ...more } });
      expectShape(
        answer,
        z.array(z.looseObject({})),
        "a top-level array with uuid, clientName and country given",
      );
    },
  },
];

const sellChecks: readonly Check[] = [
  {
    id: "sell-quotes.top-level-array",
    sentence: "Response: top-level array of Quote, without `availablePaymentMethods`.",
    async run(target) {
      const [first] = await tradablePairs(target);
      if (first === undefined) notApplicable("no pair to ask for");
      const path = `/quotes/${lower(first.target)}/${lower(first.source)}`;
      const answer = await target.ask({ path, query: { amount: "1", type: "sell" } });
      expectShape(answer, z.array(z.looseObject({})), "a top-level array of objects");
    },
  },
  ...quoteFields("sell-quotes", sellQuotes),
  {
    id: "sell-quotes.available-payment-methods-absent",
    sentence: methodsRule,
    async run(target) {
      const { answer, items } = await sellQuotes(target);
      const shape = z.looseObject({ availablePaymentMethods: z.undefined().optional() });
      expectEach(answer, { at: "", items }, shape, "no `availablePaymentMethods`");
    },
  },
  {
    id: "sell-quotes.payment-method.default-is-creditcard",
    sentence:
      "Query: `amount` (required; crypto amount), `paymentMethod` (optional, default creditcard), `uuid`, `clientName` (both optional, default null), `type` (buy or sell; the sell form passes sell; default buy), `country` (optional).",
    async run(target) {
      const { request, answer, items } = await sellQuotes(target);
      const { paymentMethod: given, ...query } = request.query;
      const byDefault =
        given === undefined ? { answer, items } : await readList(target, { ...request, query }, null);
      await expectCreditcardByDefault({ request, ...byDefault });
    },
  },
  {
    id: "sell-quotes.payment-method.is-the-one-asked",
    sentence:
      "Obtain quotes from all available providers for one amount, one currency pair and one payment method.",
    async run(target) {
      const { request, items } = await sellQuotes(target);
      const paymentMethod = request.query["paymentMethod"] ?? String(items[0]?.["paymentMethod"]);
      const asked = { ...request, query: { ...request.query, paymentMethod } };
      const { answer, items: quotes } = await readList(target, asked, null);
      const shape = z.looseObject({ paymentMethod: z.literal(paymentMethod) });
      expectEach(answer, { at: "", items: quotes }, shape, `quotes for ${paymentMethod} only`);
    },
  },
  {
    id: "sell-quotes.amount.is-required",
    sentence:
      "Query: `amount` (required; crypto amount), `paymentMethod` (optional, default creditcard), `uuid`, `clientName` (both optional, default null), `type` (buy or sell; the sell form passes sell; default buy), `country` (optional).",
    async run(target) {
      const { request } = await sellQuotes(target);
      expectRefusal(await target.ask({ ...request, query: { type: "sell" } }), "a refusal without an amount");
    },
  },
];

/** What buy and sell quotes have in common: the rows of the table of a Quote. */
function quoteFields(group: string, read: (target: Target) => Promise<Quotes>): Check[] {
  const rows = [
    { id: "rate-is-a-number", sentence: "| rate | number | |", shape: z.looseObject({ rate: z.number() }) },
    {
      id: "fees-are-numbers",
      sentence: "| transactionFee | number | |",
      shape: z.looseObject({ networkFee: z.number(), transactionFee: z.number() }),
    },
    {
      id: "payout-is-a-number",
      sentence: "| payout | number | |",
      shape: z.looseObject({ payout: z.number() }),
    },
    {
      id: "quote-id-is-present",
      sentence: "| quoteId | string | opaque; passed back as `metaData.quoteId` on checkout |",
      shape: z.looseObject({ quoteId: filledText }),
    },
    {
      id: "recommendations-are-strings",
      sentence:
        "| recommendations | array of string | may be empty. Values seen: BestPrice, SuccessRate, LowKyc |",
      shape: z.looseObject({ recommendations: texts }),
    },
  ];
  const fields = rows.map((row) => ({
    id: `${group}.${row.id}`,
    sentence: row.sentence,
    async run(target: Target) {
      const { answer, items } = await read(target);
      expectEach(
        answer,
        { at: "", items },
        row.shape,
        `\`${Object.keys(row.shape.shape).join("`, `")}\` as specified`,
      );
    },
  }));
  return [
    ...fields,
    {
      id: `${group}.ramp-is-a-provider`,
      sentence: "| ramp | string | provider id |",
      async run(target) {
        const { answer, items } = await read(target);
        const { items: providers } = await readList(target, { path: "/supported/onramps/all" }, "message");
        const known = new Set(providers.map((provider) => provider["id"]));
        const wrong = items.find((quote) => !known.has(quote["ramp"]));
        expectThat(answer, wrong === undefined, {
          expected: "`ramp` to be an id of GET /supported/onramps/all",
          seen: show(wrong?.["ramp"]),
        });
      },
    },
  ];
}

async function expectCreditcardByDefault({ answer, items }: Quotes): Promise<void> {
  const shape = z.looseObject({ paymentMethod: z.literal("creditcard") });
  expectEach(answer, { at: "", items }, shape, "quotes for creditcard when no method is named");
}

function methodIds(methods: unknown): string[] {
  const ids = Array.isArray(methods) ? methods.map((method) => field(method, "paymentTypeId")) : [];
  return ids.filter((id) => typeof id === "string");
}

const exampleUuid = "6f1c1c0e-6a53-4a5e-9d2c-0f5f3a1f7c11";

export const buyQuoteGroup: CheckGroup = {
  name: "buy-quotes",
  endpoint: "GET /quotes/{fiat}/{crypto}",
  surface: "current",
  writes: false,
  checks: buyChecks,
};

export const sellQuoteGroup: CheckGroup = {
  name: "sell-quotes",
  endpoint: "GET /quotes/{crypto}/{fiat}",
  surface: "current",
  writes: false,
  checks: sellChecks,
};
