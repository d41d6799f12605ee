import { describe, expect, test } from "vitest";
import {
  addDecimals,
  compareDecimals,
  decimal,
  divideDecimals,
  multiplyDecimals,
  subtractDecimals,
  truncateDecimal,
  zero,
} from "../../../src/core/decimal.ts";
import { walletAddress } from "../../../src/sandbox/ledger/identifiers.ts";
import { looksLikeAddress } from "../../../src/sandbox/world/address-form.ts";
import { createWorld } from "../../../src/sandbox/world/create-world.ts";
import { findAsset } from "../../../src/sandbox/world/lookup.ts";
import { assetUsd, fiatUsd } from "../../../src/sandbox/world/prices.ts";
import { fiatToBuy, quoteBuy, quoteSell, type Order } from "../../../src/sandbox/world/quote.ts";
import { hash32 } from "../../../src/sandbox/world/random.ts";
import { makeUlid, ulidTimeMs } from "../../../src/sandbox/world/ulid.ts";

const world = createWorld("a seed");
const noon = Date.parse("2026-11-02T12:00:00.000Z");

const decimalsOf = (id: string) => world.assetById.get(id)?.decimals;
const minorUnitsOf = (id: string) => world.fiatById.get(id)?.minorUnits;

describe("the world", () => {
  test("is large enough to be believable", () => {
    expect(world.providers.length).toBeGreaterThanOrEqual(12);
    expect(world.assets.length).toBeGreaterThanOrEqual(40);
    expect(new Set(world.assets.map(({ network }) => network)).size).toBeGreaterThanOrEqual(12);
    expect(world.fiats.length).toBeGreaterThanOrEqual(30);
    expect(world.paymentTypes.length).toBeGreaterThanOrEqual(15);
  });

  test("names nothing twice, and nothing that it does not have", () => {
    expect(world.assetById.size).toBe(world.assets.length);
    for (const provider of world.providers) {
      for (const set of [provider.countries, provider.fiats, provider.assets, provider.paymentMethods]) {
        expect(set.size).toBeGreaterThan(0);
      }
    }
    for (const { fiat } of world.countries) expect(world.fiatById.has(fiat)).toBe(true);
  });

  test("knows the decimals that are most often taken wrongly", () => {
    expect(
      ["usdt_ethereum", "usdt_bsc", "usdc_stellar", "gusd_ethereum", "wbtc_ethereum", "near"].map(decimalsOf),
    ).toEqual([6, 18, 7, 2, 8, 24]);
    expect(["usd", "jpy", "kwd", "clp", "vnd"].map(minorUnitsOf)).toEqual([2, 0, 3, 0, 0]);
  });

  test("is the same from the same seed and another from another", () => {
    const again = createWorld("a seed");
    const other = createWorld("another seed");
    expect(assetUsd(again, "btc", noon)).toBe(assetUsd(world, "btc", noon));
    expect(assetUsd(other, "btc", noon)).not.toBe(assetUsd(world, "btc", noon));
    expect(again.providers.map(({ fees }) => fees)).toEqual(world.providers.map(({ fees }) => fees));
  });

  test("finds an asset by id, by full id and by code", () => {
    expect(findAsset(world, "USDC_BASE")?.id).toBe("usdc_base");
    expect(findAsset(world, "btc_bitcoin")?.id).toBe("btc");
    expect(findAsset(world, "usdc")?.id).toBe("usdc_ethereum");
    expect(findAsset(world, "usdc", "solana")?.id).toBe("usdc_solana");
    expect(findAsset(world, "btc", "solana")).toBeNull();
    expect(findAsset(world, "usd")).toBeNull();
  });

  test("makes addresses that look right on every network", () => {
    for (const network of world.networks) {
      const { id } = network;
      for (let value = 0; value < 50; value++) {
        const address = walletAddress(network, { key: hash32(id), value });
        expect([address, looksLikeAddress(network, address)]).toEqual([address, true]);
      }
      expect(looksLikeAddress(network, "not an address!")).toBe(false);
    }
  });
});

