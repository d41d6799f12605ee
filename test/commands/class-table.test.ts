import { expect, test } from "vitest";
import { classTable, countClasses } from "../../src/commands/class-table.ts";
import { addDecimals, decimal, decimalDigitsMax } from "../../src/core/decimal.ts";
import type { ClassSum } from "../../src/store/books/summary.ts";

const sums: ClassSum[] = [
  { provider: "moonpay", currency: "EUR", class: "matched", transactions: 3, amount: "1234567.5" },
  { provider: "ramp", currency: "EUR", class: "matched", transactions: 1, amount: "0.25" },
  { provider: "ramp", currency: "EUR", class: "discrepant", transactions: 1, amount: "10" },
  { provider: "ramp", currency: "JPY", class: "pending", transactions: 2, amount: "900" },
];

test("one row a currency, each with its own minor units, and nothing added across", () => {
  expect(classTable(sums)).toBe(
    [
      "                matched   pending  discrepant  excluded",
      "  EUR  1,234,567.75 (4)  0.00 (0)   10.00 (1)  0.00 (0)",
      "  JPY             0 (0)   900 (2)       0 (0)     0 (0)",
    ].join("\n"),
  );
  expect(countClasses(sums)).toBe("4 matched, 2 pending, 1 discrepant, 0 excluded");
});

test("the largest currencies when there is room for few, and how many are left", () => {
  const lines = classTable(sums, { currenciesMax: 1 }).split("\n");
  expect(lines[1]).toMatch(/^ {2}EUR/);
  expect(lines[2]).toBe("  and 1 more: tieout reconcile shows all of them");
});

test("a sum with more digits than any amount may have is printed like any other", () => {
  const [sum] = sums;
  const longest = "9".repeat(decimalDigitsMax);
  const amount = addDecimals(decimal(longest), decimal(longest));
  expect(classTable(sum === undefined ? [] : [{ ...sum, amount }])).toContain("  EUR  199,999,");
});
