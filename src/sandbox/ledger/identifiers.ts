import { mix32 } from "../world/random.ts";
import { putText } from "./prepared-orders.ts";
import type { ChainFamily, Network } from "../world/types.ts";

/**
 * What an identifier is made from: a purpose and a number. Each word of it is `mix32(key, value)`, which for one key
 * gives different results for different 32-bit values, so that two transactions never share an id by accident.
 */
export interface Origin {
  readonly key: number;
  readonly value: number;
}

/** Writes a text at `at` and returns where it ends. */
type Writer = (out: Uint8Array, at: number) => number;

/**
 * Texts that look as they do in the field. Checksums inside addresses are not computed: a reader may warn about a
 * format, and must not refuse it.
 */
export function chainHash(family: ChainFamily, of: Origin): string {
  return asText((out, at) => writeChainHash(family, of, out, at));
}

export function walletAddress(network: Network, of: Origin): string {
  return asText((out, at) => writeWalletAddress(network, of, out, at));
}

/** The provider's own id. */
export function providerTransactionId(provider: string, index: number, of: Origin): string {
  return asText((out, at) => writeProviderId(provider, index, of, out, at));
}

export function uuid(of: Origin): string {
  return asText((out, at) => writeUuid(of, out, at));
}

export function writeChainHash(family: ChainFamily, of: Origin, out: Uint8Array, at: number): number {
  switch (family) {
    case "evm":
    case "hex0x":
      return hex(out, putText(out, at, "0x"), 64, of);
    case "xrp":
    case "cosmos":
      return hex(out, at, 64, of, upperHex);
    case "solana":
      return text(out, at, base58, 88, of);
    case "base58":
      return text(out, at, base58, 44, of);
    case "ton":
      return putText(out, text(out, at, base64, 43, of), "=");
    case "algorand":
      return text(out, at, base32, 52, of);
    case "tezos":
      return text(out, putText(out, at, "oo"), base58, 49, of);
    case "hedera": {
      const seconds = 1_600_000_000 + (word(of, 1) % 99_999_999);
      return putText(out, at, `${hederaAccount(of)}-${seconds}-${word(of, 2) % 1_000_000_000}`);
    }
    case "filecoin":
      return text(out, putText(out, at, "bafy2bzace"), lowerBase32, 52, of);
    case "utxo":
    case "tron":
    case "stellar":
    case "cardano":
      return hex(out, at, 64, of);
    default:
      return family satisfies never;
  }
}

export function writeWalletAddress(network: Network, of: Origin, out: Uint8Array, at: number): number {
  switch (network.family) {
    case "evm":
      return hex(out, putText(out, at, "0x"), 40, of);
    case "utxo": {
      const [prefix, alphabet, length] = utxoForms[network.id] ?? ["1", base58, 33];
      return text(out, putText(out, at, prefix), alphabet, length, of);
    }
    case "solana":
      return text(out, at, base58, 44, of);
    case "tron":
      return text(out, putText(out, at, "T"), base58, 33, of);
    case "stellar":
      return text(out, putText(out, at, "G"), base32, 55, of);
    case "xrp":
      return text(out, putText(out, at, "r"), base58, 33, of);
    case "cardano":
      return text(out, putText(out, at, "addr1q"), bech32, 97, of);
    case "cosmos":
      return text(out, putText(out, at, "cosmos1"), bech32, 38, of);
    case "base58":
      return hex(out, network.id === "near" ? at : putText(out, at, "0x"), 64, of);
    case "hex0x":
      return network.id === "polkadot"
        ? text(out, putText(out, at, "1"), base58, 46, of)
        : hex(out, putText(out, at, "0x"), 64, of);
    case "ton":
      return text(out, putText(out, at, "UQ"), base64url, 46, of);
    case "algorand":
      return text(out, at, base32, 58, of);
    case "tezos":
      return text(out, putText(out, at, "tz1"), base58, 33, of);
    case "hedera":
      return putText(out, at, hederaAccount(of));
    case "filecoin":
      return text(out, putText(out, at, "f1"), lowerBase32, 39, of);
    default:
      return network.family satisfies never;
  }
}

