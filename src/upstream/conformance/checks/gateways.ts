import { z } from "zod";
import { field, readList } from "../catalogue.ts";
import { type Check, type CheckGroup, notApplicable } from "../check.ts";
import { expectEach, expectShape, expectThat, isObject, show } from "../expect.ts";
import { readGateways } from "../rates.ts";
import { filledText, texts } from "../shapes.ts";
import type { Answer } from "../target.ts";

const path = "/gateways";
const query =
  "Query: `country` (optional; ISO 3166 alpha-2, or all for the union; default detected from the client IP), `includeIcons` (boolean, optional; when true icons of cryptos, currencies and payment methods are included).";
const currencies = z.array(z.looseObject({ code: filledText, precision: z.int().min(0) }));

const checks: readonly Check[] = [
  {
    id: "gateways.list-and-localization",
    sentence: "Response: `{gateways: [Gateway], localization: {...}}`.",
    async run(target) {
      const shape = z.looseObject({ gateways: z.array(z.looseObject({})), localization: z.looseObject({}) });
      const answer = await target.ask({ surface: "earlier", path });
      expectShape(answer, shape, "an array `gateways` and an object `localization`");
    },
  },
  {
    id: "gateways.identifier-is-a-string",
    sentence: "| identifier | string |",
    async run(target) {
      const { answer, items } = await readGateways(target);
      expectEach(
        answer,
        { at: "gateways", items },
        z.looseObject({ identifier: filledText }),
        "a string `identifier`",
      );
    },
  },
  {
    id: "gateways.payment-methods-are-plain-ids",
    sentence:
      "On the earlier surface payment methods are plain id strings (for example creditCard, bankTransfer).",
    async run(target) {
      const { answer, items } = await readGateways(target);
      const shape = z.looseObject({ paymentMethods: texts });
      expectEach(answer, { at: "gateways", items }, shape, "`paymentMethods` as plain strings");
    },
  },
  {
    id: "gateways.fiat-currencies",
    sentence: "| fiatCurrencies | array of `{code: string, precision: integer}` |",
    async run(target) {
      const { answer, items } = await readGateways(target);
      const shape = z.looseObject({ fiatCurrencies: currencies });
      expectEach(answer, { at: "gateways", items }, shape, "`fiatCurrencies` of `{code, precision}`");
    },
  },
  {
    id: "gateways.crypto-currencies",
    sentence: "| cryptoCurrencies | array of `{code: string, precision: integer}` |",
    async run(target) {
      const { answer, items } = await readGateways(target);
      const shape = z.looseObject({ cryptoCurrencies: currencies });
      expectEach(answer, { at: "gateways", items }, shape, "`cryptoCurrencies` of `{code, precision}`");
    },
  },
  {
    id: "gateways.localization-fields",
    sentence:
      "The `/gateways` response also carries `localization`: `{country: string, state: string or null, currency: string}`.",
    async run(target) {
      const { answer } = await readGateways(target);
      const localization = z.looseObject({
        country: filledText,
        state: z.string().nullable(),
        currency: filledText,
      });
      expectShape(
        answer,
        z.looseObject({ localization }),
        "`country`, `state`, `currency` in `localization`",
      );
    },
  },
  {
    id: "gateways.country-all-is-the-union",
    sentence:
      "On the earlier surface it is an ISO 3166 alpha-2 code, or the word `all` for the union over all countries.",
    async run(target) {
      const all = await readList(target, { surface: "earlier", path, query: { country: "all" } }, "gateways");
      const offered = new Set(all.items.flatMap(offersOf));
      const here = await readGateways(target);
      const countries = [undefined, "DE", "US", "BR"];
      for (const country of countries) {
        const request = { surface: "earlier" as const, path, query: { country: country ?? "" } };
        const { items } = country === undefined ? here : await readList(target, request, "gateways");
        const missing = items.flatMap(offersOf).find((offer) => !offered.has(offer));
        expectThat(all.answer, missing === undefined, {
          expected: `everything that ${country ?? "our own country"} has`,
          seen: `no ${String(missing)}`,
        });
      }
    },
  },
  {
    id: "gateways.include-icons-adds",
    sentence: query,
    async run(target) {
      const { answer: without } = await readGateways(target);
      const answer = await target.ask({ surface: "earlier", path, query: { includeIcons: "true" } });
      // Which fields are added is not shown, so all that can be asked for is that there is more than before.
      expectThat(answer, icons(answer) > icons(without), {
        expected: "icons that the answer without includeIcons lacks",
        seen: `${icons(answer)} fields against ${icons(without)}`,
      });
    },
  },
  {
    id: "gateways.include-icons-keeps-the-gateways",
    sentence: query,
    async run(target) {
      const { items: without } = await readGateways(target);
      const request = { surface: "earlier" as const, path, query: { includeIcons: "true" } };
      const { answer, items } = await readList(target, request, "gateways");
      const [expected, seen] = [identifiersOf(without), identifiersOf(items)];
      expectThat(answer, seen === expected, { expected, seen });
    },
  },
];

function identifiersOf(gateways: readonly Record<string, unknown>[]): string {
  return show(gateways.map((gateway) => String(gateway["identifier"])).toSorted());
}

/** Everything a gateway offers, as words: `moonpay fiatCurrencies EUR`. One identifier may appear several times. */
function offersOf(gateway: Record<string, unknown>): string[] {
  const names = ["paymentMethods", "fiatCurrencies", "cryptoCurrencies"];
  return names.flatMap((name) => {
    const list = gateway[name];
    const codes = Array.isArray(list)
      ? list.map((one: unknown) => (isObject(one) ? field(one, "code") : one))
      : [];
    return codes.map((code) => `${String(gateway["identifier"])} ${name} ${String(code)}`);
  });
}

function icons(answer: Answer): number {
  if (!isObject(answer.json)) notApplicable(`${answer.request} gave nothing to judge by`);
  return countFields(answer.json);
}

function countFields(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const inner = Object.values(value).map(countFields);
  return inner.reduce((sum, count) => sum + count, Array.isArray(value) ? 0 : inner.length);
}

export const gateways: CheckGroup = {
  name: "gateways",
  endpoint: "GET /gateways",
  surface: "earlier",
  writes: false,
  checks,
};
