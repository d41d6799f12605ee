import { decimal } from "../../core/decimal.ts";
import { networks } from "./networks.ts";
import type { Asset } from "./types.ts";

/** Code, name, price in US dollars and swing: the same on every network the coin lives on. */
const coins: Readonly<Record<string, { name: string; usd: string; swingPpm: number }>> = {
  BTC: { name: "Bitcoin", usd: "64250", swingPpm: 180_000 },
  ETH: { name: "Ethereum", usd: "3120", swingPpm: 220_000 },
  LTC: { name: "Litecoin", usd: "84.2", swingPpm: 250_000 },
  DOGE: { name: "Dogecoin", usd: "0.1385", swingPpm: 320_000 },
  BCH: { name: "Bitcoin Cash", usd: "402", swingPpm: 250_000 },
  DASH: { name: "Dash", usd: "31.4", swingPpm: 280_000 },
  ZEC: { name: "Zcash", usd: "38.9", swingPpm: 300_000 },
  ETC: { name: "Ethereum Classic", usd: "22.7", swingPpm: 260_000 },
  POL: { name: "Polygon", usd: "0.462", swingPpm: 300_000 },
  BNB: { name: "BNB", usd: "588", swingPpm: 200_000 },
  AVAX: { name: "Avalanche", usd: "27.8", swingPpm: 300_000 },
  CELO: { name: "Celo", usd: "0.58", swingPpm: 300_000 },
  SOL: { name: "Solana", usd: "151.3", swingPpm: 280_000 },
  TRX: { name: "TRON", usd: "0.1562", swingPpm: 180_000 },
  XLM: { name: "Stellar Lumens", usd: "0.0978", swingPpm: 280_000 },
  XRP: { name: "XRP", usd: "0.5615", swingPpm: 280_000 },
  ADA: { name: "Cardano", usd: "0.371", swingPpm: 280_000 },
  ATOM: { name: "Cosmos", usd: "4.62", swingPpm: 280_000 },
  NEAR: { name: "NEAR Protocol", usd: "4.85", swingPpm: 320_000 },
  SUI: { name: "Sui", usd: "1.74", swingPpm: 340_000 },
  APT: { name: "Aptos", usd: "7.9", swingPpm: 320_000 },
  DOT: { name: "Polkadot", usd: "4.44", swingPpm: 280_000 },
  TON: { name: "Toncoin", usd: "5.32", swingPpm: 260_000 },
  ALGO: { name: "Algorand", usd: "0.1294", swingPpm: 300_000 },
  XTZ: { name: "Tezos", usd: "0.689", swingPpm: 280_000 },
  HBAR: { name: "Hedera", usd: "0.0541", swingPpm: 320_000 },
  FIL: { name: "Filecoin", usd: "3.77", swingPpm: 320_000 },
  USDC: { name: "USD Coin", usd: "1", swingPpm: 1_500 },
  USDT: { name: "Tether USD", usd: "1", swingPpm: 2_000 },
  DAI: { name: "Dai", usd: "1", swingPpm: 2_000 },
  GUSD: { name: "Gemini Dollar", usd: "1", swingPpm: 2_500 },
  CUSD: { name: "Celo Dollar", usd: "1", swingPpm: 3_000 },
  EURC: { name: "Euro Coin", usd: "1.085", swingPpm: 25_000 },
  WBTC: { name: "Wrapped Bitcoin", usd: "64180", swingPpm: 180_000 },
  LINK: { name: "Chainlink", usd: "11.6", swingPpm: 300_000 },
  UNI: { name: "Uniswap", usd: "7.35", swingPpm: 300_000 },
  AAVE: { name: "Aave", usd: "148.5", swingPpm: 300_000 },
  SHIB: { name: "Shiba Inu", usd: "0.00001782", swingPpm: 350_000 },
  PEPE: { name: "Pepe", usd: "0.00000942", swingPpm: 380_000 },
  "1INCH": { name: "1inch", usd: "0.271", swingPpm: 320_000 },
  MKR: { name: "Maker", usd: "1385", swingPpm: 280_000 },
  ARB: { name: "Arbitrum", usd: "0.553", swingPpm: 340_000 },
  OP: { name: "Optimism", usd: "1.66", swingPpm: 340_000 },
  BONK: { name: "Bonk", usd: "0.00002188", swingPpm: 380_000 },
};

/** Too volatile, or too private, for anyone to take back. */
const buyOnly: ReadonlySet<string> = new Set(["PEPE", "BONK", "1INCH", "GUSD", "HBAR", "FIL", "ZEC", "DASH"]);

/** Being phased out: no longer sold, but those who hold some can still sell. */
const sellOnly: ReadonlySet<string> = new Set(["MKR", "ETC"]);

