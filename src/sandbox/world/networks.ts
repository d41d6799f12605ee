import { decimal } from "../../core/decimal.ts";
import type { ChainFamily, Network } from "./types.ts";

/** Id, display name, family, cost of one payment in US dollars, and the chain id where there is one. */
export const networks: readonly Network[] = [
  network("bitcoin", "Bitcoin", "utxo", "1.35"),
  network("litecoin", "Litecoin", "utxo", "0.01"),
  network("dogecoin", "Dogecoin", "utxo", "0.06"),
  network("bitcoin-cash", "Bitcoin Cash", "utxo", "0.01"),
  network("dash", "Dash", "utxo", "0.01"),
  network("zcash", "Zcash", "utxo", "0.02"),
  network("ethereum", "Ethereum", "evm", "0.92", 1),
  network("base", "Base", "evm", "0.01", 8453),
  network("arbitrum", "Arbitrum One", "evm", "0.02", 42161),
  network("optimism", "OP Mainnet", "evm", "0.02", 10),
  network("linea", "Linea", "evm", "0.02", 59144),
  network("zksync", "zkSync Era", "evm", "0.03", 324),
  network("polygon", "Polygon", "evm", "0.01", 137),
  network("bsc", "BNB Smart Chain", "evm", "0.04", 56),
  network("avalanche", "Avalanche C-Chain", "evm", "0.03", 43114),
  network("celo", "Celo", "evm", "0.01", 42220),
  network("ethereum-classic", "Ethereum Classic", "evm", "0.01", 61),
  network("solana", "Solana", "solana", "0.01"),
  network("tron", "Tron", "tron", "1.10"),
  network("stellar", "Stellar", "stellar", "0.01"),
  network("xrp", "XRP Ledger", "xrp", "0.01"),
  network("cardano", "Cardano", "cardano", "0.12"),
  network("cosmos", "Cosmos Hub", "cosmos", "0.02"),
  network("near", "NEAR", "base58", "0.01"),
  network("sui", "Sui", "base58", "0.01"),
  network("aptos", "Aptos", "hex0x", "0.01"),
  network("polkadot", "Polkadot", "hex0x", "0.05"),
  network("ton", "TON", "ton", "0.03"),
  network("algorand", "Algorand", "algorand", "0.01"),
  network("tezos", "Tezos", "tezos", "0.01"),
  network("hedera", "Hedera", "hedera", "0.01"),
  network("filecoin", "Filecoin", "filecoin", "0.01"),
];

function network(
  id: string,
  displayName: string,
  family: ChainFamily,
  feeUsd: string,
  chainId: number | null = null,
): Network {
  return { id, displayName, family, feeUsd: decimal(feeUsd), chainId };
}
