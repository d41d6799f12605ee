import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { hashApiKey, makeApiKey, parseApiKey } from "../../src/core/api-key.ts";
import { effectiveScopes } from "../../src/core/roles.ts";
import { scopes } from "../../src/core/scopes.ts";

test("a key has its documented form and is read back into its parts", () => {
  const key = makeApiKey(randomBytes);
  expect(key).toMatch(/^tieout_[0-9A-Za-z]{8}_[0-9A-Za-z]{36}$/);
  const [, id, secret] = key.split("_");
  expect(parseApiKey(key)).toEqual({ id, secret });
});

test("no two keys are alike", () => {
  const keys = Array.from({ length: 1_000 }, () => makeApiKey(randomBytes));
  expect(new Set(keys).size).toBe(1_000);
});

test("one wrong character anywhere is found without asking the database", () => {
  const key = makeApiKey(randomBytes);
  for (let at = 0; at < key.length; at++) {
    const wrong = key[at] === "x" ? "y" : "x";
    expect(parseApiKey(key.slice(0, at) + wrong + key.slice(at + 1))).toBeNull();
  }
});

test.each([
  "",
  "tieout_",
  "tieout_12345678_",
  `${makeApiKey(randomBytes)} `,
  makeApiKey(randomBytes).toUpperCase(),
])("%j is not a key", (text) => {
  expect(parseApiKey(text)).toBeNull();
});

test("every character of the alphabet is used, none much more often than another", () => {
  const counts = new Map<string, number>();
  for (let round = 0; round < 1_000; round++) {
    for (const letter of makeApiKey(randomBytes).slice(16, 46))
      counts.set(letter, (counts.get(letter) ?? 0) + 1);
  }
  // 30 000 letters over 62: 484 each, and 6 standard deviations are about 130.
  expect(counts.size).toBe(62);
  for (const count of counts.values()) expect(Math.abs(count - 484)).toBeLessThan(140);
});

test("the checksum is CRC32 over all that stands before it, as base62", () => {
  const zeros = makeApiKey((count) => new Uint8Array(count));
  expect(zeros.slice(0, 46)).toBe(`tieout_00000000_${"0".repeat(30)}`);
  expect(zeros.slice(46)).toBe(checksumOf(zeros.slice(0, 46)));
});

/** Computed bit by bit, as the definition of CRC32 says, instead of by the library that is tested. */
function checksumOf(text: string): string {
  let crc = 0xff_ff_ff_ff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xed_b8_83_20 : crc >>> 1;
  }
  let left = (crc ^ 0xff_ff_ff_ff) >>> 0;
  let digits = "";
  for (let place = 0; place < 6; place++) {
    digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".charAt(left % 62) + digits;
    left = Math.floor(left / 62);
  }
  return digits;
}

test("only a hash is kept, and it does not hold the key", () => {
  const key = makeApiKey(randomBytes);
  expect(hashApiKey(key)).toHaveLength(32);
  expect(hashApiKey(key).toString("latin1")).not.toContain(key.slice(16, 24));
});

test("roles grow from viewer to admin, and named scopes come on top", () => {
  expect(effectiveScopes("viewer", [])).toEqual(["transactions:read", "reconcile:read"]);
  expect(effectiveScopes("accountant", [])).toEqual(
    expect.arrayContaining(["wallets:read", "exports:write", "statements:write", "reconcile:write"]),
  );
  expect(effectiveScopes("accountant", [])).not.toContain("keys:write");
  expect(effectiveScopes("admin", [])).toEqual([...scopes]);
  expect(effectiveScopes("viewer", ["metrics:read", "nonsense"])).toEqual([
    "transactions:read",
    "reconcile:read",
    "metrics:read",
  ]);
  expect(effectiveScopes("custom", ["metrics:read"])).toEqual(["metrics:read"]);
});
