import { decimal, decimalFromUnits, type Decimal, multiplyDecimals } from "../../core/decimal.ts";
import { formatInstant } from "../../core/instant.ts";
import { findZone, localMs } from "../../core/zone.ts";
import { hash32 } from "../world/random.ts";
import { fiatText, type LineKind, owed, type StatementLine } from "./line.ts";

export const germanKinds: Record<LineKind, string> = {
  charge: "Umsatz",
  refund: "Erstattung",
  chargeback: "Rücklastschrift",
  chargeback_reversal: "Rücklastschrift zurück",
  payout: "Auszahlung",
  balance: "Saldo",
};
export const ledgerKinds: Record<LineKind, string> = {
  charge: "sale",
  refund: "sale refund",
  chargeback: "dispute",
  chargeback_reversal: "dispute won",
  payout: "settlement",
  balance: "balance",
};
export const sheetKinds: Record<LineKind, string> = {
  charge: "Order",
  refund: "Refund",
  chargeback: "CB",
  chargeback_reversal: "CB reversed",
  payout: "Payout",
  balance: "Balance",
};
export const unitKinds: Record<LineKind, string> = {
  charge: "1",
  refund: "2",
  chargeback: "3",
  chargeback_reversal: "4",
  payout: "9",
  balance: "0",
};

/** Thousands by a dot, decimals after a comma. */
export function german(amount: string): string {
  const [whole = "", places] = amount.split(".");
  const grouped = whole.replaceAll(/\B(?=(\d{3})+(?!\d))/g, ".");
  return places === undefined ? grouped : `${grouped},${places}`;
}

export function english(amount: string): string {
  const [whole = "", places] = amount.split(".");
  const grouped = whole.replaceAll(/\B(?=(\d{3})+(?!\d))/g, ",");
  return places === undefined ? grouped : `${grouped}.${places}`;
}

export function blankIfZero(amount: string): string {
  return amount === "0" ? "" : amount;
}

function wall(ms: number, zoneName: string): string {
  const zone = findZone(zoneName);
  return formatInstant(zone ? localMs(zone.clock, ms) : ms);
}

export function berlin(ms: number): string {
  const text = wall(ms, "Europe/Berlin");
  return `${text.slice(8, 10)}.${text.slice(5, 7)}.${text.slice(0, 4)} ${text.slice(11, 19)}`;
}

export function american(ms: number): string {
  const text = wall(ms, "America/New_York");
  return `${text.slice(5, 7)}/${text.slice(8, 10)}/${text.slice(0, 4)} ${text.slice(11, 19)}`;
}

/** `Apr 3, 2026` and `1:05:09 PM`, in New York. */
export function americanDay(ms: number): string {
  const text = wall(ms, "America/New_York");
  return `${monthNames[Number(text.slice(5, 7)) - 1]} ${Number(text.slice(8, 10))}, ${text.slice(0, 4)}`;
}

export function americanHour(ms: number): string {
  const text = wall(ms, "America/New_York");
  const hour = Number(text.slice(11, 13));
  return `${hour % 12 || 12}${text.slice(13, 19)} ${hour < 12 ? "AM" : "PM"}`;
}

const monthNames = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sept", "Oct", "Nov", "Dec"];

/** Brackets for what is below zero, and the currency behind every amount. */
export function marked(amount: string, { fiat }: StatementLine): string {
  const isBelow = amount.startsWith("-");
  const text = english(isBelow ? amount.slice(1) : amount);
  return `${isBelow ? `(${text})` : text} ${fiat.code}`;
}

export function entryId(line: StatementLine): string {
  return `E${hash32("entry", line.kind, line.providerTransactionId, String(line.effectiveMs)).toString(36)}`;
}

/** What lowers what is owed to us: money taken back, and the payout itself. */
export function debitOf(line: StatementLine): string {
  if (line.payoutAmount !== null) return line.payoutAmount > 0n ? fiatText(line, line.payoutAmount) : "";
  return owed(line) < 0n ? fiatText(line, -owed(line)) : "";
}

export function creditOf(line: StatementLine): string {
  if (line.payoutAmount !== null) return line.payoutAmount <= 0n ? fiatText(line, -line.payoutAmount) : "";
  return owed(line) < 0n ? "" : fiatText(line, owed(line));
}

/** Coins for one unit of the lines' currency; four places, so that the product is exact. */
export function rateOf({ fiat }: StatementLine): Decimal {
  return decimal(`0.${1_000 + (hash32("rate", fiat.id) % 8_999)}`);
}

export function converted(line: StatementLine, amount: bigint): string {
  return multiplyDecimals(decimalFromUnits(amount, line.fiat.minorUnits), rateOf(line));
}
