import { createHash } from "node:crypto";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { recordHash } from "../../src/core/record-hash.ts";
import { parseExactJson } from "../../src/upstream/exact-json.ts";
import { normaliseRecord } from "../../src/upstream/normalise.ts";

describe("a hash that is nearly right", () => {
  const sha = (text: string) => createHash("sha256").update(text).digest("hex");
  const spellings = (amount: string) => [
    `{"transactionId":"t","status":"completed","statusDate":"2026-03-01T00:00:00.000Z","inAmount":${amount}}`,
    `{ "inAmount": ${amount}0, "statusDate":"2026-03-01T00:00:00Z", "status":"completed", "transactionId":"t" }`,
  ];
  /** Whether it breaks the law: one record in two spellings is one, two records are two. */
  const breaks = (hash: (text: string) => string) =>
    fc.check(
      fc.property(fc.nat(999), fc.nat(999), (a, b) => {
        const [one, other] = [a, b].map((digits) => spellings(`1.${digits + 1}`).map(hash));
        expect(new Set(one).size).toBe(1);
        expect(one?.[0] === other?.[0]).toBe(`${a + 1}`.replace(/0+$/, "") === `${b + 1}`.replace(/0+$/, ""));
      }),
    ).failed;

  const normalised = (text: string) => {
    const outcome = normaliseRecord(parseExactJson(text));
    if (outcome.kind !== "record") throw new Error(text);
    return outcome.record;
  };

  test("is caught by its law, and ours is not", () => {
    expect(breaks((text) => recordHash(normalised(text)))).toBe(false);
    // Depends on the order of keys, on white space and on trailing zeros.
    expect(breaks(sha)).toBe(true);
    expect(breaks((text) => sha(JSON.stringify(JSON.parse(text))))).toBe(true);
    expect(breaks((text) => sha(/"inAmount": ?([\d.]+)/.exec(text)?.[1] ?? ""))).toBe(true);
    // Leaves out the amount.
    expect(breaks((text) => recordHash({ ...normalised(text), inAmount: null }))).toBe(true);
  });
});
