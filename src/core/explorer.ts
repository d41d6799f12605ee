/** Where a chain's transaction can be looked at by anyone. Explorers are named by network; a network without one has no link. */
import { parseAsset } from "./asset.ts";

/** `null` if the currency does not name its network, or no explorer covers that network. */
export function explorerUrl(currency: string, transactionHash: string): string | null {
  const { network } = parseAsset(currency);
  const explorer = network === null ? undefined : explorers.get(network);
  if (explorer === undefined || !mayBeHash.test(transactionHash)) return null;
  return explorer.address.replace("{h}", encodeURIComponent(explorer.spell(transactionHash)));
}

/** Odd forms occur in practice, and a dead link is harmless; but a sentence is not a hash. */
const mayBeHash = /^[0-9A-Za-z+/=_.@-]{8,128}$/;

interface Explorer {
  /** With `{h}` for the hash. */
  address: string;
  spell: (hash: string) => string;
}

const asIs = (hash: string) => hash;
const bareHex = (hash: string) => hash.toLowerCase().replace(/^0x/, "");
const prefixedHex = (hash: string) => `0x${bareHex(hash)}`;
const upperHex = (hash: string) => bareHex(hash).toUpperCase();

const evmHosts = {
  ethereum: "etherscan.io",
  base: "basescan.org",
  arbitrum: "arbiscan.io",
  optimism: "optimistic.etherscan.io",
  linea: "lineascan.build",
  zksync: "explorer.zksync.io",
  polygon: "polygonscan.com",
  bsc: "bscscan.com",
  avalanche: "snowtrace.io",
  celo: "explorer.celo.org",
  fantom: "ftmscan.com",
  cronos: "cronoscan.com",
  ronin: "explorer.roninchain.com",
};

const blockchair = (network: string) => `https://blockchair.com/${network}/transaction/{h}`;
const mintscan = (network: string) => `https://mintscan.io/${network}/txs/{h}`;

const explorers: ReadonlyMap<string, Explorer> = new Map(
  Object.entries({
    bitcoin: { address: "https://mempool.space/tx/{h}", spell: bareHex },
    litecoin: { address: blockchair("litecoin"), spell: bareHex },
    dogecoin: { address: blockchair("dogecoin"), spell: bareHex },
    dash: { address: blockchair("dash"), spell: bareHex },
    "bitcoin-cash": { address: blockchair("bitcoin-cash"), spell: bareHex },
    zcash: { address: blockchair("zcash"), spell: bareHex },
    ...Object.fromEntries(
      Object.entries(evmHosts).map(([network, host]) => [
        network,
        { address: `https://${host}/tx/{h}`, spell: prefixedHex },
      ]),
    ),
    // Base58, base32 and base64 are never folded: there the case is part of the value.
    solana: { address: "https://solscan.io/tx/{h}", spell: asIs },
    near: { address: "https://nearblocks.io/txns/{h}", spell: asIs },
    sui: { address: "https://suiscan.xyz/mainnet/tx/{h}", spell: asIs },
    tron: { address: "https://tronscan.org/#/transaction/{h}", spell: bareHex },
    stellar: { address: blockchair("stellar"), spell: bareHex },
    cardano: { address: "https://cardanoscan.io/transaction/{h}", spell: bareHex },
    xrp: { address: "https://bithomp.com/explorer/{h}", spell: upperHex },
    cosmos: { address: mintscan("cosmos"), spell: upperHex },
    osmosis: { address: mintscan("osmosis"), spell: upperHex },
    kava: { address: mintscan("kava"), spell: upperHex },
    aptos: { address: "https://explorer.aptoslabs.com/txn/{h}", spell: prefixedHex },
    polkadot: { address: "https://assethub-polkadot.subscan.io/extrinsic/{h}", spell: prefixedHex },
    ton: { address: "https://tonviewer.com/transaction/{h}", spell: asIs },
    algorand: { address: "https://allo.info/tx/{h}", spell: asIs },
    tezos: { address: "https://tzstats.com/{h}", spell: asIs },
    hedera: { address: "https://hashscan.io/mainnet/transaction/{h}", spell: asIs },
    filecoin: { address: "https://filfox.info/en/message/{h}", spell: asIs },
  } satisfies Record<string, Explorer>),
);
