import { z } from "zod";
import { assets, fiat, list, paymentTypes as types, someCountries, wordsOf } from "../catalogue.ts";
import { differ, group, notApplicable, row } from "../check.ts";
import { body, fields, isObject, lower, member, show } from "../rules.ts";
import { absoluteUrl, filledText, paymentType } from "../shapes.ts";
import { picturesOpen, typeRows } from "../shared-rows.ts";
import type { Target } from "../target.ts";
import { buyQuotes, sellQuotes } from "../trade.ts";

const path = "/supported/payment-types";
const keyed = z.looseObject({ message: z.record(z.string(), paymentType) });
const listed = z.looseObject({ message: z.array(paymentType) });
const countriesAskedMax = 3;
const fiatsAskedMax = 8;

export const paymentTypes = group({ name: "payment-types", endpoint: `GET ${path}` }, [
  row(
    "keyed-by-id",
    [175],
    (target) => target.ask({ path }),
    body(z.looseObject({ message: z.record(z.string(), z.looseObject({})) }), "an object of payment types"),
    (answer) => {
      const message = member(answer.json, "message");
      const wrong = Object.entries(isObject(message) ? message : {}).find(
        ([id, type]) => member(type, "paymentTypeId") !== id,
      );
      if (wrong !== undefined)
        differ(
          answer,
          "every key to be the `paymentTypeId` under it",
          `${show(member(wrong[1], "paymentTypeId"))} under ${show(wrong[0])}`,
        );
    },
  ),
  row("texts", [33, 34], types(), fields({ paymentTypeId: filledText, name: filledText })),
  row("lists-the-method-that-quotes-default-to", [36], buyQuotes, async ({ answer }, target) => {
    const ids = await wordsOf(types(), "paymentTypeId")(target);
    if (!ids.has("creditcard")) differ(answer, "creditcard among the payment types", [...ids].join(", "));
  }),
  row("icon-is-an-absolute-url", [17, 35], types(), fields({ icon: absoluteUrl })),
  row(
    "icon-opens",
    [35],
    types(),
    picturesOpen((item) => item["icon"]),
  ),
  ...typeRows(async () => ({ path }), 174, keyed),
  row("country-is-accepted", [173], someOfTheCountries, async (countries, target) => {
    for (const country of countries)
      body(keyed, "payment types keyed by id")(await target.ask({ path, query: { country } }));
  }),
  row("country-selects", [173], someOfTheCountries, async (countries, target) => {
    for (const country of countries) {
      const { answer, items } = await types({ country })(target);
      const seen = items.map((type) => lower(type["paymentTypeId"])).toSorted();
      const offered = [...(await wordsOf(assets({ country }), "paymentMethods")(target))].toSorted();
      if (offered.length === 0) continue;
      const missing = offered.find((id) => !seen.includes(id));
      if (missing !== undefined)
        differ(answer, `what /supported/assets offers in ${country}`, `no ${missing}`);
      const extra = seen.find((id) => !offered.includes(id));
      if (extra !== undefined) differ(answer, `only what /supported/assets offers in ${country}`, extra);
    }
  }),
  row("sell-lists-what-sales-are-paid-by", [174], sellQuotes, async ({ items, answer }, target) => {
    const ids = await wordsOf(types({ type: "sell" }), "paymentTypeId")(target);
    const other = items.find((quote) => !ids.has(lower(quote["paymentMethod"])));
    if (other !== undefined) differ(answer, "a payment type of type=sell", show(other["paymentMethod"]));
  }),
]);

export const paymentTypesOfFiat = group({ name: "payment-types-of-fiat", endpoint: `GET ${path}/{fiat}` }, [
  row(
    "is-a-list",
    [179],
    async (target) => target.ask(await ofFirstFiat(target)),
    body(listed, "an array `message` of payment types"),
  ),
  row("any-available-fiat", [176], fiat, async ({ items }, target) => {
    const asked = items.slice(0, fiatsAskedMax).map((one) => ({ path: `${path}/${String(one["code"])}` }));
    for (const answer of await Promise.all(asked.map((request) => target.ask(request))))
      body(z.looseObject({ message: z.array(z.unknown()) }), "an array `message`")(answer);
  }),
  row(
    "icon-is-an-absolute-url",
    [17, 35],
    async (target) => list(await ofFirstFiat(target), "message")(target),
    fields({ icon: absoluteUrl }),
  ),
  ...typeRows(ofFirstFiat, 178, listed),
  row("country-selects", [177], someOfTheCountries, async (countries, target) => {
    for (const country of countries) {
      const [entry] = (await assets({ country })(target)).items;
      if (entry === undefined) continue;
      const request = { path: `${path}/${String(entry["fiat"])}`, query: { country } };
      const { answer, items } = await list(request, "message")(target);
      const seen = items.map((type) => lower(type["paymentTypeId"])).toSorted();
      const offered = [entry["paymentMethods"]].flat().map(lower).toSorted();
      if (String(seen) !== String(offered))
        differ(answer, `what /supported/assets names in ${country}: ${offered.join(" ")}`, seen.join(" "));
    }
  }),
]);

function someOfTheCountries(target: Target): Promise<string[]> {
  return someCountries(target, countriesAskedMax);
}

async function ofFirstFiat(target: Target) {
  const { answer, items } = await fiat(target);
  const code = items[0]?.["code"];
  if (typeof code !== "string") notApplicable(`${answer.request} names no fiat currency`);
  return { path: `${path}/${code}` };
}
