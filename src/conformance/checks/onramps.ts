import { z } from "zod";
import {
  firstPair,
  onramps as available,
  paymentTypes,
  providerIds,
  providers,
  someCountries,
  wordsOf,
} from "../catalogue.ts";
import { differ, group, notApplicable, row } from "../check.ts";
import {
  among,
  body,
  canonical,
  distinct,
  every,
  expectSame,
  fields,
  isObject,
  type Json,
  member,
  refuses,
  same,
  type Seen,
} from "../rules.ts";
import { absoluteUrl, filledText, icons, texts, upperCountry } from "../shapes.ts";
import { keyRows, picturesOpen, pngIs } from "../shared-rows.ts";
import type { Target } from "../target.ts";

const allPath = "/supported/onramps/all";
const path = "/supported/onramps";
const provider = z.looseObject({ id: filledText, displayName: filledText });

export const onrampsAll = group({ name: "onramps-all", endpoint: `GET ${allPath}` }, [
  ...keyRows(async () => ({ path: allPath }), 190),
  row(
    "is-a-list",
    [46, 47, 192],
    (target) => target.ask({ path: allPath }),
    body(z.looseObject({ message: z.array(provider) }), "an array `message` of providers"),
  ),
  row("ids-are-distinct", [46], providers, distinct("id")),
  row("icon-is-an-absolute-url", [17, 48], providers, fields({ icon: absoluteUrl })),
  row(
    "icon-opens",
    [48],
    providers,
    picturesOpen((item) => item["icon"]),
  ),
  row("icons-svg-and-png", [49], providers, fields({ icons })),
  row(
    "icons-svg-opens",
    [49],
    providers,
    picturesOpen((item) => member(item, "icons", "svg")),
  ),
  row(
    "icons-png-have-their-size",
    [49],
    providers,
    pngIs(32, (item) => member(item, "icons", "png", "32x32")),
    pngIs(160, (item) => member(item, "icons", "png", "160x160")),
  ),
]);

const entry = z.looseObject({
  onramp: filledText,
  paymentMethods: texts,
  recommendedPaymentMethod: z.string(),
});
const asked = { recommendations: "true" };

export const onramps = group({ name: "onramps", endpoint: `GET ${path}` }, [
  ...keyRows(async (target) => ({ path, query: await firstPair(target) }), 197),
  row(
    "is-a-list",
    [50, 53, 54, 198],
    async (target) => target.ask({ path, query: await firstPair(target) }),
    body(
      z.looseObject({ message: z.array(entry) }),
      "`onramp`, `paymentMethods`, `recommendedPaymentMethod`",
    ),
  ),
  row(
    "are-enabled-for-the-key",
    [50, 191],
    available(),
    among("onramp", providerIds, `a provider of GET ${allPath}`),
    distinct("onramp"),
  ),
  row("looks-like-the-provider", [51], available(), async (seen, target) => {
    fields({ icon: absoluteUrl, icons, displayName: z.string() })(seen);
    const { items } = await providers(target);
    for (const one of seen.items) {
      const found = items.find(({ id }) => id === one["onramp"]);
      if (found !== undefined)
        expectSame(seen.answer, look(found), look(one), "what GET /supported/onramps/all shows");
    }
  }),
  row("country-is-upper-case", [52], available(), fields({ country: upperCountry })),
  row("country-is-the-one-asked", [52, 195], available(), async (_, target) => {
    for (const country of await someCountries(target, 3)) {
      const { answer, items } = await available({ country })(target);
      const wrong = items.find((one) => one["country"] !== country);
      if (wrong !== undefined) differ(answer, `country ${country}`, String(wrong["country"]));
    }
  }),
  row(
    "payment-methods-are-known",
    [53],
    available(),
    every("at least one method", "paymentMethods", (one) => [one["paymentMethods"]].flat().length > 0),
    among("paymentMethods", wordsOf(paymentTypes(), "paymentTypeId"), "ids of GET /supported/payment-types"),
  ),
  row(
    "recommended-method-is-one-of-them",
    [54],
    available(),
    every("one of `paymentMethods`", "recommendedPaymentMethod", (one) =>
      [one["paymentMethods"]].flat().includes(one["recommendedPaymentMethod"]),
    ),
  ),
  ...(["source", "destination"] as const).map((name, index) =>
    row(`${name}.is-required`, [193 + index], available(), async (_, target) => {
      const { [name]: _left, ...rest } = await firstPair(target);
      await refuses(target, { path, query: rest }, `a refusal without ${name}`);
    }),
  ),
  row(
    "recommendations.only-when-asked",
    [55],
    available(),
    fields({ recommendations: z.undefined().optional() }, "no `recommendations` unless asked for"),
  ),
  row("recommendations.default-is-false", [196], firstPair, (pair, target) =>
    same(
      target,
      { path, query: { ...pair, recommendations: "false" } },
      { path, query: pair },
      "what recommendations=false gives",
    ),
  ),
  row(
    "recommendations.fields",
    [56, 57],
    recommended,
    fields({ recommendations: z.array(z.looseObject({ type: filledText, paymentMethods: texts })) }),
  ),
  row(
    "recommendations.are-about-offered-methods",
    [57],
    recommended,
    every("methods among `paymentMethods`", "recommendations", (one) =>
      [one["recommendations"]]
        .flat()
        .every((each) =>
          [member(each, "paymentMethods")].flat().every((id) => [one["paymentMethods"]].flat().includes(id)),
        ),
    ),
  ),
  row("recommendations.change-nothing-else", [55], available(), async (without, target) => {
    const { answer, items } = await available(asked)(target);
    if (bare(items) !== bare(without.items))
      differ(answer, "the entries given without recommendations", "entries that differ in more than that");
  }),
]);

async function recommended(target: Target): Promise<Seen> {
  const seen = await available(asked)(target);
  const items = seen.items.filter((one) => "recommendations" in one);
  if (items.length === 0) notApplicable("no entry carries recommendations");
  return { ...seen, items };
}

function look({ icon, icons: set, displayName }: Json): Json {
  return { icon, icons: isObject(set) ? set : {}, displayName };
}

function bare(entries: readonly Json[]): string {
  return entries
    .map(({ recommendations: _dropped, ...one }) => canonical(one))
    .toSorted()
    .join("\n");
}