describe("prices", () => {
  test("move with time, smoothly, and stay within their swing", () => {
    let before = Number(assetUsd(world, "eth", noon));
    const seen = new Set([before]);
    for (let minute = 1; minute <= 600; minute++) {
      const price = Number(assetUsd(world, "eth", noon + minute * 60_000));
      expect(Math.abs(price / before - 1)).toBeLessThan(0.005);
      expect(Math.abs(price / 3120 - 1)).toBeLessThanOrEqual(0.22);
      seen.add(price);
      before = price;
    }
    expect(seen.size).toBeGreaterThan(500);
  });

  test("are one for a coin on all its networks, and one for the dollar always", () => {
    expect(assetUsd(world, "usdc_base", noon)).toBe(assetUsd(world, "usdc_solana", noon));
    expect(fiatUsd(world, "usd", noon + 12345)).toBe("1");
  });
});

describe("quotes", () => {
  const orders = world.providers.flatMap((provider) =>
    ["usd", "eur", "jpy", "kwd", "inr"].flatMap((fiatId) =>
      ["btc", "usdt_bsc", "near", "gusd_ethereum", "pepe_ethereum"].map((assetId): Order => {
        const [fiat, asset] = [world.fiatById.get(fiatId), world.assetById.get(assetId)];
        if (!fiat || !asset) throw new Error("missing from the world");
        return { provider, fiat, asset, method: "creditcard", amount: decimal("7350.5"), atMs: noon };
      }),
    ),
  );

  test("pay out what is left after fees at the rate, cut to the asset's decimals", () => {
    for (const order of orders) {
      const { rate, networkFee, transactionFee, payout } = quoteBuy(world, order);
      const left = subtractDecimals(order.amount, addDecimals(networkFee, transactionFee));
      if (payout === zero) continue;
      expect(payout).toBe(divideDecimals(left, rate, { places: order.asset.decimals }));
      expect(networkFee).toBe(truncateDecimal(networkFee, order.fiat.minorUnits));
    }
  });

  test("of a sale pay out the proceeds less fees, cut to the fiat's minor units", () => {
    for (const order of orders) {
      const { rate, networkFee, transactionFee, payout } = quoteSell(world, order);
      const left = subtractDecimals(
        multiplyDecimals(order.amount, rate),
        addDecimals(networkFee, transactionFee),
      );
      if (payout === zero) continue;
      expect(payout).toBe(truncateDecimal(left, order.fiat.minorUnits));
    }
  });

  test("are cheaper to sell to than to buy from", () => {
    for (const order of orders) {
      expect(compareDecimals(quoteSell(world, order).rate, quoteBuy(world, order).rate)).toBe(-1);
    }
  });

  test("can be turned round: the fiat needed for a crypto amount buys it, and one coin less does not", () => {
    for (const order of orders) {
      const wanted = { ...order, amount: decimal("3") };
      const needed = fiatToBuy(world, wanted);
      const minorUnit = decimal(`1e-${order.fiat.minorUnits}`);
      const bought = (amount: typeof needed) => quoteBuy(world, { ...order, amount }).payout;
      expect(compareDecimals(bought(needed), wanted.amount)).not.toBe(-1);
      expect(
        compareDecimals(bought(subtractDecimals(needed, addDecimals(minorUnit, minorUnit))), wanted.amount),
      ).toBe(-1);
    }
  });
});

describe("chance and ids", () => {
  test("an answer depends on every part of its question, and on where one part ends", () => {
    expect(hash32("s", "ab", "c")).not.toBe(hash32("s", "a", "bc"));
    expect(hash32("s", 1)).not.toBe(hash32("s", 1 + 2 ** 32));
    expect(hash32("s", "x", 1)).toBe(hash32("s", "x", 1));
  });

  test("a ULID says when it was made", () => {
    const made = makeUlid(Date.parse("2023-07-28T07:54:54.604Z"), new Uint8Array(10).fill(255));
    expect(made).toBe("01H6DQWMRCZZZZZZZZZZZZZZZZ");
    expect(ulidTimeMs(made)).toBe(Date.parse("2023-07-28T07:54:54.604Z"));
    expect(ulidTimeMs("not one")).toBeNull();
  });
});
