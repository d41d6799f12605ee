import { z } from "zod";
import { keyIsRequired } from "../authorization.ts";
import { lower, readList, tradablePairs } from "../catalogue.ts";
import { type Check, type CheckGroup, notApplicable } from "../check.ts";
import {
  canonical,
  expectEach,
  expectRefusal,
  expectSame,
  expectShape,
  expectThat,
  show,
} from "../expect.ts";
import { absoluteUrl, filledText, icons, texts } from "../shapes.ts";
import type { Target } from "../target.ts";

const allPath = "/supported/onramps/all";
const path = "/supported/onramps";

const checksOfAll: readonly Check[] = [
  ...keyIsRequired("onramps-all", async () => ({ path: allPath })),
  {
    id: "onramps-all.is-a-list",
    sentence: "Response: `{message: [Provider]}`.",
    async run(target) {
      const shape = z.looseObject({
        message: z.array(z.looseObject({ id: filledText, displayName: z.string() })),
      });
      expectShape(await target.ask({ path: allPath }), shape, "an array `message` of providers");
    },
  },
  {
    id: "onramps-all.icon-is-an-absolute-url",
    sentence: "A url is a string holding an absolute URL.",
    async run(target) {
      const { answer, items } = await readList(target, { path: allPath }, "message");
      expectEach(
        answer,
        { at: "message", items },
        z.looseObject({ icon: absoluteUrl }),
        "an absolute URL `icon`",
      );
    },
  },
  {
    id: "onramps-all.icons-svg-and-png",
    sentence:
      "| icons | object: `svg` (url) and `png` (object with keys `32x32` and `160x160`, each a url) |",
    async run(target) {
      const { answer, items } = await readList(target, { path: allPath }, "message");
      expectEach(answer, { at: "message", items }, z.looseObject({ icons }), "`icons` with svg and png urls");
    },
  },
];

export const onrampsAll: CheckGroup = {
  name: "onramps-all",
  endpoint: "GET /supported/onramps/all",
  surface: "current",
  writes: false,
  checks: checksOfAll,
};

const recommendationsRule =
  "| recommendations | array of object `{type: string, paymentMethods: array of string}` | present on an entry only when the parameter `recommendations` is true; entries may omit it. Type value seen: SuccessRate |";
const query =
  "Query: `source` (required), `destination` (required), `country` (optional), `recommendations` (boolean, optional, default false).";

const checksOfPair: readonly Check[] = [
  ...keyIsRequired("onramps", async (target) => ({ path, query: await pair(target) })),
  {
    id: "onramps.is-a-list",
    sentence: "Response: `{message: [Provider availability]}`.",
    async run(target) {
      const entry = z.looseObject({
        onramp: filledText,
        paymentMethods: texts,
        recommendedPaymentMethod: z.string(),
      });
      const answer = await target.ask({ path, query: await pair(target) });
      const expected = "entries with `onramp`, `paymentMethods`, `recommendedPaymentMethod`";
      expectShape(answer, z.looseObject({ message: z.array(entry) }), expected);
    },
  },
  {
    id: "onramps.looks-like-the-provider",
    sentence: "| icon, icons, displayName | as for Provider | |",
    async run(target) {
      const { answer, items } = await readPair(target);
      const shape = z.looseObject({ icon: absoluteUrl, icons, displayName: z.string() });
      expectEach(answer, { at: "message", items }, shape, "`icon`, `icons`, `displayName` as for a provider");
    },
  },
  {
    id: "onramps.country-is-upper-case",
    sentence: "| country | string | upper-case country code |",
    async run(target) {
      const { answer, items } = await readPair(target);
      const shape = z.looseObject({ country: z.string().regex(/^[A-Z]{2}$/) });
      expectEach(answer, { at: "message", items }, shape, "an upper-case `country`");
    },
  },
  {
    id: "onramps.are-enabled-for-the-key",
    sentence: "Returns the providers enabled for the calling key.",
    async run(target) {
      const { answer, items } = await readPair(target);
      const { items: all } = await readList(target, { path: allPath }, "message");
      const enabled = new Set(all.map((provider) => provider["id"]));
      const wrong = items.find((entry) => !enabled.has(entry["onramp"]));
      expectThat(answer, wrong === undefined, {
        expected: `providers of GET ${allPath} only`,
        seen: show(wrong?.["onramp"]),
      });
    },
  },
  ...(["source", "destination"] as const).map((name) => ({
    id: `onramps.${name}.is-required`,
    sentence: query,
    async run(target: Target) {
      await readPair(target);
      const { [name]: _left, ...rest } = await pair(target);
      expectRefusal(await target.ask({ path, query: rest }), `a refusal without ${name}`);
    },
  })),
  {
    id: "onramps.recommendations.only-when-asked",
    sentence: recommendationsRule,
    async run(target) {
      const { answer, items } = await readPair(target);
      const shape = z.looseObject({ recommendations: z.undefined().optional() });
      expectEach(answer, { at: "message", items }, shape, "no `recommendations` unless asked for");
    },
  },
  {
    id: "onramps.recommendations.default-is-false",
    sentence: query,
    async run(target) {
      const wanted = await pair(target);
      const given = await target.ask({ path, query: { ...wanted, recommendations: "false" } });
      const other = await target.ask({ path, query: wanted });
      expectSame(
        { given, other },
        { given: given.json, other: other.json },
        "what recommendations=false gives",
      );
    },
  },
  {
    id: "onramps.recommendations.fields",
    sentence: recommendationsRule,
    async run(target) {
      const { answer, items } = await readPair(target, { recommendations: "true" });
      const recommended = items.filter((entry) => "recommendations" in entry);
      if (recommended.length === 0) notApplicable("no entry carries recommendations");
      const recommendation = z.looseObject({ type: filledText, paymentMethods: texts });
      const shape = z.looseObject({ recommendations: z.array(recommendation) });
      expectEach(answer, { at: "message", items: recommended }, shape, "`{type, paymentMethods}` each");
    },
  },
  {
    id: "onramps.recommendations.change-nothing-else",
    sentence: recommendationsRule,
    async run(target) {
      const { items: without } = await readPair(target);
      const { answer, items } = await readPair(target, { recommendations: "true" });
      expectThat(answer, withoutRecommendations(items) === withoutRecommendations(without), {
        expected: "the entries given without recommendations",
        seen: "entries that differ in more than `recommendations`",
      });
    },
  },
];

function withoutRecommendations(entries: readonly Record<string, unknown>[]): string {
  const bare = entries.map(({ recommendations: _dropped, ...entry }) => canonical(entry));
  return bare.toSorted().join("\n");
}

async function pair(target: Target): Promise<Record<string, string>> {
  const [first] = await tradablePairs(target);
  if (first === undefined) notApplicable("no pair to ask for");
  return { source: lower(first.source), destination: lower(first.target) };
}

async function readPair(target: Target, more: Record<string, string> = {}) {
  return readList(target, { path, query: { ...(await pair(target)), ...more } }, "message");
}

export const onramps: CheckGroup = {
  name: "onramps",
  endpoint: "GET /supported/onramps",
  surface: "current",
  writes: false,
  checks: checksOfPair,
};
