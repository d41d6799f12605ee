import { expect, test } from "vitest";
import { useTestDatabase } from "../support/test-database.ts";
import { aKey, useApi } from "./an-api.ts";
import { anAccount } from "./some-records.ts";

const database = useTestDatabase();
const server = useApi(database);

test("fee schedules are listed by provider", async () => {
  await anAccount(database.db, "main");
  const key = await aKey(database.db, "admin");
  for (const provider of ["moonpay", "banxa"]) {
    const body = {
      provider,
      valid_from: "2026-01-01T00:00:00Z",
      terms: [{ kind: "share" }],
      reason: "agreed",
    };
    expect((await server.send("POST", "/v1/fee-schedules", key, body)).status).toBe(201);
  }
  const providers = async (query: string) => {
    const { json } = await server.get(`/v1/fee-schedules${query}`, key);
    return (json["data"] as { provider: string }[]).map(({ provider }) => provider);
  };
  expect(await providers("")).toEqual(["banxa", "moonpay"]);
  expect(await providers("?provider=Moonpay")).toEqual(["moonpay"]);
  expect(await providers("?provider=ramp")).toEqual([]);
  const { status, json } = await server.get("/v1/fee-schedules?provider=a%20b", key);
  expect([status, json["detail"]]).toEqual([
    400,
    expect.stringContaining("is not a provider, such as moonpay"),
  ]);
});

test("rates are listed by either currency", async () => {
  const key = await aKey(database.db, "admin");
  const rates = [
    { base: "EUR", quote: "USD", rate: "1.1" },
    { base: "EUR", quote: "GBP", rate: "0.86" },
    { base: "USD", quote: "GBP", rate: "0.78" },
    { base: "Usdc", quote: "usd", rate: "0.999" },
  ].map((rate) => ({ date: "2026-03-02", source: "test", ...rate }));
  expect((await server.send("POST", "/v1/rates", key, { rates })).status).toBe(201);
  const listed = async (query: string) => {
    const { json } = await server.get(`/v1/rates${query}`, key);
    return (json["data"] as { base: string; quote: string }[]).map(({ base, quote }) => base + quote);
  };
  expect(await listed("")).toEqual(["EURGBP", "EURUSD", "USDGBP", "usdcUSD"]);
  expect(await listed("?base=EUR")).toEqual(["EURGBP", "EURUSD"]);
  expect(await listed("?quote=GBP")).toEqual(["EURGBP", "USDGBP"]);
  expect(await listed("?base=EUR&quote=USD")).toEqual(["EURUSD"]);
  expect(await listed("?base=USDC")).toEqual(["usdcUSD"]);
});

test("rates that contradict each other are refused, and none is chosen", async () => {
  const key = await aKey(database.db, "admin");
  const rates = ["1.1", "1.2"].map((rate) => ({
    date: "2026-04-02",
    base: "EUR",
    quote: "CHF",
    rate,
    source: "test",
  }));
  const { status, json } = await server.send("POST", "/v1/rates", key, { rates });
  expect([status, JSON.stringify(json)]).toEqual([
    expect.any(Number),
    expect.stringContaining("EUR in CHF: test states 1.1 and 1.2"),
  ]);
  expect(status).toBeGreaterThanOrEqual(400);
  const { json: listed } = await server.get("/v1/rates?quote=CHF", key);
  expect(listed["data"]).toEqual([]);
});

test("rates that are the inverse of those known are refused, unless the request says why", async () => {
  const key = await aKey(database.db, "admin");
  const add = (date: string, rate: string, accept?: string) =>
    server.send("POST", "/v1/rates", key, {
      rates: [{ date, base: "GBP", quote: "SEK", rate, source: "bank" }],
      ...(accept === undefined ? {} : { accept }),
    });
  expect((await add("2026-06-01", "13.1")).status).toBe(201);
  const refused = await add("2026-06-02", "0.0763");
  expect(refused).toMatchObject({ status: 400, json: { code: "invalid_parameter", param: "rates" } });
  expect(refused.json["detail"]).toContain(
    "2026-06-02 GBP in SEK: 0.0763 is the inverse of 13.1 on 2026-06-01",
  );
  expect((await add("2026-06-02", "0.0763", "it is so")).status).toBe(201);
});
