import * as fc from "fast-check";
import { expect, test } from "vitest";
import { formatInstant } from "../../src/core/instant.ts";
import {
  compareStatusRows,
  foldStatus,
  isFinalStatus,
  isKnownStatus,
  statusRank,
} from "../../src/core/status.ts";

test.each([
  ["new", 10, false],
  ["pending", 20, false],
  ["paid", 30, false],
  ["canceled", 40, true],
  ["failed", 50, true],
  ["completed", 60, true],
  ["kyc_review", 0, false],
  ["constructor", 0, false],
])("%s has rank %i, final: %s", (status, rank, final) => {
  expect(statusRank(status)).toBe(rank);
  expect(isFinalStatus(status)).toBe(final);
  expect(isKnownStatus(status)).toBe(rank > 0);
});

test.each([
  ["in_progress", "pending"],
  ["cancelled", "canceled"],
  ["expired", "canceled"],
  ["declined", "failed"],
  ["success", "completed"],
  ["COMPLETED", "completed"],
  ["Cancelled", "canceled"],
  ["paid", "paid"],
])("the word %s stands for %s", (word, status) => {
  expect(foldStatus(word)).toBe(status);
});

test("a word we do not know is kept letter by letter, and open", () => {
  expect(foldStatus("KYC_Review")).toBe("KYC_Review");
  fc.assert(
    fc.property(fc.string(), (word) => {
      const status = foldStatus(word);
      expect(foldStatus(status)).toBe(status);
      expect(isKnownStatus(status) || (status === word && !isFinalStatus(status))).toBe(true);
    }),
  );
});

test("rows have one order, whatever order they arrived in", () => {
  const row = fc.record({
    statusDate: fc.nat({ max: 3 }).map((second) => formatInstant(second * 1000)),
    status: fc.constantFrom("new", "pending", "paid", "canceled", "failed", "completed", "unheard_of"),
    recordHash: fc.constantFrom("0a", "0b", "ff"),
  });
  fc.assert(
    fc.property(fc.array(row, { minLength: 1 }), fc.infiniteStream(fc.nat()), (rows, keys) => {
      const shuffled = rows
        .map((each) => ({ each, key: keys.next().value as number }))
        .toSorted((a, b) => a.key - b.key)
        .map(({ each }) => each);
      expect(shuffled.toSorted(compareStatusRows)).toEqual(rows.toSorted(compareStatusRows));
      for (const a of rows) {
        for (const b of rows)
          expect(Math.sign(compareStatusRows(a, b)) + Math.sign(compareStatusRows(b, a))).toBe(0);
      }
    }),
  );
});

test("the later date wins over any rank, and a known word over an unknown one of the same date", () => {
  const [early, late] = [formatInstant(1000), formatInstant(2000)];
  const completed = { statusDate: early, status: "completed", recordHash: "ff" };
  expect(compareStatusRows({ statusDate: late, status: "new", recordHash: "00" }, completed)).toBeGreaterThan(
    0,
  );
  expect(compareStatusRows({ statusDate: early, status: "zzz", recordHash: "ff" }, completed)).toBeLessThan(
    0,
  );
});
