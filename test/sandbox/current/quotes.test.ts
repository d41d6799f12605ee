import { parse, type LosslessNumber } from "lossless-json";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  addDecimals,
  compareDecimals,
  decimal,
  divideDecimals,
  subtractDecimals,
  type Decimal,
} from "../../../src/core/decimal.ts";
import { quote, quotesResponse } from "../../../src/sandbox/current/schemas.ts";
import { createWorld } from "../../../src/sandbox/world/create-world.ts";
import { successPerMille } from "../../../src/sandbox/world/market.ts";
import { useSandbox } from "../use-sandbox.ts";

const sandbox = useSandbox({ seed: "quotes" });
const withErrors = useSandbox({ quoteErrors: true });
const world = createWorld("quotes");

/** Quotes with the very digits that came over the wire. */
async function exactQuotes(path: string) {
  const { text } = await sandbox.get(path);
  const raw = parse(text) as Record<AmountName, LosslessNumber>[];
  const quotes = z.array(quote).parse(JSON.parse(text));
  return quotes.map((each, i) => ({
    ramp: each.ramp,
    paymentMethod: each.paymentMethod,
    recommendations: each.recommendations,
    availablePaymentMethods: each.availablePaymentMethods,
    rate: digits(raw[i]?.rate),
    networkFee: digits(raw[i]?.networkFee),
    transactionFee: digits(raw[i]?.transactionFee),
    payout: digits(raw[i]?.payout),
  }));
}

type AmountName = "rate" | "networkFee" | "transactionFee" | "payout";

function digits(value: LosslessNumber | undefined): Decimal {
  return decimal(value?.value ?? "");
}

describe("buy quotes", () => {
  test("are a top-level array of the specified shape", async () => {
    const quotes = quotesResponse.parse((await sandbox.get("/quotes/usd/eth?amount=250")).json);
    expect(quotes.length).toBeGreaterThan(3);
    for (const each of quotes) expect(each).toHaveProperty("availablePaymentMethods");
  });

  test("pay out exactly what is left after fees at the rate, to the last of 18 digits", async () => {
    for (const each of await exactQuotes("/quotes/eur/eth?amount=250.75&country=de")) {
      const left = subtractDecimals(decimal("250.75"), addDecimals(each.networkFee, each.transactionFee));
      expect(each.payout).toBe(divideDecimals(left, each.rate, { places: 18 }));
    }
  });

  test("recommend truthfully: BestPrice pays out most, SuccessRate succeeds most often, LowKyc asks little", async () => {
    for (const path of [
      "/quotes/eur/btc?amount=300&country=de",
      "/quotes/brl/usdt_tron?amount=900&paymentMethod=pix&country=br",
    ]) {
      const quotes = await exactQuotes(path);
      const success = (ramp: string) => {
        const provider = world.providerById.get(ramp);
        return provider ? successPerMille(world, provider, quotes[0]?.paymentMethod ?? "") : 0;
      };
      const surest = Math.max(...quotes.map(({ ramp }) => success(ramp)));
      expect(quotes.some((each) => each.recommendations.includes("BestPrice"))).toBe(true);
      for (const each of quotes) {
        const best = quotes.every((other) => compareDecimals(other.payout, each.payout) <= 0);
        expect(each.recommendations.includes("BestPrice")).toBe(best);
        expect(each.recommendations.includes("SuccessRate")).toBe(success(each.ramp) === surest);
        expect(each.recommendations.includes("LowKyc")).toBe(
          world.providerById.get(each.ramp)?.kyc === "low",
        );
      }
    }
  });

  test("use a credit card unless told otherwise", async () => {
    const quotes = await exactQuotes("/quotes/usd/btc?amount=100");
    expect(new Set(quotes.map(({ paymentMethod }) => paymentMethod))).toEqual(new Set(["creditcard"]));
    const transfers = await exactQuotes("/quotes/usd/btc?amount=100&paymentMethod=ach");
    expect(new Set(transfers.map(({ paymentMethod }) => paymentMethod))).toEqual(new Set(["ach"]));
  });

  test("move with the prices", async () => {
    const before = await exactQuotes("/quotes/usd/btc?amount=100");
    sandbox.clock.nowMs += 3_600_000;
    const after = await exactQuotes("/quotes/usd/btc?amount=100");
    expect(after[0]?.rate).not.toBe(before[0]?.rate);
  });

  test("come only from providers that take the amount", async () => {
    expect(await exactQuotes("/quotes/usd/btc?amount=0.5")).toEqual([]);
    expect(await exactQuotes("/quotes/usd/btc?amount=900000000")).toEqual([]);
  });

  test("name the client's preferred provider when the client is known", async () => {
    const quotes = await exactQuotes("/quotes/usd/btc?amount=100&clientName=shop&uuid=7d0b");
    expect(quotes.filter(({ recommendations }) => recommendations.includes("ClientPreferred"))).toHaveLength(
      1,
    );
  });
});

describe("sell quotes", () => {
  test("pay fiat in its minor units and name no payment methods", async () => {
    const quotes = await exactQuotes("/quotes/eth/jpy?amount=0.25&type=sell&country=jp");
    expect(quotes.length).toBeGreaterThan(2);
    for (const each of quotes) {
      expect(each.availablePaymentMethods).toBeUndefined();
      expect(each.payout).toMatch(/^\d+$/);
    }
  });

  test("come only from providers that buy", async () => {
    const quotes = await exactQuotes("/quotes/eth/eur?amount=0.25&type=sell&country=de");
    expect(quotes.map(({ ramp }) => ramp)).not.toContain("stripe");
  });
});

describe("bad input", () => {
  test.each([
    ["/quotes/usd/btc", 400, "amount"],
    ["/quotes/usd/btc?amount=0", 400, "amount"],
    ["/quotes/usd/btc?amount=-5", 400, "amount"],
    ["/quotes/usd/btc?amount=abc", 400, "amount"],
    ["/quotes/usd/btc?amount=1e300", 400, "amount"],
    ["/quotes/usd/btc?amount=9999999999999", 400, "amount"],
    ["/quotes/usd/btc?amount=10&country=USA", 400, "country"],
    ["/quotes/usd/btc?amount=10&type=swap", 400, "type"],
    ["/quotes/usd/btc?amount=10&type=sell", 400, "type"],
    ["/quotes/btc/usd?amount=10", 400, "type"],
    ["/quotes/usd/btc?amount=10&paymentMethod=shells", 400, "paymentMethod"],
    ["/quotes/usd/nope?amount=10", 404, "destination"],
    ["/quotes/nope/btc?amount=10", 404, "source"],
    ["/quotes/usd/eur?amount=10", 404, "destination"],
  ])("%s is refused with %i and names %s", async (path, status, field) => {
    const answer = await sandbox.get(path);
    expect(answer.status).toBe(status);
    expect(answer.json).toMatchObject({ field, message: expect.any(String) });
  });

  test("providers that cannot quote are listed with reasons only when the switch is on", async () => {
    const quotes = quotesResponse.parse((await withErrors.get("/quotes/usd/btc?amount=0.5")).json);
    expect(quotes.length).toBeGreaterThan(0);
    for (const each of quotes) expect(each).toHaveProperty("errors.0.type", "LimitMismatch");
  });
});
