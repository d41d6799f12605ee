import { z } from "zod";
import { field, lower, ownCountry, readCrypto, readDefaults, readFiat } from "../catalogue.ts";
import { type Check, type CheckGroup, notApplicable } from "../check.ts";
import { expectSame, expectShape, expectThat, isObject, show } from "../expect.ts";
import { defaultsEntry } from "../shapes.ts";
import type { Answer, Target } from "../target.ts";

const path = "/supported/defaults/all";
const shape = z.looseObject({
  message: z.looseObject({
    recommended: z.looseObject({}),
    defaults: z.record(z.string(), z.looseObject({})),
  }),
});

const checks: readonly Check[] = [
  {
    id: "defaults.recommended-and-per-country",
    sentence:
      "Response: `{message: {recommended: Defaults entry, defaults: {<country code>: Defaults entry, ...}}}`.",
    async run(target) {
      expectShape(await target.ask({ path }), shape, "objects `recommended` and `defaults` under `message`");
    },
  },
  {
    id: "defaults.entry-fields",
    sentence: "| source | string (fiat code) |",
    async run(target) {
      const answer = await target.ask({ path });
      const entries = z.looseObject({
        recommended: defaultsEntry,
        defaults: z.record(z.string(), defaultsEntry),
      });
      if (!isObject(field(answer.json, "message"))) notApplicable(`${answer.request} gave no defaults`);
      const expected = "strings `source`, `target`, `paymentMethod`, `provider` and a number `amount`";
      expectShape(answer, z.looseObject({ message: entries }), expected);
    },
  },
  {
    id: "defaults.one-entry-per-country",
    sentence: "`defaults` has one entry per country.",
    async run(target) {
      const { answer, byCountry } = await readDefaults(target);
      const codes = [...byCountry.keys()];
      const wrong = codes.find((code) => !/^[A-Za-z]{2}$/.test(code));
      expectThat(answer, wrong === undefined, {
        expected: "two-letter country codes as keys",
        seen: show(wrong),
      });
      expectThat(answer, new Set(codes.map(lower)).size === codes.length, {
        expected: "each country once",
        seen: `${codes.length} keys, some of them the same country`,
      });
    },
  },
  {
    id: "defaults.recommended-is-for-the-country-asked",
    sentence: "The `recommended` entry is for the resolved country.",
    async run(target) {
      const { byCountry } = await readDefaults(target);
      for (const country of [...byCountry.keys()].slice(0, 3)) {
        expectRecommendedFor(await target.ask({ path, query: { country } }), country);
      }
    },
  },
  {
    id: "defaults.country-is-taken-from-the-address",
    sentence:
      "Wherever a `country` parameter is optional and omitted, the country is taken from the IP address of the request.",
    async run(target) {
      expectRecommendedFor(await target.ask({ path }), await ownCountry(target));
    },
  },
  {
    id: "defaults.source-is-a-fiat",
    sentence: "| source | string (fiat code) |",
    async run(target) {
      const { items } = await readFiat(target);
      await expectKnown(
        target,
        "source",
        new Set(items.flatMap((fiat) => [lower(fiat["code"]), lower(fiat["id"])])),
      );
    },
  },
  {
    id: "defaults.target-is-a-crypto",
    sentence: "| target | string (crypto code) |",
    async run(target) {
      const { items } = await readCrypto(target);
      const known = new Set(items.flatMap((asset) => [lower(asset["code"]), lower(asset["id"])]));
      await expectKnown(target, "target", known);
    },
  },
  {
    id: "defaults.type.default-is-buy",
    sentence: "Transaction type parameters take `buy` or `sell`, default `buy`.",
    async run(target) {
      const given = await target.ask({ path, query: { type: "buy" } });
      const other = await target.ask({ path });
      expectSame({ given, other }, { given: given.json, other: other.json }, "what type=buy gives");
    },
  },
];

function expectRecommendedFor(answer: Answer, country: string): void {
  const message = field(answer.json, "message");
  const defaults = field(message, "defaults");
  if (!isObject(defaults)) notApplicable(`${answer.request} gave no defaults to judge by`);
  const [, entry] = Object.entries(defaults).find(([code]) => lower(code) === lower(country)) ?? [];
  if (entry === undefined) notApplicable(`${answer.request} has no entry for ${country}`);
  const values = { given: entry, other: field(message, "recommended") };
  expectSame({ given: answer, other: answer }, values, `\`recommended\` to be the entry of ${country}`);
}

async function expectKnown(
  target: Target,
  name: "source" | "target",
  known: ReadonlySet<string>,
): Promise<void> {
  const { answer, byCountry } = await readDefaults(target);
  const wrong = [...byCountry].find(([, entry]) => !known.has(lower(entry[name])));
  expectThat(answer, wrong === undefined, {
    expected: `every \`${name}\` to be a currency of GET /supported`,
    seen: `${show(wrong?.[1][name])} for ${String(wrong?.[0])}`,
  });
}

export const defaults: CheckGroup = {
  name: "defaults",
  endpoint: "GET /supported/defaults/all",
  surface: "current",
  writes: false,
  checks,
};