export const assets: readonly Asset[] = [
  native("BTC", "bitcoin", 8),
  native("LTC", "litecoin", 8),
  native("DOGE", "dogecoin", 8),
  native("BCH", "bitcoin-cash", 8),
  native("DASH", "dash", 8),
  native("ZEC", "zcash", 8),
  native("ETH", "ethereum", 18),
  native("ETC", "ethereum-classic", 18),
  native("POL", "polygon", 18),
  native("BNB", "bsc", 18),
  native("AVAX", "avalanche", 18),
  native("CELO", "celo", 18),
  native("SOL", "solana", 9),
  native("TRX", "tron", 6),
  native("XLM", "stellar", 7),
  native("XRP", "xrp", 6),
  native("ADA", "cardano", 6),
  native("ATOM", "cosmos", 6),
  native("NEAR", "near", 24),
  native("SUI", "sui", 9),
  native("APT", "aptos", 8),
  native("DOT", "polkadot", 10),
  native("TON", "ton", 9),
  native("ALGO", "algorand", 6),
  native("XTZ", "tezos", 6),
  native("HBAR", "hedera", 8),
  native("FIL", "filecoin", 18),

  // Ether pays for these networks too, but only one network can own the bare id.
  token("ETH", "base", 18, ""),
  token("ETH", "arbitrum", 18, ""),
  token("ETH", "optimism", 18, ""),
  token("ETH", "linea", 18, ""),
  token("ETH", "zksync", 18, ""),

  token("USDC", "ethereum", 6, "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"),
  token("USDC", "polygon", 6, "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359"),
  token("USDC", "bsc", 18, "0x8AC76a51cc950d9822D68b83fE1Ad97B32Cd580d"),
  token("USDC", "base", 6, "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"),
  token("USDC", "arbitrum", 6, "0xaf88d065e77c8cC2239327C5EDb3A432268e5831"),
  token("USDC", "optimism", 6, "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85"),
  token("USDC", "avalanche", 6, "0xB97EF9Ef8734C71904D8002F8b6Bc66Dd9c48a6E"),
  token("USDC", "solana", 6, "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"),
  token("USDC", "stellar", 7, "GA5ZSEJYB37JRC5AVCIA5MOP4RHTM335X2KGX3IHOJAPP5RE34K4KZVN"),
  token("USDT", "ethereum", 6, "0xdAC17F958D2ee523a2206206994597C13D831ec7"),
  token("USDT", "polygon", 6, "0xc2132D05D31c914a87C6611C10748AEb04B58e8F"),
  token("USDT", "bsc", 18, "0x55d398326f99059fF775485246999027B3197955"),
  token("USDT", "arbitrum", 6, "0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9"),
  token("USDT", "avalanche", 6, "0x9702230A8Ea53601f5cD2dc00fDBc13d4dF4A8c7"),
  token("USDT", "solana", 6, "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB"),
  token("USDT", "tron", 6, "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"),
  token("DAI", "ethereum", 18, "0x6B175474E89094C44Da98b954EedeAC495271d0F"),
  token("GUSD", "ethereum", 2, "0x056Fd409E1d7A124BD7017459dFEa2F387b6d5Cd"),
  token("CUSD", "celo", 18, "0x765DE816845861e75A25fCA122bb6898B8B1282a"),
  token("EURC", "ethereum", 6, "0x1aBaEA1f7C830bD89Acc67eC4af516284b1bC33c"),
  token("EURC", "base", 6, "0x60a3E35Cc302bFA44Cb288Bc5a4F316Fdb1adb42"),
  token("WBTC", "ethereum", 8, "0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599"),
  token("LINK", "ethereum", 18, "0x514910771AF9Ca656af840dff83E8264EcF986CA"),
  token("UNI", "ethereum", 18, "0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984"),
  token("AAVE", "ethereum", 18, "0x7Fc66500c84A76Ad7e9c93437bFc5Ac33E2DDaE9"),
  token("SHIB", "ethereum", 18, "0x95aD61b0a150d79219dCF64E1E6Cc01f0B64C4cE"),
  token("PEPE", "ethereum", 18, "0x6982508145454Ce325dDbE47a25d4ec3d2311933"),
  token("1INCH", "ethereum", 18, "0x111111111117dC0aa78b770fA6A738034120C302"),
  token("1INCH", "bsc", 18, "0x111111111117dC0aa78b770fA6A738034120C302"),
  token("MKR", "ethereum", 18, "0x9f8F72aA9304c8B593d555F12eF6589cC3A579A2"),
  token("ARB", "arbitrum", 18, "0x912CE59144191C1204E64559FE8253a0e49E6548"),
  token("OP", "optimism", 18, "0x4200000000000000000000000000000000000042"),
  token("BONK", "solana", 5, "DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263"),
];

function native(code: string, network: string, decimals: number): Asset {
  return asset(code.toLowerCase(), code, network, decimals, "");
}

function token(code: string, network: string, decimals: number, address: string): Asset {
  return asset(`${code.toLowerCase()}_${network}`, code, network, decimals, address);
}

function asset(id: string, code: string, networkId: string, decimals: number, address: string): Asset {
  const coin = coins[code];
  const network = networks.find((each) => each.id === networkId);
  if (!coin || !network) throw new TypeError(`${id} needs a coin and a network of the tables`);
  return {
    id,
    code,
    name: coin.name,
    symbol: code.toLowerCase(),
    network: network.id,
    networkDisplayName: network.displayName,
    chainId: network.chainId,
    decimals,
    address,
    usd: decimal(coin.usd),
    swingPpm: coin.swingPpm,
    trade: buyOnly.has(code) ? "buy" : sellOnly.has(code) ? "sell" : "both",
  };
}
