import { parse } from "lossless-json";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseDecimal } from "../../src/core/decimal.ts";
import {
  decimalFromWire,
  numberText,
  parseExactJson,
  writeExactJson,
} from "../../src/upstream/exact-json.ts";
import { cutNesting, isTooDeep, nestingMax, tooDeep } from "../../src/upstream/nesting.ts";

const digits = (min: number, max: number) =>
  fc.array(fc.nat({ max: 9 }), { minLength: min, maxLength: max }).map((each) => each.join(""));
/** Any number literal of JSON, short and long, with and without an exponent. */
const literal = fc
  .tuple(
    fc.constantFrom("", "-"),
    fc.oneof(
      fc.constant("0"),
      fc.tuple(fc.integer({ min: 1, max: 9 }), digits(0, 24)).map((p) => p.join("")),
    ),
    fc.option(digits(1, 24), { nil: "" }),
    fc.option(fc.tuple(fc.constantFrom("e", "E", "e-", "E+"), digits(1, 2)), { nil: null }),
  )
  .map(([sign, whole, fraction, exponent]) => {
    return sign + whole + (fraction === "" ? "" : `.${fraction}`) + (exponent?.join("") ?? "");
  });

const nested = (levels: number) => "[".repeat(levels) + "]".repeat(levels);

describe("exact numbers", () => {
  test("both parsers give one decimal for any literal, and it is the literal's own", () => {
    fc.assert(
      fc.property(literal, fc.constantFrom(" ", "", "\n"), (text, space) => {
        const expected = parseDecimal(text);
        const body = `{"amount":${space}${text}}`;
        // A long literal beside it sends the whole text to the slower parser.
        const slow = `{"long":0.1234567890123456789,"amount":${space}${text}}`;
        expect(decimalFromWire(amountIn(parseExactJson(body)))).toBe(expected);
        expect(decimalFromWire(amountIn(parseExactJson(slow)))).toBe(expected);
        expect(decimalFromWire(amountIn(parse(body)))).toBe(expected);
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    ["9007199254740993", "9007199254740993"],
    ["0.000000000000000001", "0.000000000000000001"],
    ["123456789.123456789012345678", "123456789.123456789012345678"],
    ["1e-7", "0.0000001"],
    ["-0", "0"],
    ["1.0", "1"],
    ["1.00", "1"],
    ['"0.00202087"', "0.00202087"],
    ['"68"', "68"],
  ])("%s is the amount %s", (text, expected) => {
    expect(decimalFromWire(amountIn(parseExactJson(`{"amount":${text}}`)))).toBe(expected);
  });

  test.each(['"1,200.50"', "null", "true", "{}", "[1]", '""', '" 1"', '"NaN"', "1e400", "1e-400", "-1e199"])(
    "%s is not an amount",
    (text) => {
      expect(decimalFromWire(amountIn(parseExactJson(`{"amount":${text}}`)))).toBeNull();
    },
  );

  test("what was read is written with the same digits", () => {
    const text = '{"a":0.1234567890123456789,"b":[12345678901234567890,"x"],"c":{"d":null}}';
    expect(writeExactJson(parseExactJson(text))).toBe(text);
  });

  test("an object that looks like an exact number is not taken for one", () => {
    expect(numberText(parseExactJson('{"isLosslessNumber":true,"value":"1"}'))).toBeNull();
  });
});

describe("the two parsers", () => {
  const long = '"long":0.1234567890123456789';

  test("of a repeated key the last value counts in both", () => {
    expect(amountIn(parseExactJson('{"amount":1,"amount":2}'))).toBe(2);
    expect(amountIn(parseExactJson(`{"amount":1,"amount":2,${long}}`))).toBe(2);
    expect(amountIn(parseExactJson(`{"amount":1,"amount":null,${long}}`))).toBeNull();
  });

  const broken = ["NaN", "01", "1.", "+1", "'a'", "undefined", "[1,]", "{a:1}", '"\t"', '"\\x"', "tru"];
  test.each(broken)("both refuse %s", (text) => {
    expect(() => parseExactJson(`{"amount":${text}}`)).toThrow(SyntaxError);
    expect(() => parseExactJson(`{${long},"amount":${text}}`)).toThrow(SyntaxError);
  });

  test("read any JSON value alike", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), (value) => {
        const inner = JSON.stringify(value);
        const quick: unknown = JSON.parse(inner);
        const slow = amountIn(parseExactJson(`{${long},"amount":${inner}}`));
        expect(JSON.stringify(JSON.parse(writeExactJson(slow)))).toBe(JSON.stringify(quick));
      }),
    );
  });
});

describe("nesting", () => {
  test("a text within the limit is returned as it is", () => {
    const text = nested(nestingMax);
    expect(cutNesting(text)).toBe(text);
  });

  test("what is deeper is replaced, and its neighbours stay", () => {
    const parsed = parseExactJson(`{"transactions":[{"deep":${nested(1000)}},{"flat":1}],"cursor":"c"}`);
    const { transactions } = parsed as { transactions: unknown[] };
    expect(transactions.map((each) => isTooDeep(each))).toEqual([true, false]);
    expect(parsed).toHaveProperty("cursor", "c");
  });

  test.each([31, 32, 33])("a record of %i levels is judged the same in a page and by itself", (levels) => {
    const record = `{"a":${nested(levels - 1)}}`;
    const inPage = parseExactJson(`{"transactions":[${record}]}`) as { transactions: unknown[] };
    expect(isTooDeep(parseExactJson(record))).toBe(levels > nestingMax);
    expect(isTooDeep(inPage.transactions[0])).toBe(levels > nestingMax);
  });

  test("a long number at the deepest allowed level is not a level of its own", () => {
    const deepest = `${"[".repeat(nestingMax)}0.1234567890123456789${"]".repeat(nestingMax)}`;
    expect(isTooDeep(parseExactJson(deepest))).toBe(false);
  });

  test("brackets in texts do not count, escaped quotes included", () => {
    const open = "[".repeat(100);
    const text = JSON.stringify({ a: `\\"\\"${open}`, b: "\\", c: open, d: '"{'.repeat(50), e: `"${open}` });
    expect(cutNesting(text)).toBe(text);
  });

  test("millions of levels neither end the stack nor take long, closed or not", () => {
    expect(isTooDeep(parseExactJson(nested(1_000_000)))).toBe(true);
    expect(() => parseExactJson("[".repeat(2_000_000))).toThrow(SyntaxError);
  });

  test("the mark of a cut cannot be sent as an ordinary text", () => {
    expect(isTooDeep({ a: tooDeep })).toBe(true);
  });
});

function amountIn(value: unknown): unknown {
  return (value as { amount: unknown }).amount;
}