/** Where it is a short number it holds the index itself: no two transactions may share it. */
export function writeProviderId(
  provider: string,
  index: number,
  of: Origin,
  out: Uint8Array,
  at: number,
): number {
  switch (provider) {
    case "banxa":
      return hex(out, at, 32, of);
    case "transfi":
      return putText(out, at, `OR-${2_100_000_000_000_000 + index * 977 + (word(of, 0) % 977)}`);
    case "guardarian":
      return putText(out, at, String(4_000_000_000 + index));
    case "onrampmoney":
      return putText(out, at, String(11_000_000 + index));
    case "alchemypay": {
      const luck = String(word(of, 0) % 1_000_000).padStart(6, "0");
      return putText(out, at, `10${String(index).padStart(11, "0")}${luck}`);
    }
    case "stripe":
      return text(out, putText(out, at, "cos_1"), base58, 23, of);
    case "koywe":
      return hex(out, at, 24, of);
    case "mercuryo":
      return hex(out, at, 20, of);
    default:
      return writeUuid(of, out, at);
  }
}

/** 32 digits with version and variant in their places, moved apart to make room for the dashes. */
function writeUuid(of: Origin, out: Uint8Array, at: number): number {
  hex(out, at, 32, of);
  out[at + 12] = 0x34;
  out[at + 16] = variants[word(of, 4) & 3] as number;
  out.copyWithin(at + 24, at + 20, at + 32);
  out.copyWithin(at + 19, at + 16, at + 20);
  out.copyWithin(at + 14, at + 12, at + 16);
  out.copyWithin(at + 9, at + 8, at + 12);
  out[at + 8] = out[at + 13] = out[at + 18] = out[at + 23] = dash;
  return at + 36;
}

const variants = bytes("89ab");
const dash = 0x2d;

function hederaAccount(of: Origin): string {
  return `0.0.${100_000 + (word(of, 0) % 5_000_000)}`;
}

const lowerHex = bytes("0123456789abcdef");
const upperHex = bytes("0123456789ABCDEF");
const base58 = bytes("123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz");
const base32 = bytes("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567");
const lowerBase32 = bytes("abcdefghijklmnopqrstuvwxyz234567");
const bech32 = bytes("qpzry9x8gf2tvdw0s3jn54khce6mua7l");
const base64 = bytes("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/");
const base64url = bytes("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_");

const utxoForms: Readonly<Record<string, readonly [prefix: string, alphabet: Uint8Array, length: number]>> = {
  bitcoin: ["bc1q", bech32, 38],
  litecoin: ["ltc1q", bech32, 38],
  dogecoin: ["D", base58, 33],
  "bitcoin-cash": ["q", bech32, 41],
  dash: ["X", base58, 33],
  zcash: ["t1", base58, 33],
};

function bytes(letters: string): Uint8Array {
  return new Uint8Array(Buffer.from(letters));
}

function asText(write: Writer): string {
  return scratch.toString("latin1", 0, write(scratch, 0));
}

const scratch = Buffer.alloc(256);

/** Eight digits from each 32 bits, its lowest byte first. */
function hex(out: Uint8Array, start: number, length: number, of: Origin, digits = lowerHex): number {
  for (let at = 0; at < length; at += 8) {
    const bits = word(of, at >> 3);
    for (let i = 0; i < 4 && at + 2 * i < length; i++) {
      const byte = (bits >>> (8 * i)) & 0xff;
      out[start + at + 2 * i] = digits[byte >> 4] as number;
      out[start + at + 2 * i + 1] = digits[byte & 15] as number;
    }
  }
  return start + length;
}

/** Four letters from each 32 bits. */
function text(out: Uint8Array, start: number, alphabet: Uint8Array, length: number, of: Origin): number {
  const base = alphabet.length;
  for (let at = 0; at < length; at += 4) {
    const bits = word(of, at);
    for (let i = 0; i < 4 && at + i < length; i++) {
      out[start + at + i] = alphabet[((bits >>> (8 * i)) & 0xff) % base] as number;
    }
  }
  return start + length;
}

function word({ key, value }: Origin, at: number): number {
  return mix32(key + Math.imul(at, 0x9e3779b1), value);
}
