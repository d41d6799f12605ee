import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicaliseJson } from "../../src/core/canonical-json.ts";

test.each([
  ['{ "b" : 1.0, "a" : [ 1e0 , 1.00 ] }', '{"a":[1,1],"b":1}'],
  ["0.123456789012345678901234567890", "0.12345678901234567890123456789"],
  ["9007199254740993", "9007199254740993"],
  ["[-0, 1e-7, 1E+3]", "[0,0.0000001,1000]"],
  ['{"a":1,"a":2}', '{"a":2}'],
  ['{"__proto__":{"x":1},"constructor":2}', '{"__proto__":{"x":1},"constructor":2}'],
  ['"\\u00e9\\u0001\\/\\ud83d\\ude00"', '"é\\u0001/😀"'],
  ['{"":"","1":true,"10":null,"2":false}', '{"":"","1":true,"10":null,"2":false}'],
  ['"12 \\" 1.0 \\\\"', '"12 \\" 1.0 \\\\"'],
])("%s becomes %s", (text, canonical) => {
  expect(canonicaliseJson(text)).toBe(canonical);
});

test.each([
  "",
  "{",
  "{'a':1}",
  "NaN",
  "-Infinity",
  "01",
  "1.",
  ".5",
  "+1",
  "1.2.3",
  "1 2",
  '"a" "b"',
  "[1,]",
  "1e9999",
])("%j has no canonical form", (text) => {
  expect(canonicaliseJson(text)).toBeNull();
});

test("nesting beyond the stack is refused, not a crash", () => {
  expect(canonicaliseJson("[".repeat(200_000) + "]".repeat(200_000))).toBeNull();
});

describe("for any JSON value", () => {
  const jsonText = fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value));

  test("the canonical text means the same, unless a number is beyond all decimals", () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        const canonical = canonicaliseJson(text);
        fc.pre(canonical !== null || !/e[+-]\d{3}/.test(text));
        expect(sorted(JSON.parse(canonical ?? ""))).toEqual(
          sorted(JSON.parse(text.replace(/-0(?=[,}\]]|$)/g, "0"))),
        );
      }),
    );
  });

  test("white space and the order of keys make no difference", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 4 }), (value) => {
        const text = JSON.stringify(reversed(value), null, 3);
        expect(canonicaliseJson(text)).toBe(canonicaliseJson(JSON.stringify(value)));
      }),
    );
  });

  test("a canonical text is its own", () => {
    fc.assert(
      fc.property(jsonText, (text) => {
        const canonical = canonicaliseJson(text);
        fc.pre(canonical !== null);
        expect(canonicaliseJson(canonical)).toBe(canonical);
      }),
    );
  });
});

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toReversed()
      .map(([key, inner]) => [key, reversed(inner)]),
  );
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  const members = Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(members.map(([key, inner]) => [key, sorted(inner)]));
}
