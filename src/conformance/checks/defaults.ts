import { z } from "zod";
import {
  cryptoWords,
  defaults as entries,
  fiatWords,
  ownCountry,
  paymentTypes,
  providerIds,
  someCountries,
} from "../catalogue.ts";
import { differ, group, notApplicable, row } from "../check.ts";
import { among, body, every, expectSame, isObject, lower, member, show } from "../rules.ts";
import { alpha2, defaultsEntry } from "../shapes.ts";
import { typeRows } from "../shared-rows.ts";
import type { Answer, Target } from "../target.ts";
import { quotesOf } from "../trade.ts";

const path = "/supported/defaults/all";
const answer = (target: Target) => target.ask({ path });
const whole = (entry: z.ZodType) =>
  z.looseObject({ message: z.looseObject({ recommended: entry, defaults: z.record(z.string(), entry) }) });
const shape = whole(z.looseObject({}));

export const defaults = group({ name: "defaults", endpoint: `GET ${path}` }, [
  row(
    "recommended-and-per-country",
    [182],
    answer,
    body(shape, "objects `recommended` and `defaults` under `message`"),
  ),
  row("entry-fields", [38, 39, 40, 41, 42], answer, async (seen) => {
    if (!isObject(member(seen.json, "message"))) notApplicable(`${seen.request} gave no defaults`);
    body(whole(defaultsEntry), "the five fields of a Defaults entry")(seen);
  }),
  row("one-entry-per-country", [184], entries, (seen) => {
    const codes = seen.items.map(({ country }) => String(country));
    const isCode = ({ country }: { country?: unknown }) => alpha2.safeParse(country).success;
    every("two-letter country codes as keys", "country", isCode)(seen);
    if (new Set(codes.map(lower)).size !== codes.length)
      differ(seen.answer, "each country once", `${codes.length} keys, some of them the same country`);
  }),
  row("recommended-is-for-the-country-asked", [180, 183], entries, async (_, asked) => {
    for (const country of await someCountries(asked, 3))
      expectRecommendedFor(await asked.ask({ path, query: { country } }), country);
  }),
  row("country-is-taken-from-the-address", [9], answer, async (seen, asked) =>
    expectRecommendedFor(seen, await ownCountry(asked)),
  ),
  row("source-is-a-fiat", [38], entries, among("source", fiatWords, "a fiat of GET /supported")),
  row("target-is-a-crypto", [39], entries, among("target", cryptoWords, "an asset of GET /supported")),
  row(
    "amount-is-positive",
    [40],
    entries,
    every("an amount above 0", "amount", ({ amount }) => Number(amount) > 0),
  ),
  row(
    "provider-is-one",
    [42],
    entries,
    among("provider", providerIds, "an id of GET /supported/onramps/all"),
  ),
  row("payment-method-is-offered-there", [41], entries, async ({ items, answer: seen }, asked) => {
    for (const country of await someCountries(asked, 3)) {
      const entry = items.find((one) => one["country"] === country);
      const types = await paymentTypes({ country })(asked);
      const known = types.items.map((type) => lower(type["paymentTypeId"]));
      if (entry !== undefined && !known.includes(lower(entry["paymentMethod"])))
        differ(seen, `a payment type of ${country}`, show(entry["paymentMethod"]));
    }
  }),
  row("recommended-can-be-bought", [183], answer, async (seen, asked) => {
    const entry = defaultsEntry.safeParse(member(seen.json, "message", "recommended")).data;
    if (entry === undefined) notApplicable("nothing is recommended");
    const wish = {
      fiat: lower(entry.source),
      crypto: lower(entry.target),
      side: "buy" as const,
      amount: entry.amount,
    };
    const { answer: quotes, items } = await quotesOf(asked, wish, { paymentMethod: entry.paymentMethod });
    if (!items.some((quote) => lower(quote["ramp"]) === lower(entry.provider)))
      differ(
        quotes,
        `a quote of ${entry.provider}, which is recommended`,
        show(items.map((quote) => quote["ramp"])),
      );
  }),
  ...typeRows(async () => ({ path }), 181, whole(defaultsEntry)),
]);

function expectRecommendedFor(seen: Answer, country: string): void {
  const message = member(seen.json, "message");
  const found = member(message, "defaults");
  if (!isObject(found)) notApplicable(`${seen.request} gave no defaults to judge by`);
  const [, entry] = Object.entries(found).find(([code]) => lower(code) === lower(country)) ?? [];
  if (entry === undefined) notApplicable(`${seen.request} has no entry for ${country}`);
  expectSame(seen, entry, member(message, "recommended"), `\`recommended\` to be the entry of ${country}`);
}
