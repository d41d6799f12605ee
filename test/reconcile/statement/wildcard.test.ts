import { expect, test } from "vitest";
import { wildcard } from "../../../src/reconcile/statement/wildcard.ts";

test.each([
  ["weekly-*.csv", "Weekly-2026-05.CSV", true],
  ["weekly-*.csv", "weekly-.csv", true],
  ["weekly-*.csv", "weekly-1.csv.old", false],
  ["weekly-*.csv", "my weekly-1.csv", false],
  ["*total*", "Grand Total:", true],
  ["a*b*c", "a1c2b", false],
  ["a*b*c", "a-b-b-c", true],
  // What begins it does not end it as well.
  ["ab*b", "ab", false],
  ["ab*b", "abb", true],
  ["*", "", true],
  ["**", "anything", true],
  ["total", "TOTAL", true],
  ["total", "total 5", false],
  ["1.2*", "1x2", false],
])("%s fits %s: %s", (pattern, text, fits) => {
  expect(wildcard(pattern)(text)).toBe(fits);
});

test("many stars and a long text take no time", () => {
  expect(wildcard(`${"*a".repeat(30)}*b`)("a".repeat(50_000))).toBe(false);
});
