import { describe, expect, test } from "vitest";
import {
  assetsResponse,
  availabilityResponse,
  defaultsResponse,
  fiatPaymentTypesResponse,
  paymentTypesResponse,
  providersResponse,
  supportedResponse,
} from "../../../src/sandbox/current/schemas.ts";
import { ask, useSandbox, withKey } from "../use-sandbox.ts";

const sandbox = useSandbox({ defaultCountry: "nl" });

const supported = async (query: string) =>
  supportedResponse.parse((await sandbox.get(`/supported${query}`)).json);
const methodsIn = async (country: string) =>
  paymentTypesResponse.parse((await sandbox.get(`/supported/payment-types?country=${country}`)).json).message;
const methodsFor = async (path: string) =>
  fiatPaymentTypesResponse
    .parse((await sandbox.get(`/supported/payment-types/${path}`)).json)
    .message.map(({ paymentTypeId }) => paymentTypeId);

describe("GET /supported", () => {
  test("lists assets and fiats in the specified shape", async () => {
    const { crypto, fiat } = supportedResponse.parse((await sandbox.get("/supported")).json).message;
    expect(crypto.find(({ id }) => id === "usdc_base")).toMatchObject({
      code: "USDC",
      network: "base",
      decimals: 6,
      chainId: 8453,
      address: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
    });
    expect(fiat.find(({ id }) => id === "eur")).toMatchObject({ code: "EUR", symbol: "€" });
  });

  test("answers for buying when no type is given, and leaves out for selling what nobody buys back", async () => {
    expect(await supported("")).toEqual(await supported("?type=buy"));
    const sell = await supported("?type=sell");
    expect(sell.message.crypto.length).toBeLessThanOrEqual((await supported("")).message.crypto.length);
  });

  test("needs no key, but refuses a wrong one", async () => {
    expect((await sandbox.get("/supported", {})).status).toBe(200);
    const wrong = await sandbox.get("/supported", { authorization: "pk_wrong" });
    expect(wrong.status).toBe(401);
    expect(wrong.json).toMatchObject({ type: "API_KEY_INVALID", field: "Authorization" });
  });

  test("names icons that exist", async () => {
    const { crypto, fiat } = supportedResponse.parse((await sandbox.get("/supported")).json).message;
    for (const { icon } of [crypto[0], fiat[0]].filter((each) => each !== undefined)) {
      const answer = await ask(icon);
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toBe("image/svg+xml");
    }
  });
});

describe("GET /supported/payment-types", () => {
  test("is keyed by id and depends on the country", async () => {
    const [brazil, germany] = [await methodsIn("br"), await methodsIn("DE")];
    for (const [id, type] of Object.entries(brazil)) expect(type.paymentTypeId).toBe(id);
    expect(Object.keys(brazil)).toContain("pix");
    expect(Object.keys(germany)).toContain("sepainstant");
  });

  test("of one fiat is a list of the ways that move this fiat", async () => {
    expect(await methodsFor("EUR?country=nl")).toEqual(
      expect.arrayContaining(["ideal", "sepainstant", "creditcard"]),
    );
    expect(await methodsFor("eur?country=nl")).not.toContain("pix");
    expect(await methodsFor("brl?country=br")).toContain("pix");
  });

  test("of an unknown fiat is not found, and says which", async () => {
    const answer = await sandbox.get("/supported/payment-types/xyz");
    expect(answer.status).toBe(404);
    expect(answer.json).toMatchObject({ type: "CURRENCY_NOT_FOUND", field: "fiat" });
  });
});

describe("GET /supported/defaults/all", () => {
  test("recommends for the resolved country and has an entry for every country", async () => {
    const { recommended, defaults } = defaultsResponse.parse(
      (await sandbox.get("/supported/defaults/all?country=br")).json,
    ).message;
    expect(recommended).toEqual(defaults["BR"]);
    expect(recommended.source).toBe("BRL");
    expect(Object.keys(defaults).length).toBeGreaterThan(50);
  });

  test("suggests orders that the suggested provider takes", async () => {
    const { defaults } = defaultsResponse.parse((await sandbox.get("/supported/defaults/all")).json).message;
    for (const [country, entry] of Object.entries(defaults).slice(0, 15)) {
      const query = `amount=${entry.amount}&paymentMethod=${entry.paymentMethod}&country=${country}`;
      const quotes = (await sandbox.get(`/quotes/${entry.source}/${entry.target}?${query}`)).json;
      expect(quotes).toContainEqual(expect.objectContaining({ ramp: entry.provider }));
    }
  });
});

