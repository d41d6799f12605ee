import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  absDecimal,
  addDecimals,
  compareDecimals,
  type Decimal,
  decimal,
  decimalDigitsMax,
  decimalFromUnits,
  divideDecimals,
  multiplyDecimals,
  negateDecimal,
  parseDecimal,
  roundDecimal,
  subtractDecimals,
  sumDecimals,
  truncateDecimal,
  zero,
} from "../../src/core/decimal.ts";

const anyDecimal = fc
  .tuple(fc.bigInt({ min: -(10n ** 40n), max: 10n ** 40n }), fc.nat({ max: 30 }))
  .map(([units, places]) => decimalFromUnits(units, places));
const notZero = anyDecimal.filter((a) => a !== zero);

describe("reading", () => {
  test.each([
    ["68", "68"],
    ["0.00202087", "0.00202087"],
    ["1e-7", "0.0000001"],
    ["1E+21", "1000000000000000000000"],
    ["1.0", "1"],
    ["1.00", "1"],
    ["-0", "0"],
    ["-0.000", "0"],
    ["007.50", "7.5"],
    ["+5", "5"],
    [".5", "0.5"],
    ["5.", "5"],
    ["9007199254740993", "9007199254740993"],
    ["123456789.123456789012345678", "123456789.123456789012345678"],
  ])("%s is read as %s", (text, expected) => {
    expect(parseDecimal(text)).toBe(expected);
  });

  test.each([
    "",
    ".",
    "-",
    "e5",
    "1,200.50",
    " 1",
    "1 ",
    "0x10",
    "NaN",
    "Infinity",
    "1e",
    "1e5.5",
    "٣",
    "--1",
  ])("%j is not a decimal", (text) => {
    expect(parseDecimal(text)).toBeNull();
    expect(() => decimal(text)).toThrow(TypeError);
  });

  test("a longer text than any amount is none of an amount, but may be the sum of several", () => {
    const text = "9".repeat(decimalDigitsMax + 1);
    expect(parseDecimal(text)).toBeNull();
    expect(decimal(text)).toBe(text);
  });

  test("an exponent that would fill the memory is refused", () => {
    expect(parseDecimal("1e9999")).toBeNull();
    expect(parseDecimal("1e-9999")).toBeNull();
    expect(parseDecimal("9".repeat(decimalDigitsMax + 1))).toBeNull();
    expect(parseDecimal("9".repeat(decimalDigitsMax))).toBe("9".repeat(decimalDigitsMax));
  });

  test("a decimal parses to itself", () => {
    fc.assert(
      fc.property(anyDecimal, (a) => {
        expect(parseDecimal(a)).toBe(a);
      }),
    );
  });

  test("the same value has one text, however it is written", () => {
    fc.assert(
      fc.property(
        fc.bigInt(),
        fc.integer({ min: -20, max: 20 }),
        fc.nat({ max: 5 }),
        (units, exponent, zeros) => {
          const shifted = parseDecimal(`${units}${"0".repeat(zeros)}e${exponent - zeros}`);
          expect(shifted).toBe(parseDecimal(`${units}e${exponent}`));
        },
      ),
    );
  });

  test("a double written by JavaScript is read exactly", () => {
    fc.assert(
      fc.property(fc.double({ noDefaultInfinity: true, noNaN: true, min: -1e150, max: 1e150 }), (value) => {
        const parsed = parseDecimal(String(value));
        // Beyond 200 places there is no decimal: so small a double is none of money's.
        expect(parsed === null ? Math.abs(value) < 1e-150 : Number(parsed) === value).toBe(true);
      }),
    );
  });
});

