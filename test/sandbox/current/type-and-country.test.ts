import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  assetsResponse,
  defaultsResponse,
  fiatPaymentTypesResponse,
  paymentTypesResponse,
  quote,
  supportedResponse,
} from "../../../src/sandbox/current/schemas.ts";
import { gatewaysResponse, ratesResponse } from "../../../src/sandbox/earlier/schemas.ts";
import { useSandbox } from "../use-sandbox.ts";

const sandbox = useSandbox({ seed: "5" });
const bare = useSandbox({ seed: "5" });

const supported = async (type: string) =>
  supportedResponse.parse((await sandbox.get(`/supported?type=${type}`)).json).message;
const codes = (assets: readonly { code: string }[]) => new Set(assets.map(({ code }) => code));
const methods = async (query: string) =>
  Object.keys(
    paymentTypesResponse.parse((await sandbox.get(`/supported/payment-types?${query}`)).json).message,
  );
const methodsOfFiat = async (fiat: string, query: string) =>
  fiatPaymentTypesResponse
    .parse((await sandbox.get(`/supported/payment-types/${fiat}?${query}`)).json)
    .message.map(({ paymentTypeId }) => paymentTypeId);
const defaults = async (type: string) =>
  defaultsResponse.parse((await sandbox.get(`/supported/defaults/all?type=${type}`)).json).message.defaults;
const quotes = async (path: string) => z.array(quote).parse((await sandbox.get(path)).json);

describe("type", () => {
  test("selects assets: some can only be bought, some only be sold", async () => {
    const [buy, sell] = [codes((await supported("buy")).crypto), codes((await supported("sell")).crypto)];
    expect([buy.has("PEPE"), sell.has("PEPE")]).toEqual([true, false]);
    expect([buy.has("MKR"), sell.has("MKR")]).toEqual([false, true]);
    expect([buy.has("BTC"), sell.has("BTC")]).toEqual([true, true]);
    expect(await quotes("/quotes/usd/mkr?amount=200")).toEqual([]);
    expect(await quotes("/quotes/pepe/usd?amount=20000000&type=sell")).toEqual([]);
    expect((await quotes("/quotes/mkr/usd?amount=0.2&type=sell")).length).toBeGreaterThan(0);
  });

  test("selects fiats: nobody pays out in some of them", async () => {
    const [buy, sell] = [codes((await supported("buy")).fiat), codes((await supported("sell")).fiat)];
    expect([buy.has("ISK"), sell.has("ISK")]).toEqual([true, false]);
  });

  test("selects payment methods: nobody is paid by Apple Pay, iDEAL or in a shop", async () => {
    for (const country of ["NL", "US", "PH", "BE"]) {
      const [buy, sell] = [
        await methods(`country=${country}`),
        await methods(`country=${country}&type=sell`),
      ];
      expect(sell).not.toEqual(buy);
      for (const id of ["applepay", "ideal", "bancontact", "7eleven"]) expect(sell).not.toContain(id);
      expect(sell).toEqual(expect.arrayContaining(["creditcard", "banktransfer"]));
    }
    expect(await methodsOfFiat("eur", "country=NL")).toContain("ideal");
    expect(await methodsOfFiat("eur", "country=NL&type=sell")).not.toContain("ideal");
  });

  test("selects what is suggested: a sale suggests coins, a way to be paid, and someone who buys", async () => {
    const [buy, sell] = [await defaults("buy"), await defaults("sell")];
    expect(Object.keys(sell)).toEqual(Object.keys(buy));
    for (const [country, entry] of Object.entries(sell)) {
      expect(entry).not.toEqual(buy[country]);
      // Where nobody pays out in the country's own currency, what people do in dollars is suggested.
      const place = entry.source === "USD" ? "US" : country;
      const query = `amount=${entry.amount}&paymentMethod=${entry.paymentMethod}&country=${place}&type=sell`;
      const offers = await quotes(`/quotes/${entry.target}/${entry.source}?${query}`);
      expect(offers.map(({ ramp }) => ramp)).toContain(entry.provider);
    }
  });
});

