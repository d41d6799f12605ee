import { describe, expect, test } from "vitest";
import { decimal, divideDecimals, subtractDecimals } from "../../../src/core/decimal.ts";
import { gatewaysResponse, ratesResponse } from "../../../src/sandbox/earlier/schemas.ts";
import { useSandbox } from "../use-sandbox.ts";

const sandbox = useSandbox({ defaultCountry: "DE" });
const gateways = async (query = "") =>
  gatewaysResponse.parse((await sandbox.get(`/legacy/gateways${query}`)).json);
const rates = async (path: string) => ratesResponse.parse((await sandbox.get(`/legacy/rate/${path}`)).json);

const refusedBy = async (amount: number, type: string) =>
  (await rates(`EUR/BTC/creditCard/${amount}`)).flatMap((entry) =>
    !entry.available && entry.error.type === type ? [{ ...entry.error, identifier: entry.identifier }] : [],
  );

describe("GET /gateways", () => {
  test("lists the gateways of the country, and all of them on request", async () => {
    const [home, chile, all] = [
      await gateways(),
      await gateways("?country=cl"),
      await gateways("?country=all"),
    ];
    expect(home.localization).toEqual({ country: "DE", state: null, currency: "EUR" });
    expect(chile.localization).toEqual({ country: "CL", state: null, currency: "CLP" });
    expect(chile.gateways.map(({ identifier }) => identifier)).toContain("koywe");
    expect(home.gateways.map(({ identifier }) => identifier)).not.toContain("koywe");
    expect(all.gateways.length).toBeGreaterThan(home.gateways.length);
  });

  test("adds icons only when asked", async () => {
    expect(await gateways()).not.toHaveProperty("icons");
    const { icons, gateways: listed } = await gateways("?includeIcons=true");
    for (const { code } of listed[0]?.cryptoCurrencies ?? [])
      expect(icons?.cryptoCurrencies).toHaveProperty([code]);
    for (const method of listed[0]?.paymentMethods ?? [])
      expect(icons?.paymentMethods).toHaveProperty([method]);
  });

  test("names payment methods as this surface does", async () => {
    expect((await gateways()).gateways[0]?.paymentMethods).toEqual(
      expect.arrayContaining(["creditCard", "bankTransfer"]),
    );
  });

  test.each(["country=DEU", "country=1", "includeIcons=yes"])("refuses %s", async (query) => {
    const answer = await sandbox.get(`/legacy/gateways?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.json).toMatchObject({ message: expect.any(String), field: query.split("=")[0] });
    expect(answer.json).not.toHaveProperty("errorId");
  });
});

describe("GET /rate", () => {
  test("mixes available and unavailable gateways", async () => {
    const entries = await rates("EUR/BTC/creditCard/25");
    expect(entries.some(({ available }) => available)).toBe(true);
    expect(entries.some(({ available }) => !available)).toBe(true);
  });

  test("gives the received crypto as what is left after fees at the rate, cut to the gateway's precision", async () => {
    const listed = (await gateways()).gateways;
    for (const entry of await rates("EUR/ETH/creditCard/300")) {
      if (!entry.available) continue;
      const gateway = listed.find(({ identifier }) => identifier === entry.identifier);
      const precision = gateway?.cryptoCurrencies.find(({ code }) => code === "ETH")?.precision ?? 0;
      const left = subtractDecimals(decimal(300), decimal(entry.fees));
      const expected = divideDecimals(left, decimal(entry.rate), { places: precision });
      expect(decimal(entry.receivedCrypto)).toBe(expected);
    }
  });

  test("says MIN with the minimum and MAX with the maximum, and both are accepted", async () => {
    for (const { identifier, limit } of [
      ...(await refusedBy(2, "MIN")),
      ...(await refusedBy(900_000, "MAX")),
    ]) {
      const again = (await rates(`EUR/BTC/creditCard/${limit}`)).find(
        (entry) => entry.identifier === identifier,
      );
      expect(again?.available).toBe(true);
    }
    expect((await refusedBy(2, "MIN")).length).toBeGreaterThan(3);
    expect((await refusedBy(900_000, "MAX")).length).toBeGreaterThan(3);
  });

  test("takes the amount as crypto when told so", async () => {
    const entries = await rates("EUR/SOL/creditCard/3?amountInCrypto=true");
    const available = entries.filter((entry) => entry.available);
    expect(available.length).toBeGreaterThan(3);
    for (const entry of available) expect(entry.receivedCrypto).toBe(3);
    const tooMuch = await rates("EUR/BTC/creditCard/50?amountInCrypto=true");
    expect(tooMuch.find((entry) => !entry.available && entry.error.type === "MAX")).toBeDefined();
  });

  test("says what to change where no amount would help", async () => {
    const entry = (await rates("EUR/BTC/iDeal/100")).find(({ identifier }) => identifier === "simplex");
    expect(entry).toMatchObject({ available: false, error: { type: "PAYMENT_METHOD", limit: 0 } });
  });

  test("adds icons when asked", async () => {
    expect((await rates("EUR/BTC/creditCard/100?includeIcons=true"))[0]).toHaveProperty("icons.toCurrency");
  });

  test.each([
    ["EUR/BTC/creditCard/0", 400, "amount"],
    ["EUR/BTC/creditCard/-5", 400, "amount"],
    ["EUR/BTC/creditCard/1.5", 400, "amount"],
    ["EUR/BTC/creditCard/abc", 400, "amount"],
    ["BTC/ETH/creditCard/5", 404, "fromCurrency"],
    ["EUR/USD/creditCard/5", 404, "toCurrency"],
    ["EUR/BTC/shells/5", 404, "paymentMethod"],
  ])("refuses %s with %i and names %s", async (path, status, field) => {
    const answer = await sandbox.get(`/legacy/rate/${path}`);
    expect(answer.status).toBe(status);
    expect(answer.json).toMatchObject({ field });
  });
});
