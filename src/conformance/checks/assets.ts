import { z } from "zod";
import { assets as entries, crypto, fiat, someCountries, wordsOf } from "../catalogue.ts";
import { differ, group, row } from "../check.ts";
import { among, body, canonical, distinct, every, fields, isRefusal, lower, member, show } from "../rules.ts";
import { alpha2, objects, texts } from "../shapes.ts";
import { answered, keyRows } from "../shared-rows.ts";
import type { Target } from "../target.ts";

const path = "/supported/assets";
const answer = (target: Target) => target.ask({ path });
const sourcesAskedMax = 3;
const message = (shape: z.ZodRawShape) => z.looseObject({ message: z.looseObject(shape) });

export const assets = group({ name: "assets", endpoint: `GET ${path}` }, [
  ...keyRows(async () => ({ path }), 188),
  row(
    "list-and-country",
    [189],
    answer,
    body(message({ assets: objects, country: z.string() }), "an array `assets` and a string `country`"),
  ),
  row("country-is-alpha-2", [10], answer, async (seen, target) => {
    await entries()(target);
    body(message({ country: alpha2 }), "a two-letter `country`")(seen);
  }),
  row("country-that-is-none", [10], entries(), async (_, target) => {
    // ZZ is set aside for private use: no country will ever have it.
    const seen = await target.ask({ path, query: { country: "ZZ" } });
    const taken = lower(member(seen.json, "message", "country"));
    if (!isRefusal(seen) && taken === "zz") differ(seen, "a refusal of ZZ, or another country", "country ZZ");
  }),
  row("country-is-the-one-asked", [187], entries(), async (_, target) => {
    for (const country of await someCountries(target, 3)) {
      const seen = await target.ask({ path, query: { country } });
      const taken = member(seen.json, "message", "country");
      if (lower(taken) !== lower(country)) differ(seen, `country ${country}`, show(taken));
    }
  }),
  row("payment-methods-are-strings", [44], entries(), fields({ paymentMethods: texts })),
  row(
    "fiat-is-a-fiat-id",
    [43],
    entries(),
    among("fiat", wordsOf(fiat, "id"), "an id of a fiat of GET /supported"),
    distinct("fiat"),
  ),
  row(
    "crypto-ids-join-asset-and-network",
    [45],
    entries(),
    fields(
      { crypto: z.array(z.string().regex(/^[^_]+_.+$/)) },
      "an asset and a network, joined by an underscore",
    ),
  ),
  row("crypto-ids-are-of-known-assets", [45], entries(), async (seen, target) => {
    // An id of /supported, or its code and network put together the same way.
    const { items } = await crypto(target);
    const known = new Set(
      items.flatMap((one) => [lower(one["id"]), `${lower(one["code"])}_${lower(one["network"])}`]),
    );
    const unknown = (ids: unknown) => [ids].flat().find((id) => !known.has(lower(id)));
    every(
      "assets of GET /supported",
      (entry) => unknown(entry["crypto"]),
      (entry) => unknown(entry["crypto"]) === undefined,
    )(seen);
  }),
  row("source.selects", [185], entries(), async ({ items }, target) => {
    const sources = [...new Set(items.map((entry) => String(entry["fiat"])))].slice(0, sourcesAskedMax);
    for (const source of sources) {
      const only = await entries({ source })(target);
      every(`only entries of ${source}`, "fiat", (entry) => lower(entry["fiat"]) === lower(source))(only);
    }
  }),
  row("source.omitted-gives-all-fiats", [186], entries(), async ({ answer: seen, items }, target) => {
    const all = new Set(items.map(canonical));
    for (const { id } of (await fiat(target)).items.slice(0, sourcesAskedMax)) {
      const one = await entries({ source: String(id) })(target);
      if (one.items.some((entry) => !all.has(canonical(entry))))
        differ(seen, `the entry that source=${String(id)} gives`, "no such entry");
    }
  }),
  row("key-comes-without-a-scheme", [242], answer, async (_, target) => {
    await answered(target, { path });
    const none = await target.ask({ path, key: "Bearer" });
    if (!isRefusal(none)) differ(none, "a refusal of a scheme in place of the key", `status ${none.status}`);
  }),
]);