describe("country", () => {
  test.each([
    [
      "DE",
      ["sepainstant", "creditcard"],
      ["7eleven", "ach", "upi", "pix", "khipu", "ideal", "interacetransfer"],
    ],
    ["US", ["ach", "applepay"], ["ideal", "pix", "upi", "sepainstant", "spei"]],
    ["IN", ["upi", "imps"], ["applepay", "pix", "ach"]],
    ["BR", ["pix"], ["upi", "sepainstant"]],
  ])("selects payment methods: %s has %j and not %j", async (country, some, none) => {
    const found = await methods(`country=${country}`);
    expect(found).toEqual(expect.arrayContaining(some));
    expect(found.filter((id) => none.includes(id))).toEqual([]);
  });

  test("selects what each gateway offers there", async () => {
    const gateway = async (country: string) => {
      const { gateways } = gatewaysResponse.parse(
        (await sandbox.get(`/legacy/gateways?country=${country}`)).json,
      );
      const found = gateways.find(({ identifier }) => identifier === "moonpay");
      return { methods: found?.paymentMethods ?? [], fiats: codes(found?.fiatCurrencies ?? []) };
    };
    const [us, br, all] = [await gateway("US"), await gateway("BR"), await gateway("all")];
    expect(us.methods).toContain("ach");
    expect(us.methods).not.toContain("pix");
    expect(br.methods).toContain("pix");
    expect([us.fiats.has("BRL"), br.fiats.has("BRL")]).toEqual([false, true]);
    expect(all.methods).toEqual(expect.arrayContaining(["pix", "ach"]));
  });

  test("of a quote is that of what it is paid with", async () => {
    expect(await quotes("/quotes/brl/btc?amount=900&paymentMethod=pix&country=US")).toEqual([]);
    expect((await quotes("/quotes/brl/btc?amount=900&paymentMethod=pix&country=BR")).length).toBeGreaterThan(
      1,
    );
    for (const each of await quotes("/quotes/eur/btc?amount=200&country=DE")) {
      const ids = each.availablePaymentMethods?.map(({ paymentTypeId }) => paymentTypeId) ?? [];
      expect(ids).not.toContain("ideal");
    }
  });
});

describe("ids", () => {
  test("of /supported/assets are ids of /supported", async () => {
    const known = new Set((await supported("buy")).crypto.map(({ id }) => id));
    const { assets } = assetsResponse.parse((await sandbox.get("/supported/assets?country=DE")).json).message;
    const unknown = assets.flatMap(({ crypto }) => crypto).filter((id) => !known.has(id));
    expect(unknown).toEqual([]);
    expect(known.has("btc_bitcoin")).toBe(true);
  });

  test("may be bare for coins on their own chain, as another dialect", async () => {
    bare.switches.dialect = { ...bare.switches.dialect, "asset-ids": "bare" };
    const { crypto } = supportedResponse.parse((await bare.get("/supported")).json).message;
    expect(crypto.map(({ id }) => id)).toEqual(expect.arrayContaining(["btc", "usdc_base"]));
  });

  test.each(["btc", "BTC", "btc_bitcoin", "usdc_base", "USDC"])(
    "%s can be bought by that name",
    async (id) => {
      expect((await quotes(`/quotes/usd/${id}?amount=200`)).length).toBeGreaterThan(0);
    },
  );
});

describe("nobody pays out nothing", () => {
  test.each(["btc", "eth", "usdt_tron", "gusd_ethereum"])("to whoever buys %s", async (asset) => {
    for (let amount = 1; amount <= 30; amount++) {
      for (const each of await quotes(`/quotes/usd/${asset}?amount=${amount}`)) {
        expect([amount, each.ramp, each.payout > 0]).toEqual([amount, each.ramp, true]);
      }
      const rates = ratesResponse.parse(
        (await sandbox.get(`/legacy/rate/USD/${asset}/creditCard/${amount}`)).json,
      );
      expect(rates.filter((each) => each.available && each.receivedCrypto <= 0)).toEqual([]);
    }
  });

  test("to whoever sells", async () => {
    for (const amount of ["0.00001", "0.00003", "0.0001", "0.0003", "0.001"]) {
      for (const each of await quotes(`/quotes/btc/usd?amount=${amount}&type=sell`)) {
        expect(each.payout).toBeGreaterThan(0);
      }
    }
  });

  test("nor can 1 USD be checked out for nothing", async () => {
    const body = {
      onramp: "stripe",
      source: "usd",
      destination: "btc",
      amount: 1,
      wallet: { address: "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq" },
    };
    expect((await sandbox.post("/checkout/intent", body)).json).toMatchObject({ type: "LIMIT_MISMATCH" });
  });
});
