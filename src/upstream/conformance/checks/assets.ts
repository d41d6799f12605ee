import { z } from "zod";
import { keyIsRequired } from "../authorization.ts";
import { field, lower, readFiat, readList, someCountries } from "../catalogue.ts";
import type { Check, CheckGroup } from "../check.ts";
import { canonical, expectEach, expectShape, expectThat, show } from "../expect.ts";
import { texts } from "../shapes.ts";
import type { Target } from "../target.ts";

const path = "/supported/assets";
const sourcesAskedMax = 3;

const checks: readonly Check[] = [
  ...keyIsRequired("assets", async () => ({ path })),
  {
    id: "assets.list-and-country",
    sentence: "Response: `{message: {assets: [Asset availability entry], country: string}}`.",
    async run(target) {
      const message = z.looseObject({ assets: z.array(z.looseObject({})), country: z.string() });
      expectShape(
        await target.ask({ path }),
        z.looseObject({ message }),
        "an array `assets` and a string `country`",
      );
    },
  },
  {
    id: "assets.country-is-alpha-2",
    sentence: "`country` is a two-letter ISO 3166-1 alpha-2 code on the current surface.",
    async run(target) {
      await readEntries(target);
      const message = z.looseObject({ country: z.string().regex(/^[A-Za-z]{2}$/) });
      expectShape(await target.ask({ path }), z.looseObject({ message }), "a two-letter `country`");
    },
  },
  {
    id: "assets.country-is-the-one-asked",
    sentence:
      "Query: `source` (source currency, optional; when omitted, data for all fiats is returned), `country` (optional).",
    async run(target) {
      await readEntries(target);
      for (const country of await someCountries(target, 3)) {
        const answer = await target.ask({ path, query: { country } });
        const seen = field(field(answer.json, "message"), "country");
        expectThat(answer, lower(seen) === lower(country), {
          expected: `country ${country}`,
          seen: show(seen),
        });
      }
    },
  },
  {
    id: "assets.payment-methods-are-strings",
    sentence: "| paymentMethods | array of string |",
    async run(target) {
      const { answer, items } = await readEntries(target);
      const shape = z.looseObject({ paymentMethods: texts });
      expectEach(answer, { at: "message.assets", items }, shape, "an array of strings `paymentMethods`");
    },
  },
  {
    id: "assets.fiat-is-a-fiat-id",
    sentence: "| fiat | string (fiat id) |",
    async run(target) {
      const { answer, items } = await readEntries(target);
      const { items: fiats } = await readFiat(target);
      const known = new Set(fiats.map((fiat) => lower(fiat["id"])));
      const shape = z.looseObject({ fiat: z.string().refine((id) => known.has(lower(id))) });
      expectEach(answer, { at: "message.assets", items }, shape, "`fiat` to be an id of GET /supported");
    },
  },
  {
    id: "assets.crypto-ids-join-asset-and-network",
    sentence:
      "| crypto | array of string (asset ids that combine asset and network, joined by an underscore) |",
    async run(target) {
      const { answer, items } = await readEntries(target);
      const joined = z.string().regex(/^[^_]+_.+$/);
      const shape = z.looseObject({ crypto: z.array(joined) });
      const expected = "`crypto` ids of an asset and a network joined by an underscore";
      expectEach(answer, { at: "message.assets", items }, shape, expected);
    },
  },
  {
    id: "assets.source.selects",
    sentence:
      "Query: `source` (source currency, optional; when omitted, data for all fiats is returned), `country` (optional).",
    async run(target) {
      for (const source of await someSources(target)) {
        const { answer, items } = await readList(target, { path, query: { source } }, "assets");
        const shape = z.looseObject({ fiat: z.string().refine((id) => lower(id) === lower(source)) });
        expectEach(answer, { at: "message.assets", items }, shape, `only entries of ${source}`);
      }
    },
  },
  {
    id: "assets.source.omitted-gives-all-fiats",
    sentence:
      "Query: `source` (source currency, optional; when omitted, data for all fiats is returned), `country` (optional).",
    async run(target) {
      const { answer, items } = await readEntries(target);
      const all = new Set(items.map(canonical));
      const { items: fiats } = await readFiat(target);
      for (const fiat of fiats.slice(0, sourcesAskedMax)) {
        const source = String(fiat["id"]);
        const one = await readList(target, { path, query: { source } }, "assets");
        const missing = one.items.find((entry) => !all.has(canonical(entry)));
        expectThat(answer, missing === undefined, {
          expected: `the entry that source=${source} gives`,
          seen: "no such entry",
        });
      }
    },
  },
];

const readEntries = (target: Target) => readList(target, { path }, "assets");

async function someSources(target: Target): Promise<string[]> {
  const { items } = await readEntries(target);
  return [...new Set(items.map((entry) => String(entry["fiat"])))].slice(0, sourcesAskedMax);
}

export const assets: CheckGroup = {
  name: "assets",
  endpoint: "GET /supported/assets",
  surface: "current",
  writes: false,
  checks,
};
