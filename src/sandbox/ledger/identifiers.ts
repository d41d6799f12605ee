import { mix32 } from "../world/random.ts";
import type { ChainFamily, Network } from "../world/types.ts";

/**
 * What an identifier is made from: a purpose and a number. Each word of it is `mix32(key, value)`, which for one key
 * gives different results for different 32-bit values, so that two transactions never share an id by accident.
 */
export interface Origin {
  readonly key: number;
  readonly value: number;
}

/**
 * Texts that look as they do in the field. Checksums inside addresses are not computed: a reader may warn about a
 * format, and must not refuse it.
 */
export function chainHash(family: ChainFamily, of: Origin): string {
  switch (family) {
    case "evm":
    case "hex0x":
      return `0x${hex(64, of)}`;
    case "xrp":
    case "cosmos":
      return hex(64, of).toUpperCase();
    case "solana":
      return text(base58, 88, of);
    case "base58":
      return text(base58, 44, of);
    case "ton":
      return `${text(base64url, 43, of).replaceAll("-", "+").replaceAll("_", "/")}=`;
    case "algorand":
      return text(base32, 52, of);
    case "tezos":
      return `oo${text(base58, 49, of)}`;
    case "hedera":
      return `0.0.${100_000 + (word(of, 0) % 5_000_000)}-${1_600_000_000 + (word(of, 1) % 99_999_999)}-${word(of, 2) % 1_000_000_000}`;
    case "filecoin":
      return `bafy2bzace${text(base32, 52, of).toLowerCase()}`;
    case "utxo":
    case "tron":
    case "stellar":
    case "cardano":
      return hex(64, of);
    default:
      return family satisfies never;
  }
}

export function walletAddress(network: Network, of: Origin): string {
  switch (network.family) {
    case "evm":
      return `0x${hex(40, of)}`;
    case "utxo":
      return utxoAddress(network.id, of);
    case "solana":
      return text(base58, 44, of);
    case "tron":
      return `T${text(base58, 33, of)}`;
    case "stellar":
      return `G${text(base32, 55, of)}`;
    case "xrp":
      return `r${text(base58, 33, of)}`;
    case "cardano":
      return `addr1q${text(bech32, 97, of)}`;
    case "cosmos":
      return `cosmos1${text(bech32, 38, of)}`;
    case "base58":
      return network.id === "near" ? hex(64, of) : `0x${hex(64, of)}`;
    case "hex0x":
      return network.id === "polkadot" ? `1${text(base58, 46, of)}` : `0x${hex(64, of)}`;
    case "ton":
      return `UQ${text(base64url, 46, of)}`;
    case "algorand":
      return text(base32, 58, of);
    case "tezos":
      return `tz1${text(base58, 33, of)}`;
    case "hedera":
      return `0.0.${100_000 + (word(of, 0) % 5_000_000)}`;
    case "filecoin":
      return `f1${text(base32, 39, of).toLowerCase()}`;
    default:
      return network.family satisfies never;
  }
}

/** The provider's own id. Where it is a short number it holds the index itself: no two transactions may share it. */
export function providerTransactionId(provider: string, index: number, of: Origin): string {
  switch (provider) {
    case "banxa":
      return hex(32, of);
    case "transfi":
      return `OR-${2_100_000_000_000_000 + index * 977 + (word(of, 0) % 977)}`;
    case "guardarian":
      return String(4_000_000_000 + index);
    case "onrampmoney":
      return String(11_000_000 + index);
    case "alchemypay":
      return `10${String(index).padStart(11, "0")}${String(word(of, 0) % 1_000_000).padStart(6, "0")}`;
    case "stripe":
      return `cos_1${text(base58, 23, of)}`;
    case "koywe":
      return hex(24, of);
    case "mercuryo":
      return hex(20, of);
    default:
      return uuid(of);
  }
}

export function uuid(of: Origin): string {
  const digits = hex(32, of);
  const variant = "89ab".charAt(word(of, 4) & 3);
  return `${digits.slice(0, 8)}-${digits.slice(8, 12)}-4${digits.slice(13, 16)}-${variant}${digits.slice(17, 20)}-${digits.slice(20)}`;
}

const base58 = Buffer.from("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz");
const base32 = Buffer.from("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567");
const bech32 = Buffer.from("qpzry9x8gf2tvdw0s3jn54khce6mua7l");
const base64url = Buffer.from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");

const utxoForms: Readonly<Record<string, readonly [prefix: string, alphabet: Uint8Array, length: number]>> = {
  bitcoin: ["bc1q", bech32, 38],
  litecoin: ["ltc1q", bech32, 38],
  dogecoin: ["D", base58, 33],
  "bitcoin-cash": ["q", bech32, 41],
  dash: ["X", base58, 33],
  zcash: ["t1", base58, 33],
};

function utxoAddress(network: string, of: Origin): string {
  const [prefix, alphabet, length] = utxoForms[network] ?? ["1", base58, 33];
  return prefix + text(alphabet, length, of);
}

// Letters are put together in bytes and become a text in one go: adding up short texts costs several times as much.
const letters = Buffer.alloc(128);

function hex(length: number, of: Origin): string {
  for (let at = 0; at * 8 < length; at++) letters.writeUInt32LE(word(of, at), at * 4);
  return letters.toString("hex", 0, length / 2);
}

/** Four letters from each 32 bits. */
function text(alphabet: Uint8Array, length: number, of: Origin): string {
  const base = alphabet.length;
  for (let at = 0; at < length; at += 4) {
    const bits = word(of, at);
    for (let i = 0; i < 4; i++) letters[at + i] = alphabet[((bits >>> (8 * i)) & 0xff) % base] as number;
  }
  return letters.toString("latin1", 0, length);
}

function word({ key, value }: Origin, at: number): number {
  return mix32(key + Math.imul(at, 0x9e3779b1), value);
}
