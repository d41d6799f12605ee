import { z } from "zod";
import { type Check, type CheckGroup, notApplicable } from "../check.ts";
import { expectEach, expectShape, expectThat, isRefusal, show } from "../expect.ts";
import { type Lane, lanes, ratePath, type Rates, rates, ratesOf, readGateways } from "../rates.ts";
import { fieldDescriptor, filledText, step, texts } from "../shapes.ts";
import type { Target } from "../target.ts";

const path =
  "Path: `fromCurrency` (fiat code; only fiat is allowed), `toCurrency` (crypto code; only crypto is allowed), `paymentMethod` (a payment method id from /gateways), `amount` (positive integer; by default an amount of fromCurrency).";
const minRule =
  "not an HTTP error: the rate entry has `available` false and `error: {type: string, message: string, limit: number}`; the `type` value MIN means the minimum amount was not reached, and `limit` then holds that minimum";

const checks: readonly Check[] = [
  {
    id: "rate.is-an-array",
    sentence: "Response: array of Rate entry, with available and unavailable gateways mixed.",
    async run(target) {
      const [lane] = await lanes(target);
      if (lane === undefined) notApplicable("no lane to ask for");
      const answer = await target.ask({ surface: "earlier", path: ratePath(lane, "200") });
      expectShape(answer, z.array(z.looseObject({})), "a top-level array of objects");
    },
  },
  {
    id: "rate.always-identifier-and-available",
    sentence: "| available | boolean | always |",
    async run(target) {
      await expectEntries(target, z.looseObject({ identifier: filledText, available: z.boolean() }), {
        expected: "`identifier` and `available` on every entry",
      });
    },
  },
  {
    id: "rate.always-a-duration",
    sentence: "| duration | object: seconds (integer), message (string) | always |",
    async run(target) {
      const duration = z.looseObject({ seconds: z.int(), message: z.string() });
      await expectEntries(target, z.looseObject({ duration }), {
        expected: "`duration` of `seconds` and `message`",
      });
    },
  },
  {
    id: "rate.available.figures",
    sentence: "| receivedCrypto | number | when available is true |",
    async run(target) {
      const shape = z.looseObject({ rate: z.number(), fees: z.number(), receivedCrypto: z.number() });
      await expectEntries(target, shape, {
        available: true,
        expected: "numbers `rate`, `fees`, `receivedCrypto`",
      });
    },
  },
  {
    id: "rate.available.required-kyc",
    sentence:
      "| requiredKYC | array whose items are strings or arrays of strings (an inner array lists alternatives, one of which suffices) | when available is true |",
    async run(target) {
      const shape = z.looseObject({ requiredKYC: z.array(z.union([z.string(), texts])) });
      await expectEntries(target, shape, {
        available: true,
        expected: "`requiredKYC` of strings or arrays of strings",
      });
    },
  },
  {
    id: "rate.available.next-step",
    sentence: "| nextStep | Step | when available is true |",
    async run(target) {
      await expectEntries(target, z.looseObject({ nextStep: step }), {
        available: true,
        expected: "a step `nextStep`",
      });
    },
  },
  {
    id: "rate.available.form-fields",
    sentence:
      "Field descriptor: `type` (string; value seen: string), `name` (string; the key to use in the submitted body), `humanName` (string), `hint` (string, optional).",
    async run(target) {
      const { answer, entries } = await rates(target);
      const forms = entries
        .map((entry) => step.safeParse(entry["nextStep"]).data)
        .filter((one) => one?.type === "form");
      if (forms.length === 0) notApplicable("no gateway starts with a form");
      const items = forms.flatMap((form) => form?.data ?? []);
      expectEach(answer, { at: "nextStep.data", items }, fieldDescriptor, "field descriptors");
    },
  },
  {
    id: "rate.available.no-error",
    sentence: "| error | object: type (string), message (string), limit (number) | when available is false |",
    async run(target) {
      const shape = z.looseObject({ error: z.null().optional() });
      await expectEntries(target, shape, { available: true, expected: "no `error` on an available gateway" });
    },
  },
  {
    id: "rate.unavailable.error",
    sentence: "| error | object: type (string), message (string), limit (number) | when available is false |",
    async run(target) {
      const error = z.looseObject({ type: filledText, message: z.string(), limit: z.number() });
      const expected = "`error` with `type`, `message` and a number `limit`";
      await expectEntries(target, z.looseObject({ error }), { available: false, expected });
    },
  },
  {
    id: "rate.unavailable.no-figures",
    sentence: "| rate | number | when available is true |",
    async run(target) {
      const none = z.null().optional();
      const shape = z.looseObject({ rate: none, fees: none, receivedCrypto: none, nextStep: none });
      await expectEntries(target, shape, { available: false, expected: "no figures and no step" });
    },
  },
  {
    id: "rate.min.is-not-an-http-error",
    sentence: minRule,
    async run(target) {
      const { lane } = await rates(target);
      const answer = await target.ask({ surface: "earlier", path: ratePath(lane, "1") });
      expectShape(answer, z.array(z.looseObject({})), "rate entries, even for an amount below every minimum");
    },
  },
  {
    id: "rate.min.limit-is-a-number",
    sentence: minRule,
    async run(target) {
      const { answer, entries } = await belowMinimum(target);
      const shape = z.looseObject({ error: z.looseObject({ limit: z.number().gt(1) }) });
      expectEach(answer, { at: "", items: entries }, shape, "a `limit` above the amount asked");
    },
  },
  {
    id: "rate.min.limit-is-the-minimum",
    sentence: minRule,
    async run(target) {
      const { lane, entries } = await belowMinimum(target);
      const limits = new Map(entries.map((entry) => [entry["identifier"], minimumOf(entry)]));
      for (const [identifier, limit] of [...limits].slice(0, minimaAskedMax)) {
        if (limit === null || typeof identifier !== "string") continue;
        // The path takes whole amounts only; the next one reaches the minimum all the more.
        const again = await ratesOf(target, lane, String(Math.ceil(limit)));
        const still = again.entries.find(
          (entry) => entry["identifier"] === identifier && minimumOf(entry) !== null,
        );
        expectThat(again.answer, still === undefined, {
          expected: `${identifier} not to miss its minimum at ${limit}`,
          seen: show(still?.["error"]),
        });
      }
    },
  },
  {
    id: "rate.gateways-are-listed",
    sentence: "### Earlier surface: rate entry (one per accessible gateway)",
    async run(target) {
      const { answer, entries } = await rates(target);
      const { items } = await readGateways(target);
      const known = new Set(items.map((gateway) => gateway["identifier"]));
      const unknown = entries.find((entry) => "identifier" in entry && !known.has(entry["identifier"]));
      expectThat(answer, unknown === undefined, {
        expected: "gateways of GET /gateways only",
        seen: show(unknown?.["identifier"]),
      });
    },
  },
  {
    id: "rate.amount-is-a-positive-integer",
    sentence: "| amount | GET /rate path `amount` | positive integer |",
    async run(target) {
      const { lane } = await rates(target);
      for (const amount of ["0", "-5", "abc"]) await expectNothingAvailable(target, lane, amount);
    },
  },
  {
    id: "rate.from-currency-is-fiat",
    sentence: path,
    async run(target) {
      const { lane } = await rates(target);
      await expectNothingAvailable(target, { ...lane, fiat: lane.crypto }, "200");
    },
  },
  {
    id: "rate.to-currency-is-crypto",
    sentence: path,
    async run(target) {
      const { lane } = await rates(target);
      await expectNothingAvailable(target, { ...lane, crypto: lane.fiat }, "200");
    },
  },
  {
    id: "rate.amount-in-crypto",
    sentence:
      "Query: `country`, `includeIcons` (as for /gateways), `amountInCrypto` (boolean; when true, `amount` is the crypto amount to buy).",
    async run(target) {
      const { answer, entries, amount } = await inCrypto(target);
      // Providers cut to their own precision and may take the network's fee from what is sent.
      const near = z
        .number()
        .gte(amount * 0.9)
        .lte(amount * 1.1);
      const shape = z.looseObject({ receivedCrypto: near });
      expectEach(answer, { at: "", items: entries }, shape, `about ${amount} in \`receivedCrypto\``);
    },
  },
  {
    id: "rate.include-icons-is-accepted",
    sentence:
      "Query: `country`, `includeIcons` (as for /gateways), `amountInCrypto` (boolean; when true, `amount` is the crypto amount to buy).",
    async run(target) {
      const { lane } = await rates(target);
      const { answer } = await ratesOf(target, lane, "200", { includeIcons: "true" });
      expectShape(answer, z.array(z.looseObject({})), "rate entries with icons asked for");
    },
  },
];

