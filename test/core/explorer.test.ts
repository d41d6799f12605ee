import { describe, expect, test } from "vitest";
import { explorerUrl } from "../../src/core/explorer.ts";

const hex = "9f2c4e7a1b3d5f60718293a4b5c6d7e8f90a1b2c3d4e5f60718293a4b5c6d7e8";

describe("a link to the chain", () => {
  test.each([
    ["btc", hex.toUpperCase(), `https://mempool.space/tx/${hex}`],
    ["ltc", `0x${hex}`, `https://blockchair.com/litecoin/transaction/${hex}`],
    ["eth", hex, `https://etherscan.io/tx/0x${hex}`],
    ["usdc_base", `0x${hex.toUpperCase()}`, `https://basescan.org/tx/0x${hex}`],
    ["USDT_TRC20", hex, `https://tronscan.org/#/transaction/${hex}`],
    ["matic", `0x${hex}`, `https://polygonscan.com/tx/0x${hex}`],
    ["xrp", hex, `https://bithomp.com/explorer/${hex.toUpperCase()}`],
    ["ton", "q+AbC/dEf0123456789=", "https://tonviewer.com/transaction/q%2BAbC%2FdEf0123456789%3D"],
  ])("of %s goes to its network's explorer", (currency, hash, url) => {
    expect(explorerUrl(currency, hash)).toBe(url);
  });

  test("keeps the case of a base58 hash, where it is part of the value", () => {
    const signature =
      "5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW";
    expect(explorerUrl("sol", signature)).toBe(`https://solscan.io/tx/${signature}`);
  });

  test("is not made where the network is not known", () => {
    expect(explorerUrl("usdc", hex)).toBeNull();
    expect(explorerUrl("eur", hex)).toBeNull();
    expect(explorerUrl("usdc_nowhere", hex)).toBeNull();
  });

  test("is not made of something that is not a hash", () => {
    expect(explorerUrl("btc", "")).toBeNull();
    expect(explorerUrl("btc", "javascript:alert(1)")).toBeNull();
    expect(explorerUrl("btc", "<script>alert(1)</script>")).toBeNull();
  });
});
