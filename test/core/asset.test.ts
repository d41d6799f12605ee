import { describe, expect, test } from "vitest";
import { compareAssets, isBareCode, minorUnits, networkOf, parseAsset } from "../../src/core/asset.ts";

test.each([
  ["usdc_base", "usdc", "base"],
  ["USDC_ERC20", "usdc", "ethereum"],
  ["bnb-bep20", "bnb", "bsc"],
  ["USDTTRC20", "usdt", "tron"],
  ["1inch_bsc", "1inch", "bsc"],
  ["ada_cardano", "ada", "cardano"],
  ["btc", "btc", "bitcoin"],
  ["ETH", "eth", "ethereum"],
  ["MATIC", "pol", "polygon"],
  ["usdc_avax-c", "usdc", "avalanche"],
  ["usdc", "usdc", null],
  ["trc20", "trc20", null],
])("%s is %s on %s", (text, code, network) => {
  expect(parseAsset(text)).toEqual({ code, network });
});

test("a text of nothing but separators is read at once, whatever its end is", { timeout: 20_000 }, () => {
  expect(parseAsset(`a${"_".repeat(120_000)}\nx`).code).toBe("a");
});

test("the network may stand in a column of its own, and then it counts", () => {
  expect(parseAsset("USDC", "MATIC")).toEqual({ code: "usdc", network: "polygon" });
  expect(parseAsset("eth", "Base")).toEqual({ code: "eth", network: "base" });
  expect(networkOf(" Binance-Smart-Chain ")).toBe("bsc");
});

test.each([
  ["ETH", true],
  ["matic", true],
  ["usdc_base", false],
  ["USDTTRC20", false],
])("%s is a code alone: %s", (text, verdict) => {
  expect(isBareCode(text)).toBe(verdict);
});

describe("two assets", () => {
  test.each([
    ["matic", "POL", "same"],
    ["eth", "eth_mainnet", "same"],
    ["usdc_base", "usdc_bsc", "different"],
    ["usdc_base", "usdt_base", "different"],
    ["usdc", "usdc_base", "maybe"],
    ["usdc", "USDC", "same"],
  ])("%s and %s: %s", (a, b, verdict) => {
    expect(compareAssets(parseAsset(a), parseAsset(b))).toBe(verdict);
    expect(compareAssets(parseAsset(b), parseAsset(a))).toBe(verdict);
  });
});

test.each([
  ["usd", 2],
  ["JPY", 0],
  ["kwd", 3],
  ["CLF", 4],
  ["HUF", 2],
])("%s has %i decimals", (code, places) => {
  expect(minorUnits(code)).toBe(places);
});
