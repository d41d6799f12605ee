import type { Decimal } from "../../core/decimal.ts";
import type { RowRejectionCode } from "../../core/import-codes.ts";
import type { Instant } from "../../core/instant.ts";
import type { Columns } from "./columns.ts";
import { createNumberReader } from "./numbers.ts";
import type { AmountField, Field, Profile } from "./profile.ts";
import { createTimeReader } from "./times.ts";

/** Why a row was not taken: a value, because one bad row stops nothing. */
export interface Rejection {
  readonly code: RowRejectionCode;
  readonly field: Field | null;
  readonly reason: string;
}

/** Reads the cells of one row after another. The first thing that cannot be read is kept; the rest still answers. */
export interface CellReader {
  begin(cells: readonly string[]): void;
  text(field: Field): string | null;
  amount(field: AmountField): Decimal | null;
  time(field: "created_at" | "effective_at"): Instant | null;
  reject(code: RowRejectionCode, field: Field | null, reason: string): void;
  rejection(): Rejection | null;
}

export function createCellReader(profile: Profile, columns: Columns): CellReader {
  const readNumber = createNumberReader(profile);
  const readTime =
    createTimeReader(profile.time) ?? (() => ({ why: "cannot be read: the profile's time is wrong" }));
  const sentinels = new Map(
    Object.entries(profile.sentinels).map(([field, values]) => [field, new Set(values)] as const),
  );
  const indexes = columns.indexes;
  let cells: readonly string[] = [];
  let rejection: Rejection | null = null;

  function text(field: Field): string | null {
    const candidates = indexes.get(field);
    if (candidates === undefined) return null;
    for (const index of candidates) {
      const value = (cells[index] ?? "").trim();
      if (value !== "" && !missingWords.has(value) && !sentinels.get(field)?.has(value)) return value;
    }
    return null;
  }

  function reject(code: RowRejectionCode, field: Field | null, reason: string): void {
    rejection ??= { code, field, reason };
  }

  return {
    begin(next) {
      cells = next;
      rejection = null;
    },
    text,
    amount(field) {
      const value = text(field);
      if (value === null) return null;
      const amount = readNumber(value);
      if (amount === null)
        reject("row_unparseable", field, `${quoted(value)} is not an amount ${formOf(profile)}`);
      return amount;
    },
    time(field) {
      const value = text(field);
      if (value === null) return null;
      const time = readTime(value);
      if (typeof time === "string") return time;
      reject("row_unparseable", field, `${quoted(value)} ${time.why}`);
      return null;
    },
    reject,
    rejection: () => rejection,
  };
}

export function quoted(value: string): string {
  return JSON.stringify(value.length > shownCharsMax ? `${value.slice(0, shownCharsMax)}…` : value);
}

const shownCharsMax = 60;
const missingWords = new Set(["null", "NULL", "Null"]);

function formOf({ decimal, grouping }: Profile): string {
  const point = decimal === "." ? "with a decimal point" : "with a decimal comma";
  return grouping === "" ? `${point} and no grouping` : `${point}, grouped by ${JSON.stringify(grouping)}`;
}
