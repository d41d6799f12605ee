/** How figures and times are spelled for people. The exact value always stands beside or behind it. */
import { type Asset, minorUnits, parseAsset } from "../core/asset.ts";
import { groupDigits } from "../core/counted.ts";
import { decimal, roundDecimal } from "../core/decimal.ts";
import { isFiat } from "../core/fiat.ts";
import { localMs, zoneNamed } from "../core/zone.ts";

/**
 * `1204.5` of EUR as `1,204.50`; `0.00152087` of BTC as it is. Digits are grouped and filled up to the minor unit, and
 * never cut: 18 decimals are shown as 18.
 */
export function formatAmount(amount: string, currency: string | null): string {
  const { whole, fraction } = amountParts(amount, currency);
  return whole + fraction;
}

/** `5134.4351` of EUR as `5,134.44`: for a headline, with the exact amount behind it. */
export function formatRounded(amount: string, currency: string): string {
  return formatAmount(roundDecimal(decimal(amount), minorUnits(currency)), currency);
}

export interface AmountParts {
  whole: string;
  /** With its point, or empty. */
  fraction: string;
}

function amountParts(amount: string, currency: string | null): AmountParts {
  const [, sign = "", whole = amount, fraction = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? [];
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ",");
  const places = currency !== null && isFiat(currency) ? minorUnits(currency) : 0;
  const filled = fraction.padEnd(places, "0");
  // A true minus sign: as wide as a digit, and never mistaken for a hyphen.
  return { whole: `${sign === "-" ? "−" : ""}${grouped}`, fraction: filled === "" ? "" : `.${filled}` };
}

/** Of a coin: more digits than this are noise; chains write up to 18. */
const coinPlaces = 8;

/**
 * For tables: a currency to its minor unit, a coin to 8 decimals, and more only where all of those are zeros. `isCut`: there
 * are more digits.
 */
export function shortAmount(amount: string, currency: string | null): AmountParts & { isCut: boolean } {
  const parts = amountParts(amount, currency);
  const leadingZeros = /^0?\.(0*)/.exec(parts.fraction)?.[1]?.length ?? 0;
  const usual = currency !== null && isFiat(currency) ? minorUnits(currency) : coinPlaces;
  const places = leadingZeros < usual ? usual : leadingZeros + 2;
  if (parts.fraction.length <= places + 1) return { ...parts, isCut: false };
  return { whole: parts.whole, fraction: `${parts.fraction.slice(0, places + 1)}…`, isCut: true };
}

export function formatCount(count: number | string): string {
  return groupDigits(count);
}

/** A part of a whole as per cent, cut rather than rounded: 99.99 % is not all of it. */
export function formatShare(part: number, whole: number): string {
  if (whole === 0) return "–";
  const tenths = Math.floor((part / whole) * 1_000);
  return `${Math.floor(tenths / 10)}.${tenths % 10} %`;
}

/** `usdc_base` as its code and its network; a word of another form as it is. */
export function currencyParts(currency: string): { code: string; network: string | null } {
  if (!/^[A-Za-z0-9]{2,12}([_-][A-Za-z0-9-]{2,24})?$/.test(currency))
    return { code: currency, network: null };
  const { code, network }: Asset = parseAsset(currency);
  return { code: code.toUpperCase(), network: /[_-]/.test(currency) ? network : null };
}

/** `2h 5m`: two units are enough to judge an age by. */
export function formatAge(seconds: number): string {
  const units = [
    ["d", 86_400],
    ["h", 3_600],
    ["m", 60],
    ["s", 1],
  ] as const;
  const at = units.findIndex(([, size]) => seconds >= size);
  if (at < 0) return "0s";
  const [unit, size] = units[at] ?? units[3];
  const whole = Math.floor(seconds / size);
  const next = units[at + 1];
  const rest = next === undefined ? 0 : Math.floor((seconds - whole * size) / next[1]);
  return rest === 0 || next === undefined ? `${whole}${unit}` : `${whole}${unit} ${rest}${next[0]}`;
}

/** The database's or the API's text of a time, in a zone: `2026-11-14 09:56:42`, to the digit when asked exactly. */
export function formatTime(text: string, zone: string, options: { exact?: boolean } = {}): string {
  const fraction = /[.](\d+)/.exec(text)?.[1] ?? "";
  const utcMs = Date.parse(`${text.slice(0, 10)}T${text.slice(11, 19)}Z`);
  const local = new Date(localMs(zoneNamed(zone).clock, utcMs)).toISOString();
  const seconds = local.slice(0, 19).replace("T", " ");
  return options.exact === true ? `${seconds}.${fraction.padEnd(3, "0")}` : seconds;
}

export function formatDay(text: string, zone: string): string {
  return formatTime(text, zone).slice(0, 10);
}

/** ISO 8601 in UTC, for machines. */
export function machineTime(text: string): string {
  const fraction = /[.](\d+)/.exec(text)?.[1] ?? "000";
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction.padEnd(3, "0")}Z`;
}

/**
 * Characters that are not seen, but turn, join or hide others, are spelled out: two ids that look the same are the same. Joiners stay
 * between the letters and signs that need them, which are none of ASCII.
 */
export function spellUnseen(text: string): string {
  return text.replaceAll(
    /(?<![^\0-\x7f])[\u200c\u200d]|(?![\u200c\u200d])\p{Cf}/gu,
    (sign) => `[U+${(sign.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}]`,
  );
}
