import { addDecimals, type Decimal, zero } from "../../core/decimal.ts";
import type { RowRejectionCode } from "../../core/import-codes.ts";
import type { Instant } from "../../core/instant.ts";
import type { Columns } from "./columns.ts";
import { cellCharsMax } from "./limits.ts";
import { createNumberReader, type NumberForm } from "./numbers.ts";
import type { AmountField, Field, Profile, TextField } from "./profile.ts";
import { createTimeReader } from "./times.ts";

/** Why a row was not taken: a value, because one bad row stops nothing. */
export interface Rejection {
  readonly code: RowRejectionCode;
  readonly field: Field | null;
  readonly reason: string;
}

/** The value of one column in the row that is being read. */
export type Column<Value> = () => Value | null;

/**
 * Reads one row after another, and is the one place where a bad value is caught: what comes out of here the database can
 * store, so no value stops a file. Columns are looked up once, when a reader is made, and asked for every row. The first
 * thing that cannot be read is kept; the rest still answers.
 */
export interface CellReader {
  begin(cells: readonly string[]): void;
  text(field: Field): Column<string>;
  amount(field: AmountField): Column<Decimal>;
  /** Of one column, or of a day and the hour beside it. */
  time(field: "created_at" | "effective_at"): Column<Instant>;
  /** Whether the file has a column for it, filled in or not. */
  has(field: Field): boolean;
  reject(code: RowRejectionCode, field: Field | null, reason: string): void;
  rejection(): Rejection | null;
}

export function createCellReader(profile: Profile, columns: Columns): CellReader {
  const readMoney = createNumberReader(profile);
  const { coin_numbers: coins, amount_marks: marks } = profile;
  const readCoins = coins === undefined ? readMoney : createNumberReader({ ...coins, amount_marks: marks });
  const readTime =
    createTimeReader(profile.time) ?? (() => ({ why: "cannot be read: the profile's time is wrong" }));
  let cells: readonly string[] = [];
  let rejection: Rejection | null = null;

  function text(field: Field, indexes = columns.indexes.get(field)): Column<string> {
    const [index, ...others] = indexes ?? [];
    if (index === undefined) return constant(profile.constants?.[field as TextField]);
    const isId = ids.has(field);
    const prefixes = profile.prefixes?.[field as TextField] ?? [];
    const nothing = new Set(["", "null", "NULL", "Null", ...(profile.sentinels[field] ?? [])]);
    const at = (column: number) => {
      const value = withoutPrefix(unwrapped((cells[column] ?? "").trim()), prefixes);
      if (isId && numberForm.test(value)) {
        reject("row_unparseable", field, `${quoted(value)} ${mangled}`);
        return null;
      }
      if (value.length > cellCharsMax) {
        reject(
          "row_unparseable",
          field,
          `is ${value.length} characters long; at most ${cellCharsMax} are read`,
        );
        return null;
      }
      return nothing.has(value) ? null : value;
    };
    if (others.length === 0) return () => at(index);
    return () => others.reduce<string | null>((found, other) => found ?? at(other), at(index));
  }

  function reject(code: RowRejectionCode, field: Field | null, reason: string): void {
    rejection ??= { code, field, reason };
  }

  function amountIn(field: AmountField, indexes: readonly number[]): Column<Decimal> {
    const read = text(field, indexes);
    if (read === absent) return absent;
    const isCoins = coins !== undefined && field === "crypto_amount";
    const readNumber = isCoins ? readCoins : readMoney;
    const form = formOf(isCoins ? coins : profile);
    return () => {
      const value = read();
      if (value === null) return null;
      const amount = readNumber(value);
      if (amount === null) reject("row_unparseable", field, `${quoted(value)} is not an amount ${form}`);
      return amount;
    };
  }

  return {
    begin(next) {
      cells = next;
      rejection = null;
    },
    text,
    amount(field) {
      const indexes = columns.indexes.get(field) ?? [];
      if (indexes.length < 2 || profile.add_up?.includes(field) !== true) return amountIn(field, indexes);
      const parts = indexes.map((index) => amountIn(field, [index]));
      return () =>
        parts.reduce<Decimal | null>((sum, part) => {
          const amount = part();
          return amount === null ? sum : addDecimals(sum ?? zero, amount);
        }, null);
    },
    time(field) {
      const read = text(field);
      if (read === absent) return absent;
      const clock = text(field === "created_at" ? "created_time" : "effective_time");
      return () => {
        const day = read();
        if (day === null) return null;
        const hour = clock();
        const value = hour === null ? day : `${day} ${hour}`;
        const time = readTime(value);
        if (typeof time === "string") return time;
        reject("row_unparseable", field, `${quoted(value)} ${time.why}`);
        return null;
      };
    },
    has: (field) => columns.indexes.has(field),
    reject,
    rejection: () => rejection,
  };
}

export function quoted(value: string): string {
  return JSON.stringify(value.length > shownCharsMax ? `${value.slice(0, shownCharsMax)}…` : value);
}

const shownCharsMax = 60;

/** Of every field that the file has no column for. */
function absent(): null {
  return null;
}

function constant(value: string | undefined): Column<string> {
  return value === undefined ? absent : () => value;
}

/** By these, lines find their transaction, their payout and their earlier versions. */
export const idFields = ["line_id", "provider_transaction_id", "our_reference", "payout_ref"] as const;
const ids: ReadonlySet<Field> = new Set(idFields);

/** `2.02605E+15`: a spreadsheet took the id for a number, and its last digits are gone. */
const numberForm = /^\d(?:[.,]\d+)?E\+\d+$/i;
const mangled =
  "is an id that a spreadsheet took for a number, so its last digits may be lost: ask for a file with the ids as text";

/** `="00123"` keeps a spreadsheet from taking a text for a number; its value is the quoted text. */
function unwrapped(value: string): string {
  return value.startsWith('="') && value.endsWith('"') && value.length > 2 ? value.slice(2, -1) : value;
}

function withoutPrefix(value: string, prefixes: readonly string[]): string {
  const prefix = prefixes.find((each) => value.startsWith(each)) ?? "";
  return prefix === "" ? value : value.slice(prefix.length).trim();
}

function formOf({ decimal, grouping }: NumberForm): string {
  const point = decimal === "." ? "with a decimal point" : "with a decimal comma";
  return grouping === "" ? `${point} and no grouping` : `${point}, grouped by ${JSON.stringify(grouping)}`;
}
