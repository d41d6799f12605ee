import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  compareInstants,
  formatInstant,
  type Instant,
  instantMs,
  parseInstant,
} from "../../src/core/instant.ts";

describe("parseInstant", () => {
  test.each([
    ["2023-07-28T07:56:42.012Z", "2023-07-28T07:56:42.012Z"],
    ["2023-07-28T07:56:42Z", "2023-07-28T07:56:42.000Z"],
    ["2023-07-28T07:56:42.5Z", "2023-07-28T07:56:42.500Z"],
    ["2023-07-28T07:56:42.012000Z", "2023-07-28T07:56:42.012Z"],
    ["2023-07-28T07:56:42.012345Z", "2023-07-28T07:56:42.012345Z"],
    ["2023-07-28T07:56:42.012345999Z", "2023-07-28T07:56:42.012345Z"],
    ["2023-07-28T09:56:42.012+02:00", "2023-07-28T07:56:42.012Z"],
    ["2023-07-28T02:26:42.012-0530", "2023-07-28T07:56:42.012Z"],
    ["2024-01-01T00:30:00+01:00", "2023-12-31T23:30:00.000Z"],
    ["2024-02-29T00:00:00Z", "2024-02-29T00:00:00.000Z"],
    ["2024-02-29T00:00:00.000Z", "2024-02-29T00:00:00.000Z"],
    ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"],
  ])("%s is %s", (text, expected) => {
    expect(parseInstant(text)).toBe(expected);
  });

  test.each([
    "1",
    "",
    "2023-07-28",
    "2023-07-28T07:56:42",
    "2023-07-28T07:56:42.012",
    "2023-07-28 07:56:42Z",
    "2023-07-28T07:56Z",
    "2023-02-30T00:00:00Z",
    "2023-02-29T00:00:00Z",
    "2023-02-29T00:00:00.000Z",
    "2023-04-31T00:00:00.000Z",
    "2023-07-28T24:00:00.000Z",
    "0000-01-01T00:00:00.000Z",
    "2023-13-01T00:00:00Z",
    "2023-07-28T24:00:00Z",
    "2023-07-28T23:59:60Z",
    "2023-07-28T07:56:42+25:00",
    "2023-07-28T07:56:42+01:60",
    "0000-01-01T00:00:00Z",
    "0001-01-01T00:00:00+01:00",
    "+010000-01-01T00:00:00Z",
    "Fri, 28 Jul 2023 07:56:42 GMT",
    "1690530902012",
    "2023-07-28T07:56:42.012Z ",
    "2023-07-28T07:56:42.012Z\n",
  ])("%j is not an instant", (text) => {
    expect(parseInstant(text)).toBeNull();
  });

  test("reads back every instant of a clock", () => {
    const clock = fc.integer({ min: Date.parse("0001-01-01"), max: Date.parse("9999-12-31") });
    fc.assert(
      fc.property(clock, (ms) => {
        const instant = formatInstant(ms);
        expect(parseInstant(instant)).toBe(instant);
        expect(instantMs(instant)).toBe(ms);
      }),
    );
  });
});

test("a clock beyond the years of four digits is our own mistake", () => {
  expect(() => formatInstant(Number.NaN)).toThrow(RangeError);
  expect(() => formatInstant(8.64e15)).toThrow(RangeError);
});

test("instants of any precision are ordered by time", () => {
  const micros = fc.bigInt({ min: 0n, max: 4_000_000_000_000_000n });
  const near = fc
    .tuple(micros, fc.bigInt({ min: -2000n, max: 2000n }))
    .map(([us, by]) => [us, us + by] as const);
  fc.assert(
    fc.property(fc.oneof(near, fc.tuple(micros, micros)), ([a, b]) => {
      fc.pre(b >= 0n);
      expect(compareInstants(instantOf(a), instantOf(b))).toBe(a < b ? -1 : a > b ? 1 : 0);
    }),
  );
});

function instantOf(us: bigint): Instant {
  const seconds = new Date(Number(us / 1_000_000n) * 1000).toISOString().slice(0, 19);
  const instant = parseInstant(`${seconds}.${String(us % 1_000_000n).padStart(6, "0")}Z`);
  if (instant === null) throw new Error("unreadable");
  return instant;
}
