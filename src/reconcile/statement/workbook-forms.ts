import { decimal as decimalOf, multiplyDecimals } from "../../core/decimal.ts";
import { findZone, firstAtMs, utc } from "../../core/zone.ts";
import type { CellForms } from "../workbook/read-sheet.ts";
import { idFields } from "./cell-reader.ts";
import { columnsMax } from "./limits.ts";
import { amountFields, type Profile } from "./profile.ts";
import type { Layout } from "./recognise-layout.ts";
import { createWallWriter } from "./times.ts";

/** For finding the header: numbers and times as they are. */
export const plainForms: CellForms = {
  columnsMax,
  number: (text) => text,
  percent: (text) => text,
  time: (wallMs) => new Date(wallMs).toISOString(),
};

/** Numbers and times as the provider's CSV would have them, so that one profile reads both. */
export function formsOf(layout: Layout): CellForms {
  const { columns, exactColumns } = layout;
  const ofIds = idFields.flatMap((field) => columns.indexes.get(field) ?? []);
  const ids = new Set(ofIds.filter((column) => exactColumns?.has(column) !== true));
  const isComma = decimalCommas(layout);
  const amounts = new Set(amountFields.flatMap((field) => columns.indexes.get(field) ?? []));
  const number = (text: string, column: number) => {
    if (ids.has(column) && mayBeRounded(text)) return Number(text).toExponential().replace("e", "E");
    return isComma(column) ? text.replace(".", ",") : text;
  };
  return {
    columnsMax,
    number,
    // As it is shown, and so refused: 2.5% of something is not an amount, and neither is 0.025.
    percent: (text, column) => {
      if (!amounts.has(column)) return number(text, column);
      return `${number(multiplyDecimals(decimalOf(text), decimalOf(100)), column)}%`;
    },
    time: createTimeWriter(layout),
  };
}

/** Of a column: whether the profile reads its numbers with a decimal comma. */
export function decimalCommas({ profile, columns }: Layout): (column: number) => boolean {
  const { decimal, coin_numbers: coins } = profile;
  const coinColumns = new Set(columns.indexes.get("crypto_amount"));
  return (column) => (coins !== undefined && coinColumns.has(column) ? coins.decimal : decimal) === ",";
}

/** The same as `plainForms`, and notes the columns in which a program wrote more digits than a spreadsheet keeps. */
export function notingForms(exactColumns: Set<number>): CellForms {
  return {
    ...plainForms,
    number: (text, column) => {
      if (/^\d{16,}$/.test(text) && !mayBeRounded(text)) exactColumns.add(column);
      return text;
    },
  };
}

/**
 * A spreadsheet keeps 15 digits of a number and fills up with zeros, which may make the id of one order that of another. It
 * is handed on as a spreadsheet shows such a number, and so refused where it is read.
 */
function mayBeRounded(id: string): boolean {
  return /^\d{15}0+$/.test(id);
}

function createTimeWriter({ profile, columns }: Layout): CellForms["time"] {
  const write = createMomentWriter(profile.time);
  const parts = new Map<number, (wallMs: number) => string>();
  for (const [day, hour] of timeFields) {
    const hours = columns.indexes.get(hour);
    const [dayFormat, hourFormat] = profile.time.format.split(/\s+(?=HH|hh)/);
    if (hours === undefined || dayFormat === undefined || hourFormat === undefined) continue;
    const { language } = profile.time;
    for (const column of columns.indexes.get(day) ?? [])
      parts.set(column, createWallWriter({ format: dayFormat, language }));
    for (const column of hours) parts.set(column, createWallWriter({ format: hourFormat }));
  }
  return (wallMs, column) => (parts.get(column) ?? write)(wallMs);
}

/** A spreadsheet keeps both in every cell: an hour is one of 1899, and what is shown as a day may have an hour too. */
const timeFields = [
  ["created_at", "created_time"],
  ["effective_at", "effective_time"],
] as const;

function createMomentWriter(time: Profile["time"]): (wallMs: number) => string {
  const { format } = time;
  if (!["iso", "unix_ms", "unix_s"].includes(format)) return createWallWriter(time);
  // These forms say which instant it is. A cell has nothing but what the clock on the wall showed.
  const zone = findZone(time.zone) ?? utc;
  return (wallMs) => {
    const ms = firstAtMs(zone.clock, wallMs);
    if (format === "iso") return new Date(ms).toISOString();
    return String(format === "unix_ms" ? ms : Math.floor(ms / 1_000));
  };
}