describe("laws", () => {
  test("(a + b) − b = a", () => {
    fc.assert(
      fc.property(anyDecimal, anyDecimal, (a, b) => {
        expect(subtractDecimals(addDecimals(a, b), b)).toBe(a);
      }),
    );
  });

  test("addition and multiplication commute, associate and distribute", () => {
    fc.assert(
      fc.property(anyDecimal, anyDecimal, anyDecimal, (a, b, c) => {
        expect(addDecimals(a, b)).toBe(addDecimals(b, a));
        expect(multiplyDecimals(a, b)).toBe(multiplyDecimals(b, a));
        expect(addDecimals(addDecimals(a, b), c)).toBe(addDecimals(a, addDecimals(b, c)));
        expect(multiplyDecimals(a, addDecimals(b, c))).toBe(
          addDecimals(multiplyDecimals(a, b), multiplyDecimals(a, c)),
        );
      }),
    );
  });

  test("a sum does not depend on the order of its amounts", () => {
    fc.assert(
      fc.property(fc.array(anyDecimal), (amounts) => {
        expect(sumDecimals(amounts.toReversed())).toBe(sumDecimals(amounts));
      }),
    );
  });

  test("order agrees with subtraction", () => {
    fc.assert(
      fc.property(anyDecimal, anyDecimal, (a, b) => {
        expect(compareDecimals(a, b)).toBe(signOf(subtractDecimals(a, b)));
      }),
    );
  });

  test("equal amounts are one string", () => {
    fc.assert(
      fc.property(anyDecimal, anyDecimal, (a, b) => {
        expect(compareDecimals(a, b) === 0).toBe(a === b);
      }),
    );
  });

  test("negating twice changes nothing, and an absolute amount is never negative", () => {
    fc.assert(
      fc.property(anyDecimal, (a) => {
        expect(negateDecimal(negateDecimal(a))).toBe(a);
        expect(addDecimals(a, negateDecimal(a))).toBe(zero);
        expect(compareDecimals(absDecimal(a), zero)).not.toBe(-1);
      }),
    );
  });

  test("a quotient is cut below the exact one by less than its last place", () => {
    fc.assert(
      fc.property(anyDecimal, notZero, fc.nat({ max: 20 }), (a, b, places) => {
        const quotient = divideDecimals(a, b, { places });
        const rest = absDecimal(subtractDecimals(a, multiplyDecimals(quotient, b)));
        const lastPlace = absDecimal(multiplyDecimals(b, decimalFromUnits(1n, places)));
        expect(compareDecimals(rest, lastPlace)).toBe(-1);
        expect(compareDecimals(absDecimal(multiplyDecimals(quotient, b)), absDecimal(a))).not.toBe(1);
      }),
    );
  });

  test("truncating and rounding stay within one place, and leave a short amount alone", () => {
    fc.assert(
      fc.property(anyDecimal, fc.nat({ max: 20 }), (a, places) => {
        const place = decimalFromUnits(1n, places);
        const cut = absDecimal(subtractDecimals(a, truncateDecimal(a, places)));
        expect(compareDecimals(cut, place)).toBe(-1);
        const half = divideDecimals(place, decimal(2), { places: places + 1 });
        expect(compareDecimals(absDecimal(subtractDecimals(a, roundDecimal(a, places))), half)).not.toBe(1);
        expect(truncateDecimal(truncateDecimal(a, places), places)).toBe(truncateDecimal(a, places));
      }),
    );
  });
});

test("money is rounded half away from zero", () => {
  expect(roundDecimal(decimal("2.345"), 2)).toBe("2.35");
  expect(roundDecimal(decimal("-2.345"), 2)).toBe("-2.35");
  expect(roundDecimal(decimal("2.344999"), 2)).toBe("2.34");
  expect(roundDecimal(decimal("0.004"), 2)).toBe("0");
});

test("a chain cuts toward zero", () => {
  expect(truncateDecimal(decimal("0.0101317"), 5)).toBe("0.01013");
  expect(truncateDecimal(decimal("-0.0101317"), 5)).toBe("-0.01013");
});

test("dividing by zero is our own mistake", () => {
  expect(() => divideDecimals(decimal(1), zero, { places: 2 })).toThrow(RangeError);
});

function signOf(a: Decimal): -1 | 0 | 1 {
  if (a === zero) return 0;
  return a.startsWith("-") ? -1 : 1;
}
