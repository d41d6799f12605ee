import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { assets } from "../../../src/sandbox/world/assets.ts";
import { networks } from "../../../src/sandbox/world/networks.ts";
import { keccak256 } from "../keccak.ts";

const familyOf = (network: string) => networks.find(({ id }) => id === network)?.family;
const tokensOf = (family: string) =>
  assets.filter((asset) => asset.address !== "" && familyOf(asset.network) === family);

describe("contract addresses carry their own checksums, so a typing error cannot hide", () => {
  test("keccak is the real one", () => {
    expect(keccak256(new Uint8Array()).toString("hex")).toBe(
      "c5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470",
    );
  });

  test.each(tokensOf("evm").map((asset) => [asset.id, asset.address]))("%s by EIP-55", (_, address) => {
    const plain = address.slice(2).toLowerCase();
    const hash = keccak256(Buffer.from(plain)).toString("hex");
    const checked = Array.from(plain, (letter, i) =>
      Number.parseInt(hash[i] ?? "0", 16) >= 8 ? letter.toUpperCase() : letter,
    );
    expect(address).toBe(`0x${checked.join("")}`);
  });

  test.each(tokensOf("tron").map((asset) => [asset.id, asset.address]))("%s by Base58Check", (_, address) => {
    const bytes = base58(address);
    expect(bytes).toHaveLength(25);
    expect(sha(sha(bytes.subarray(0, 21))).subarray(0, 4)).toEqual(bytes.subarray(21));
  });

  test.each(tokensOf("solana").map((asset) => [asset.id, asset.address]))("%s is 32 bytes", (_, address) => {
    expect(base58(address)).toHaveLength(32);
  });

  test.each(tokensOf("stellar").map((asset) => [asset.id, asset.address]))("%s by CRC-16", (_, address) => {
    const bytes = base32(address);
    expect(bytes).toHaveLength(35);
    expect(crc16(bytes.subarray(0, 33))).toBe(bytes.readUInt16LE(33));
  });
});

function base58(text: string): Buffer {
  const letters = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
  const value = Array.from(text).reduce((sum, letter) => sum * 58n + BigInt(letters.indexOf(letter)), 0n);
  const hex = value.toString(16);
  return Buffer.from(hex.padStart(hex.length + (hex.length % 2), "0"), "hex");
}

function base32(text: string): Buffer {
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = Array.from(text, (letter) => letters.indexOf(letter).toString(2).padStart(5, "0")).join("");
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}

function crc16(bytes: Uint8Array): number {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let i = 0; i < 8; i++) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : crc << 1;
  }
  return crc;
}

function sha(bytes: Uint8Array): Buffer {
  return createHash("sha256").update(bytes).digest();
}
