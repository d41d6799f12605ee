import type { Asset } from "./asset.ts";

/**
 * Decimals of an asset on its network, to turn base units into coins; `null` when we do not know them. Our own table,
 * because what catalogues state is unreliable, and a wrong figure is a silent power of ten: USDC has 6 decimals on
 * most networks and 18 on one.
 */
export function assetDecimals({ code, network }: Asset): number | null {
  if (network === null) return null;
  const token = tokens.get(code);
  if (token) return token[network] ?? null;
  return natives.get(`${code} ${network}`) ?? null;
}

/** Whether a code is that of a coin or token that we know, on whatever network. */
export function isKnownAsset(code: string): boolean {
  return tokens.has(code) || nativeCodes.has(code);
}

const natives = new Map<string, number>(
  [
    {
      decimals: 6,
      where: "trx tron, xrp xrp, ada cardano, atom cosmos, osmo osmosis, kava kava, algo algorand, xtz tezos",
    },
    { decimals: 7, where: "xlm stellar" },
    {
      decimals: 8,
      where:
        "btc bitcoin, ltc litecoin, doge dogecoin, dash dash, bch bitcoin-cash, zec zcash, apt aptos, hbar hedera",
    },
    { decimals: 9, where: "sol solana, sui sui, ton ton" },
    { decimals: 10, where: "dot polkadot" },
    { decimals: 12, where: "ksm kusama" },
    {
      decimals: 18,
      where:
        "eth ethereum, eth base, eth arbitrum, eth optimism, eth linea, eth zksync, etc ethereum-classic, pol polygon, " +
        "bnb bsc, avax avalanche, celo celo, ftm fantom, xdai gnosis, cro cronos, ron ronin, fil filecoin, strk starknet",
    },
    { decimals: 24, where: "near near" },
  ].flatMap(({ decimals, where }) => where.split(", ").map((each) => [each, decimals] as const)),
);

const sixOnMost = {
  ethereum: 6,
  polygon: 6,
  arbitrum: 6,
  optimism: 6,
  base: 6,
  avalanche: 6,
  solana: 6,
  tron: 6,
  bsc: 18,
};

// Only what is known for certain: an unlisted pair is refused, and the row says so.
const tokens = new Map<string, Readonly<Record<string, number>>>([
  ["usdc", { ...sixOnMost, stellar: 7 }],
  ["usdt", sixOnMost],
  ["eurc", { ethereum: 6, base: 6, avalanche: 6 }],
  ["dai", { ethereum: 18 }],
  ["gusd", { ethereum: 2 }],
  ["cusd", { celo: 18 }],
  ["wbtc", { ethereum: 8 }],
  ["1inch", { ethereum: 18, bsc: 18 }],
  ["bonk", { solana: 5 }],
  ["arb", { arbitrum: 18 }],
  ["op", { optimism: 18 }],
  ...["link", "uni", "aave", "shib", "pepe", "mkr"].map((code) => [code, { ethereum: 18 }] as const),
]);

const nativeCodes = new Set([...natives.keys()].map((each) => each.split(" ")[0] ?? ""));
