import { describe, expect, test } from "vitest";
import { ratesResponse } from "../../../src/sandbox/earlier/schemas.ts";
import { useSandbox } from "../use-sandbox.ts";

const sandbox = useSandbox({ seed: "5", defaultCountry: "DE" });

async function rates(path: string) {
  return ratesResponse.parse((await sandbox.get(`/legacy/rate/${path}`)).json);
}

async function rateOf(identifier: string, path: string) {
  return (await rates(path)).find((entry) => entry.identifier === identifier);
}

describe("limits of an amount in crypto", () => {
  test.each([
    ["EUR/DOGE/creditCard", 1],
    ["EUR/DOGE/creditCard", 10_000_000],
    ["EUR/USDT_TRON/creditCard", 1],
    ["EUR/USDT_TRON/creditCard", 5_000_000],
    ["JPY/XRP/creditCard", 1],
    ["EUR/XLM/sepaInstant", 1],
  ])("are exactly where %s changes, asked about %i", async (path, amount) => {
    const refused = (await rates(`${path}/${amount}?amountInCrypto=true`)).flatMap((entry) =>
      entry.available || (entry.error.type !== "MIN" && entry.error.type !== "MAX")
        ? []
        : [{ identifier: entry.identifier, ...entry.error }],
    );
    expect(refused.length).toBeGreaterThan(2);
    for (const { identifier, type, limit } of refused) {
      // The path takes whole amounts: the last one outside, and the first one inside.
      const inside = type === "MIN" ? Math.ceil(limit) : Math.floor(limit);
      const outside = type === "MIN" ? inside - 1 : inside + 1;
      const accepted = await rateOf(identifier, `${path}/${inside}?amountInCrypto=true`);
      expect([identifier, accepted]).toEqual([
        identifier,
        expect.objectContaining({ available: true, receivedCrypto: inside }),
      ]);
      // Of less than one whole coin nobody can ask for less.
      const refusedAt = outside < 1 ? amount : outside;
      const still = await rateOf(identifier, `${path}/${refusedAt}?amountInCrypto=true`);
      expect([identifier, refusedAt, still?.available]).toEqual([identifier, refusedAt, false]);
    }
  });
});

describe("a gateway that no amount would open", () => {
  test.each([
    ["EUR/BTC/upi/100", "PAYMENT_METHOD", "paymentMethod"],
    ["EUR/BONK/creditCard/100", "TO_CURRENCY", "toCurrency"],
    ["BRL/BTC/creditCard/100", "FROM_CURRENCY", "fromCurrency"],
  ])("%s: names %s, the one input to change", async (path, type, input) => {
    const closed = (await rates(path)).filter((entry) => !entry.available && entry.error.type === type);
    expect(closed.length).toBeGreaterThan(0);
    for (const entry of closed) {
      if (entry.available) continue;
      expect(entry.error.limit).toBe(0);
      const named = ["paymentMethod", "toCurrency", "fromCurrency"].filter((word) =>
        entry.error.message.includes(word),
      );
      expect(named).toEqual([input]);
    }
  });

  test("says OTHER as another dialect", async () => {
    sandbox.switches.dialect = { ...sandbox.switches.dialect, "rate-error": "other" };
    const entries = await rates("EUR/BTC/upi/100");
    sandbox.switches.dialect = { ...sandbox.switches.dialect, "rate-error": "named" };
    for (const entry of entries) expect(entry).toMatchObject({ available: false, error: { type: "OTHER" } });
  });
});

test("any positive integer is an amount; one that is too large misses the maximum", async () => {
  for (const amount of ["1000000000000", "99999999999999", "1" + "0".repeat(30)]) {
    const entries = await rates(`EUR/BTC/creditCard/${amount}`);
    for (const entry of entries) expect(entry).toMatchObject({ available: false });
    expect(entries.some((entry) => !entry.available && entry.error.type === "MAX")).toBe(true);
  }
  expect(await rates("EUR/BTC/creditCard/0100")).toHaveLength((await rates("EUR/BTC/creditCard/100")).length);
  const answer = await sandbox.get(`/legacy/rate/EUR/BTC/creditCard/${"9".repeat(41)}`);
  expect(answer.json).toMatchObject({
    field: "amount",
    message: expect.stringContaining("at most 40 digits"),
  });
});
