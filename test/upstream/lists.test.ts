import { describe, expect, test } from "vitest";
import { decimal } from "../../src/core/decimal.ts";
import { canaryKey, failure, scripted } from "./client-for.ts";

const btc = { id: "btc", code: "BTC", chainId: null, decimals: 8 };
const usd = { id: "usd", code: "USD" };
const card = { paymentTypeId: "creditcard", name: "Card" };
const pair = { fiat: "USD", crypto: "BTC", amount: decimal(1) };

describe("a caller that asks what was left out", () => {
  test.each([
    [{ ...btc, id: "a", chainId: "mainnet" }, 'message.crypto[1] "a": chainId: expected an integer'],
    [{ ...btc, id: "b", decimals: 2_147_483_648 }, 'message.crypto[1] "b": decimals: expected 0 to 255'],
    [{ ...btc, id: "c", decimals: -1 }, 'message.crypto[1] "c": decimals: expected 0 to 255'],
    [{ ...btc, id: null }, "message.crypto[1]: id: expected a text"],
    [
      { ...btc, id: "i".repeat(501) },
      `message.crypto[1] "${"i".repeat(60)}…": id: expected at most 500 characters`,
    ],
    [null, "message.crypto[1]: Invalid input: expected object, received null"],
    ["btc", "message.crypto[1]: Invalid input: expected object, received string"],
  ])("gets the other assets: %#", async (odd, said) => {
    const { upstream } = await scripted([{ body: { message: { crypto: [btc, odd, btc], fiat: [usd] } } }]);
    const leftOut: string[] = [];
    const supported = await upstream.fetchSupported({}, { onLeftOut: (item) => leftOut.push(item) });
    expect(supported.crypto.map(({ id }) => id)).toEqual(["btc", "btc"]);
    expect(supported.fiat.map(({ id }) => id)).toEqual(["usd"]);
    expect(leftOut).toEqual([`GET /supported: ${said}`]);
  });

  test("gets the other quotes, and the refusals", async () => {
    const good = { ramp: "moonpay", rate: 1, payout: 2 };
    const refusal = { ramp: "banxa", errors: [{ message: "too little" }] };
    const body = [{ ...good, ramp: "transak", payout: "much" }, good, refusal];
    const { upstream } = await scripted([{ body }]);
    const leftOut: string[] = [];
    const found = await upstream.fetchBuyQuotes(pair, { onLeftOut: (item) => leftOut.push(item) });
    expect([found.quotes.map(({ ramp }) => ramp), found.refusals.map(({ ramp }) => ramp)]).toEqual([
      ["moonpay"],
      ["banxa"],
    ]);
    expect(leftOut).toEqual(['GET /quotes/{fiat}/{crypto}: [0] "transak": payout: expected a decimal']);
  });

  test("gets the other payment types, which have keys in place of numbers, without secrets in their names", async () => {
    const body = { message: { creditcard: card, [canaryKey]: { paymentTypeId: true } } };
    const { upstream } = await scripted([{ body }]);
    const leftOut: string[] = [];
    const types = await upstream.fetchPaymentTypes({}, { onLeftOut: (item) => leftOut.push(item) });
    expect(Object.keys(types)).toEqual(["creditcard"]);
    expect(leftOut).toEqual([
      "GET /supported/payment-types: message.[redacted]: paymentTypeId: expected a text",
    ]);
  });

  test("gets the assets beside one that is nested too deep", async () => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    const crypto = `[${JSON.stringify(btc)},{"id":"deep","code":"D","more":${deep}}]`;
    const { upstream } = await scripted([{ body: `{"message":{"crypto":${crypto},"fiat":[]}}` }]);
    const leftOut: string[] = [];
    await upstream.fetchSupported({}, { onLeftOut: (item) => leftOut.push(item) });
    expect(leftOut).toEqual(['GET /supported: message.crypto[1] "deep": nested too deep']);
  });
});

describe("an answer still fails, and nothing is told to be left out", () => {
  const leftOut: string[] = [];
  const call = { onLeftOut: (item: string) => void leftOut.push(item) };
  const odd = { ...btc, chainId: "mainnet" };

  test.each([
    ["when it is not a list", { message: { crypto: {}, fiat: [usd] } }, "message.crypto"],
    ["when it has no such list", { message: { fiat: [usd] } }, "message.crypto"],
    ["when it is nothing", null, null],
    ["when something else is wrong as well", { message: { crypto: [odd, btc], fiat: 7 } }, "message.fiat"],
    ["when no item is readable", { message: { crypto: [odd], fiat: [usd] } }, "message.crypto[0].chainId"],
  ])("%s", async (_, body, field) => {
    const { upstream } = await scripted([{ body: JSON.stringify(body) }]);
    expect(await failure(upstream.fetchSupported({}, call))).toMatchObject({
      code: "body_unexpected",
      field,
    });
    expect(leftOut).toEqual([]);
  });

  test("when the caller does not ask", async () => {
    const { upstream } = await scripted([{ body: { message: { crypto: [btc, odd], fiat: [] } } }]);
    const error = await failure(upstream.fetchSupported());
    expect(error.field).toBe("message.crypto[1].chainId");
  });
});
