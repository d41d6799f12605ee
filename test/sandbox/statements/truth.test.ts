import { expect, test } from "vitest";
import { codesOfReversed } from "../../../src/sandbox/statements/cases.ts";
import { plant } from "../../../src/sandbox/statements/plant.ts";

/** The order's last record says failed, after it was completed. */
test.each([
  ["refund", ["status_reversed"]],
  ["chargeback", ["status_reversed"]],
  ["partial_refund", ["status_reversed", "status_mismatch"]],
  ["chargeback_reversed", ["status_reversed", "status_mismatch"]],
  ["excessive_refund", ["reversal_exceeds_original", "status_reversed", "status_mismatch"]],
  ["unlinked_refund", ["unlinked_reversal", "status_reversed", "status_mismatch"]],
] as const)("of an order that was undone later, %s leaves %j to find", (name, codes) => {
  expect(codesOfReversed(name)).toEqual(codes);
});

test("a second settlement is later than the first by what the file prints: by a day where it has no ids", () => {
  const secondAfterMs = (hasIds: boolean) => {
    const layout = { hasIds, hasReference: true, words: () => ({ settled: "paid", failed: "failed" }) };
    const setting = { world: { networkById: new Map() }, layout, luck: 1, otherReference: "other" };
    const line = { side: "buy", asset: { network: "none" }, reference: "ours", effectiveMs: 0 };
    const [, second] = plant("duplicate_settlement", line as never, setting as never);
    return second?.effectiveMs;
  };
  expect(secondAfterMs(true)).toBe(1_000);
  expect(secondAfterMs(false)).toBe(86_400_000);
});
