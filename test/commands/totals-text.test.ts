import { expect, test } from "vitest";
import { totalsText } from "../../src/commands/totals-text.ts";

const rest = "all totals are in receivable.csv.totals.json";
const first = ["opening", "closing", "unexplained"];
const currencies = Array.from({ length: 39 }, (_, at) => `C${String(at).padStart(2, "0")}`);
const columns = ["opening", "earned", "fees", "paid_out", "closing", "unexplained"];
const many = columns.flatMap((column) =>
  currencies.map((currency) => ({ column, currency, sum: column === "unexplained" ? "0" : "1200.5" })),
);

test("a few totals are shown one by one, as they are in the file", () => {
  expect(totalsText([{ column: "in_amount", currency: "eur", sum: "101" }], { first, rest })).toEqual([
    "in_amount 101 eur",
  ]);
});

test("what a report adds up apart is named, one by one and in a table", () => {
  const apart = ["processing_fee", "share"].map((group) => ({
    column: "closing",
    group,
    currency: "BRL",
    sum: "1",
  }));
  expect(totalsText(apart, { first, rest })).toEqual([
    "closing (processing_fee) 1 BRL",
    "closing (share) 1 BRL",
  ]);
  const lines = totalsText([...many.slice(0, 20), ...apart], { first: ["closing"], rest });
  expect(lines).toEqual(
    expect.arrayContaining(["BRL processing_fee     1.00", "BRL share              1.00"]),
  );
});

test("a currency that is not a code, but a long text, is cut", () => {
  const long = "x".repeat(5_000);
  const [line = ""] = totalsText([{ column: "in_amount", currency: long, sum: "101" }], { first, rest });
  expect(line).toMatch(/^in_amount 101 x{60}…$/);
  const lines = totalsText([...many, { column: "opening", currency: long, sum: "1" }], { first, rest });
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(120);
});

test("many totals become the balances of a screenful of currencies, and where the rest is", () => {
  const lines = totalsText(many, { first, rest });
  expect(lines.length).toBeLessThanOrEqual(15);
  expect(lines.slice(0, 2)).toEqual([
    "      opening   closing  unexplained",
    "C00  1,200.50  1,200.50         0.00",
  ]);
  expect(lines.at(-1)).toBe(`and 26 currencies and 3 columns more: ${rest}`);
});

test("a currency with something unexplained is never among those left out", () => {
  const wrong = many.map((one) =>
    one.column === "unexplained" && one.currency === "C38" ? { ...one, sum: "-0.01" } : one,
  );
  expect(totalsText(wrong, { first, rest })[1]).toBe("C38  1,200.50  1,200.50        -0.01");
});

test("a report without such columns shows its first ones", () => {
  const lines = totalsText(many, { first: undefined, rest });
  expect(lines[0]?.trim().split(/ +/)).toEqual(["opening", "earned", "fees"]);
});
