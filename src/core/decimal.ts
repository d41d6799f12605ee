/**
 * Exact decimals. A `Decimal` is a canonical string — no exponent, no leading or trailing zeros, no `-0` — so that
 * equal amounts are `===`, and JSON, CSV and SQL can carry it untouched. Inside the functions below it is a bigint of
 * units and a scale; nothing here ever becomes a binary float.
 */
export type Decimal = string & { readonly brand: "decimal" };

/** More digits than any amount has, and few enough that a hostile exponent cannot fill the memory. */
export const decimalDigitsMax = 200;

/** Already canonical, as most amounts are: nothing to compute. */
const plainForm = /^(?:0|-?[1-9]\d{0,17}|-?(?:0|[1-9]\d{0,17})\.\d{0,17}[1-9])$/;
const decimalForm = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/;

/** Reads a decimal as people and machines write it, exponents included; `null` when the text is not one. */
export function parseDecimal(text: string): Decimal | null {
  if (plainForm.test(text)) return text as Decimal;
  return text.length > decimalDigitsMax ? null : parseUpTo(decimalDigitsMax, text);
}

function parseUpTo(digitsMax: number, text: string): Decimal | null {
  const found = decimalForm.exec(text);
  if (!found) return null;
  const [, sign, whole = "", fraction = "", exponent = "0"] = found;
  if (whole === "" && fraction === "") return null;
  const scale = fraction.length - Number(exponent);
  if (Math.abs(scale) > digitsMax) return null;
  const units = BigInt(whole + fraction) * (sign === "-" ? -1n : 1n);
  const parsed = decimalFromUnits(scale < 0 ? units * 10n ** BigInt(-scale) : units, Math.max(scale, 0));
  // An exponent may unfold into more digits than would be read back.
  return parsed.length > digitsMax ? null : parsed;
}

/**
 * For literals and for values that were checked before: a text that is not a decimal is our own mistake. A sum of checked
 * values may have more digits than any of them.
 */
export function decimal(text: string | bigint | number): Decimal {
  const parsed = parseUpTo(Number.POSITIVE_INFINITY, String(text));
  if (parsed === null) throw new TypeError(`not a decimal: ${JSON.stringify(String(text).slice(0, 40))}`);
  return parsed;
}

export const zero = "0" as Decimal;

export function addDecimals(a: Decimal, b: Decimal): Decimal {
  const [left, right, scale] = align(a, b);
  return decimalFromUnits(left + right, scale);
}

export function subtractDecimals(a: Decimal, b: Decimal): Decimal {
  const [left, right, scale] = align(a, b);
  return decimalFromUnits(left - right, scale);
}

export function sumDecimals(amounts: Iterable<Decimal>): Decimal {
  let sum = zero;
  for (const amount of amounts) sum = addDecimals(sum, amount);
  return sum;
}

export function multiplyDecimals(a: Decimal, b: Decimal): Decimal {
  const left = toUnits(a);
  const right = toUnits(b);
  return decimalFromUnits(left.units * right.units, left.scale + right.scale);
}

/** A quotient has no end, so the caller says after how many places it is cut. Rounds toward zero. */
export function divideDecimals(a: Decimal, b: Decimal, options: { places: number }): Decimal {
  const left = toUnits(a);
  const right = toUnits(b);
  if (right.units === 0n) throw new RangeError("division by zero");
  const shift = options.places + right.scale - left.scale;
  const units =
    shift >= 0
      ? (left.units * 10n ** BigInt(shift)) / right.units
      : left.units / (right.units * 10n ** BigInt(-shift));
  return decimalFromUnits(units, options.places);
}

export function compareDecimals(a: Decimal, b: Decimal): -1 | 0 | 1 {
  const [left, right] = align(a, b);
  return left < right ? -1 : left > right ? 1 : 0;
}

export function negateDecimal(a: Decimal): Decimal {
  if (a === zero) return a;
  return (a.startsWith("-") ? a.slice(1) : `-${a}`) as Decimal;
}

export function absDecimal(a: Decimal): Decimal {
  return a.startsWith("-") ? negateDecimal(a) : a;
}

/** How many digits stand behind the point. */
export function placesOf(a: Decimal): number {
  return a.split(".")[1]?.length ?? 0;
}

/** Cuts toward zero: what a chain or a provider does when it cannot pay a fraction of the smallest unit. */
export function truncateDecimal(a: Decimal, places: number): Decimal {
  const { units, scale } = toUnits(a);
  return scale <= places ? a : decimalFromUnits(units / 10n ** BigInt(scale - places), places);
}

/** Half away from zero, as money is rounded to its minor unit. */
export function roundDecimal(a: Decimal, places: number): Decimal {
  const { units, scale } = toUnits(a);
  if (scale <= places) return a;
  const step = 10n ** BigInt(scale - places);
  const half = units < 0n ? -step / 2n : step / 2n;
  return decimalFromUnits((units + half) / step, places);
}

function align(a: Decimal, b: Decimal): [bigint, bigint, number] {
  const left = toUnits(a);
  const right = toUnits(b);
  const scale = Math.max(left.scale, right.scale);
  return [
    left.units * 10n ** BigInt(scale - left.scale),
    right.units * 10n ** BigInt(scale - right.scale),
    scale,
  ];
}

function toUnits(a: Decimal): { units: bigint; scale: number } {
  const point = a.indexOf(".");
  if (point < 0) return { units: BigInt(a), scale: 0 };
  return { units: BigInt(a.slice(0, point) + a.slice(point + 1)), scale: a.length - point - 1 };
}

const zeroDigit = 0x30;

/** An amount given in the smallest unit of its currency: 1234 with 2 places is 12.34. */
export function decimalFromUnits(units: bigint, scale: number): Decimal {
  if (units === 0n) return zero;
  const sign = units < 0n ? "-" : "";
  const digits = (units < 0n ? -units : units).toString().padStart(scale + 1, "0");
  const point = digits.length - scale;
  let end = digits.length;
  while (end > point && digits.charCodeAt(end - 1) === zeroDigit) end--;
  const whole = sign + digits.slice(0, point);
  return (end === point ? whole : `${whole}.${digits.slice(point, end)}`) as Decimal;
}