const minimaAskedMax = 4;

async function expectEntries(
  target: Target,
  shape: z.ZodType,
  { available, expected }: { available?: boolean; expected: string },
): Promise<void> {
  const { lane, answer, entries } = await rates(target);
  // Amount 1 is below most minima, so unavailable gateways are met there if anywhere.
  const read = available === false ? await ratesOf(target, lane, "1") : { answer, entries };
  const items = read.entries.filter((entry) => available === undefined || entry["available"] === available);
  if (items.length === 0)
    notApplicable(`no ${available === false ? "unavailable" : "available"} gateway at hand`);
  expectEach(read.answer, { at: "", items }, shape, expected);
}

async function expectNothingAvailable(target: Target, lane: Lane, amount: string): Promise<void> {
  const { answer, entries } = await ratesOf(target, lane, amount);
  const available = entries.some((entry) => entry["available"] === true);
  expectThat(answer, isRefusal(answer) || (Array.isArray(answer.json) && !available), {
    expected: "a refusal, or no gateway available",
    seen: available ? "an available gateway" : `status ${answer.status}`,
  });
}

async function belowMinimum(target: Target): Promise<Rates> {
  const { lane } = await rates(target);
  const found = await ratesOf(target, lane, "1");
  const entries = found.entries.filter((entry) => isMinimum(entry));
  if (entries.length === 0) notApplicable("no gateway has a minimum above 1");
  return { ...found, entries };
}