describe("GET /supported/assets", () => {
  test("joins asset and network by an underscore, natives too", async () => {
    const { assets, country } = assetsResponse.parse(
      (await sandbox.get("/supported/assets?source=EUR&country=de")).json,
    ).message;
    expect(country).toBe("DE");
    expect(assets).toHaveLength(1);
    expect(assets[0]?.fiat).toBe("eur");
    expect(assets[0]?.crypto).toEqual(expect.arrayContaining(["btc_bitcoin", "usdc_base"]));
    for (const id of assets[0]?.crypto ?? []) expect(id).toMatch(/^[^_]+_.+$/);
  });

  test("covers all fiats when no source is given", async () => {
    const all = assetsResponse.parse((await sandbox.get("/supported/assets")).json).message;
    const one = assetsResponse.parse((await sandbox.get("/supported/assets?source=gbp")).json).message;
    expect(all.assets.length).toBeGreaterThan(20);
    expect(all.assets).toContainEqual(one.assets[0]);
  });

  test("refuses an unknown source", async () => {
    const answer = await sandbox.get("/supported/assets?source=zzz");
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ type: "UNKNOWN_CURRENCY", field: "source" });
  });
});

describe("GET /supported/onramps", () => {
  test("all: every provider with its icons in three sizes, each of them a picture", async () => {
    const { message } = providersResponse.parse((await sandbox.get("/supported/onramps/all")).json);
    expect(message.length).toBeGreaterThanOrEqual(12);
    const png = await fetch(message[0]?.icons.png["160x160"] ?? "");
    const bytes = Buffer.from(await png.arrayBuffer());
    expect(png.headers.get("content-type")).toBe("image/png");
    expect(bytes.subarray(1, 4).toString()).toBe("PNG");
    expect(bytes.readUInt32BE(16)).toBe(160);
  });

  test("for a pair: only providers that serve it there, each with a method of its own list", async () => {
    const path = "/supported/onramps?source=eur&destination=btc&country=nl";
    const { message } = availabilityResponse.parse((await sandbox.get(path)).json);
    expect(message.length).toBeGreaterThan(5);
    expect(message.map(({ onramp }) => onramp)).not.toContain("koywe");
    for (const entry of message) {
      expect(entry.country).toBe("NL");
      expect(entry.paymentMethods).toContain(entry.recommendedPaymentMethod);
      expect(entry).not.toHaveProperty("recommendations");
    }
  });

  test("with recommendations: for every method exactly the surest provider is recommended", async () => {
    const path = "/supported/onramps?source=eur&destination=btc&country=nl&recommendations=true";
    const { message } = availabilityResponse.parse((await sandbox.get(path)).json);
    const recommended = message
      .flatMap((entry) => entry.recommendations ?? [])
      .flatMap((each) => each.paymentMethods);
    const offered = new Set(message.flatMap((entry) => entry.paymentMethods));
    expect(new Set(recommended)).toEqual(offered);
    expect(message.some((entry) => entry.recommendations === undefined)).toBe(true);
  });

  test.each([
    "source=eur",
    "destination=btc",
    "source=eur&destination=gbp",
    "source=eur&destination=btc&recommendations=maybe",
  ])("refuses %s", async (query) => {
    expect((await sandbox.get(`/supported/onramps?${query}`)).status).toBe(400);
  });
});

test.each(["/supported/assets", "/supported/onramps/all", "/supported/onramps?source=eur&destination=btc"])(
  "%s needs the key",
  async (path) => {
    expect((await sandbox.get(path, {})).status).toBe(401);
    expect((await sandbox.get(path, { authorization: "Bearer pk_sandbox" })).status).toBe(401);
    expect((await sandbox.get(path, withKey)).status).toBe(200);
  },
);
