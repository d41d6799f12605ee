import { z } from "zod";
import { fiatWords, gateways as entries, ownCountry } from "../catalogue.ts";
import { differ, group, notApplicable, row } from "../check.ts";
import {
  body,
  every,
  fields,
  isObject,
  isRefusal,
  isSuccess,
  type Json,
  lower,
  member,
  type Seen,
  show,
} from "../rules.ts";
import { codesOf } from "../rates.ts";
import { alpha2, filledText, objects, texts } from "../shapes.ts";
import type { Answer, Target } from "../target.ts";

const path = "/gateways";
const answer = (target: Target) => target.ask({ surface: "legacy", path });
const currencies = z.array(z.looseObject({ code: filledText, precision: z.int().min(0).max(36) }));
const withIcons = { includeIcons: "true" };

export const gateways = group({ name: "gateways", endpoint: `GET ${path}`, surface: "legacy" }, [
  row(
    "list-and-localization",
    [1, 3, 228],
    answer,
    body(
      z.looseObject({ gateways: objects, localization: z.looseObject({}) }),
      "an array `gateways` and an object `localization`",
    ),
  ),
  row("identifier-is-a-string", [129], entries(), fields({ identifier: filledText })),
  row("payment-methods-are-plain-ids", [37, 130], entries(), fields({ paymentMethods: texts })),
  row("fiat-currencies", [131], entries(), fields({ fiatCurrencies: currencies })),
  row("crypto-currencies", [132], entries(), fields({ cryptoCurrencies: currencies })),
  row(
    "offer-something",
    [130, 131, 132],
    entries(),
    every("a currency, a coin and a way to pay", "identifier", (one) =>
      kinds.every((name) => codesOf(one[name]).length > 0),
    ),
  ),
  row("localization-fields", [133, 134, 135], entries(), (seen) => {
    const localization = z.looseObject({
      country: alpha2,
      state: z.string().nullable(),
      currency: filledText,
    });
    return body(
      z.looseObject({ localization }),
      "`country`, `state`, `currency` in `localization`",
    )(seen.answer);
  }),
  row("localization-currency-is-a-fiat", [135], entries(), async (seen, target) => {
    const currency = member(seen.answer.json, "localization", "currency");
    if (!(await fiatWords(target)).has(lower(currency)))
      differ(seen.answer, "a fiat of GET /supported", show(currency));
  }),
  row("localization-is-the-callers", [9, 226], entries(), async (seen, target) => {
    const own = await ownCountry(target);
    const country = member(seen.answer.json, "localization", "country");
    if (lower(country) !== lower(own))
      differ(seen.answer, `country ${own}, as on the current surface`, show(country));
  }),
  row("country-is-the-one-asked", [226], entries(), async (_, target) => {
    for (const country of ["DE", "BR"]) {
      const seen = await entries({ country })(target);
      const taken = member(seen.answer.json, "localization", "country");
      if (lower(taken) !== lower(country)) differ(seen.answer, `country ${country}`, show(taken));
    }
  }),
  row("country-is-alpha-2-or-all", [11], entries(), async (_, target) => {
    const seen = await target.ask({ surface: "legacy", path, query: { country: "USA" } });
    const taken = lower(member(seen.json, "localization", "country"));
    if (!isRefusal(seen) && taken === "usa")
      differ(seen, "a refusal of USA, or another country", "country USA");
  }),
  row("country-all-is-the-union", [11], entries({ country: "all" }), async (all, target) => {
    const offered = new Set(all.items.flatMap(offersOf));
    for (const country of [undefined, "DE", "US", "BR"]) {
      const { items } = await entries(country === undefined ? {} : { country })(target);
      const missing = items.flatMap(offersOf).find((offer) => !offered.has(offer));
      if (missing !== undefined)
        differ(all.answer, `everything that ${country ?? "our own country"} has`, `no ${missing}`);
    }
  }),
  row("country-selects", [229], entries({ country: "all" }), async (all, target) => {
    // Not every gateway is licensed everywhere: one country that has fewer is enough.
    const there: Seen[] = await Promise.all(
      ["US", "KP", "RU", "BR"].map((country) => entries({ country })(target)),
    );
    if (all.items.length < 2) notApplicable("there is one gateway only");
    if (there.every(({ items }) => items.flatMap(offersOf).length === all.items.flatMap(offersOf).length))
      differ(all.answer, "fewer offers in one country than in all", "the same in each");
  }),
  row("include-icons-adds", [227], answer, async (without, target) => {
    const seen = await target.ask({ surface: "legacy", path, query: withIcons });
    // Which fields are added is not shown, so all that can be asked for is that there is more than before.
    const [more, before] = [countFields(seen), countFields(without)];
    if (more <= before)
      differ(seen, "icons that the answer without includeIcons lacks", `${more} fields against ${before}`);
  }),
  row("include-icons-are-urls-that-open", [227], answer, async (without, target) => {
    const seen = await target.ask({ surface: "legacy", path, query: withIcons });
    const url = urlsIn(seen.json).find((one) => !urlsIn(without.json).includes(one));
    if (url === undefined) notApplicable("no icon came with a url");
    const icon = await target.ask({ surface: "absolute", path: url });
    if (!isSuccess(icon) || !icon.contentType.startsWith("image/"))
      differ(icon, "a picture", `status ${icon.status}`);
  }),
  row("include-icons-keeps-the-gateways", [227], entries(), async ({ items: without }, target) => {
    const seen = await entries(withIcons)(target);
    const [expected, found] = [identifiersOf(without), identifiersOf(seen.items)];
    if (expected !== found) differ(seen.answer, expected, found);
  }),
]);

const kinds = ["paymentMethods", "fiatCurrencies", "cryptoCurrencies"];

function identifiersOf(items: readonly Json[]): string {
  return show(items.map((gateway) => String(gateway["identifier"])).toSorted());
}

/** Everything a gateway offers, as words: `moonpay fiatCurrencies EUR`. One identifier may appear several times. */
function offersOf(gateway: Json): string[] {
  return kinds.flatMap((name) =>
    codesOf(gateway[name]).map((code) => `${String(gateway["identifier"])} ${name} ${code}`),
  );
}

function countFields({ json, request }: Answer): number {
  if (!isObject(json)) notApplicable(`${request} gave nothing to judge by`);
  const count = (value: unknown): number => {
    if (typeof value !== "object" || value === null) return 0;
    const inner = Object.values(value).map(count);
    return inner.reduce((sum, one) => sum + one, Array.isArray(value) ? 0 : inner.length);
  };
  return count(json);
}

function urlsIn(value: unknown): string[] {
  if (typeof value === "string") return /^https?:/.test(value) ? [value] : [];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(urlsIn) : [];
}