const minimumError = z.looseObject({ error: z.looseObject({ type: z.literal("MIN") }) });

function isMinimum(entry: Record<string, unknown>): boolean {
  return entry["available"] === false && minimumError.safeParse(entry).success;
}

function minimumOf(entry: Record<string, unknown>): number | null {
  const limit = z.looseObject({ error: z.looseObject({ limit: z.number() }) }).safeParse(entry);
  return isMinimum(entry) && limit.success ? limit.data.error.limit : null;
}

/** Whole crypto amounts are small change for a stablecoin and a fortune in bitcoin: try until somebody sells. */
async function inCrypto(target: Target): Promise<Rates & { amount: number }> {
  const { lane } = await rates(target);
  for (const crypto of ["USDC", "USDT", "DAI", "XRP", "DOGE", lane.crypto]) {
    const amount = crypto === lane.crypto ? 1 : 200;
    const found = await ratesOf(target, { ...lane, crypto }, String(amount), { amountInCrypto: "true" });
    const entries = found.entries.filter((entry) => entry["available"] === true);
    if (entries.length > 0) return { ...found, entries, amount };
  }
  return notApplicable("no gateway sells a whole amount of a crypto currency");
}

export const rate: CheckGroup = {
  name: "rate",
  endpoint: "GET /rate/{fromCurrency}/{toCurrency}/{paymentMethod}/{amount}",
  surface: "earlier",
  writes: false,
  checks,
};
