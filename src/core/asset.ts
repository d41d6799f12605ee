/**
 * Currencies as records and statements name them. The network is part of a crypto asset: USDC has 6 decimals on most
 * networks and 18 on another, and coins sent over the wrong one are gone.
 */
export interface Asset {
  /** Lower case. */
  readonly code: string;
  /** Our name of the network; `null` when the text does not tell. */
  readonly network: string | null;
}

/** Reads `usdc_base`, `USDC_ERC20`, `bnb-bep20`, `USDTTRC20`, `btc`, or a code with its network in another column. */
export function parseAsset(text: string, networkText?: string): Asset {
  const lower = text.trim().toLowerCase();
  const apart = networkText === undefined ? null : networkOf(networkText);
  const joined = codeAndNetwork.exec(lower);
  if (joined) return asset(joined[1] ?? "", apart ?? networkOf(joined[2] ?? joined[3] ?? ""));
  return asset(lower, apart ?? nativeNetworks.get(lower) ?? null);
}

/** Whether a text is a code alone, without a network joined to it. */
export function isBareCode(text: string): boolean {
  return !codeAndNetwork.test(text.trim().toLowerCase());
}

// With `s` what follows a separator always fits; otherwise a line break at the end has it tried again from every separator.
const codeAndNetwork = /^(.+?)(?:[_-](.+)|(erc20|trc20|bep20))$/s;

/** `maybe`: the codes agree, and one side does not say which network it means. */
export function compareAssets(a: Asset, b: Asset): "same" | "maybe" | "different" {
  if (a.code !== b.code) return "different";
  if (a.network === null || b.network === null) return a.network === b.network ? "same" : "maybe";
  return a.network === b.network ? "same" : "different";
}

/** Decimals of a fiat currency's minor unit, by ISO 4217. */
export function minorUnits(fiatCode: string): number {
  return unusualMinorUnits.get(fiatCode.toUpperCase()) ?? 2;
}

/** Our name for a network: one of its aliases resolved, or the word itself. */
export function networkOf(word: string): string {
  const lower = word.trim().toLowerCase();
  return networkAliases.get(lower) ?? lower;
}

function asset(code: string, network: string | null): Asset {
  // MATIC was renamed POL: one asset with two codes.
  return { code: code === "matic" ? "pol" : code, network };
}

const networkAliases = new Map(
  Object.entries({
    polygon: ["matic", "pol"],
    bsc: ["bep20", "bnb", "binance-smart-chain"],
    ethereum: ["eth", "erc20", "mainnet"],
    tron: ["trx", "trc20"],
    avalanche: ["avaxc", "avax-c", "avax"],
    arbitrum: ["arb"],
    optimism: ["op"],
    solana: ["sol"],
    stellar: ["xlm"],
    xrp: ["ripple"],
  }).flatMap(([network, aliases]) => aliases.map((alias) => [alias, network] as const)),
);

// A bare native means its own network; any other bare code does not say where it lives.
const nativeNetworks = new Map([
  ["btc", "bitcoin"],
  ["ltc", "litecoin"],
  ["doge", "dogecoin"],
  ["bch", "bitcoin-cash"],
  ["dash", "dash"],
  ["zec", "zcash"],
  ["eth", "ethereum"],
  ["etc", "ethereum-classic"],
  ["matic", "polygon"],
  ["pol", "polygon"],
  ["bnb", "bsc"],
  ["avax", "avalanche"],
  ["sol", "solana"],
  ["trx", "tron"],
  ["xlm", "stellar"],
  ["xrp", "xrp"],
  ["ada", "cardano"],
  ["dot", "polkadot"],
  ["ksm", "kusama"],
  ["near", "near"],
  ["sui", "sui"],
  ["apt", "aptos"],
  ["ton", "ton"],
  ["algo", "algorand"],
  ["xtz", "tezos"],
  ["hbar", "hedera"],
  ["fil", "filecoin"],
  ["atom", "cosmos"],
  ["osmo", "osmosis"],
  ["kava", "kava"],
]);

const unusualMinorUnits = new Map(
  [
    { places: 0, codes: "BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF" },
    { places: 3, codes: "BHD IQD JOD KWD LYD OMR TND" },
    { places: 4, codes: "CLF UYW" },
  ].flatMap(({ places, codes }) => codes.split(" ").map((code) => [code, places] as const)),
);
