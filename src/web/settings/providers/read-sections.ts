import { isDeepStrictEqual } from "node:util";
import type { FieldProblem } from "../../../api/problem.ts";
import { receiptCodes } from "../../../core/discrepancy-codes.ts";
import { parseDay } from "../../../core/period.ts";

export const sectionNames = [
  "calendar",
  "tolerances",
  "exclusion",
  "names",
  "aliases",
  "categories",
  "receipts",
] as const;
export type SectionName = (typeof sectionNames)[number];

/** What is set for a provider, as the API shows it. */
export type ShownSettings = {
  account: string;
  provider: string;
  learnt: {
    statement_lag_days: number | null;
    statements: number;
    payout_lag_days: number | null;
    payouts: number;
  };
} & Record<SectionName, ShownSection>;

interface ShownSection {
  value: unknown;
  version: number | null;
  shared: boolean;
  saved_by_name: string | null;
  saved_at: string | null;
}

export type Texts = Record<string, string>;

const wholeNumbers = [
  "statement_lag_days",
  "statement_grace_days",
  "payout_lag_days",
  "payout_grace_days",
  "stale_card_hours",
  "stale_bank_hours",
] as const;

/** Tables in the form, of which the empty rows do not count. */
export const rowFields = {
  tolerances: ["currency", "leg", "absolute_under", "absolute_over", "relative_under", "relative_over"],
  "receipts.tolerances": ["currency", "under", "over"],
} as const;
type Table = keyof typeof rowFields;
/** Rows in which nothing was typed yet, for more to be added. */
const emptyRows = 2;
const rowsMax = 200;

/** As many rows as hold something, and some empty ones. */
export function rowsShown(texts: Texts, table: Table): number[] {
  return Array.from({ length: rowsIn(texts, table).length + emptyRows }, (_, row) => row);
}

type Calendar = Omit<Record<string, string | number | boolean | null>, "minimum_payout" | "holidays"> & {
  minimum_payout?: Record<string, string>;
  holidays?: { day: string; name: string }[];
};

/** The settings as they stand in the fields of the form. */
export function textsFrom(settings: ShownSettings): Texts {
  const { minimum_payout: minimum, holidays = [], ...calendar } = settings.calendar.value as Calendar;
  const exclusion = settings.exclusion.value as Partial<Exclusion> | null;
  const receipts = settings.receipts.value as ReceiptSettings;
  const texts: Texts = {};
  const put = (name: string, value: string | number | boolean | null | undefined) => {
    texts[name] = value === null || value === undefined ? "" : String(value);
  };
  for (const [name, value] of Object.entries(calendar)) put(`calendar.${name}`, value);
  put("calendar.minimum_payout", pairLines(minimum ?? {}, " "));
  put("calendar.holidays", holidays.map(({ day, name }) => `${day} ${name}`.trim()).join("\n"));
  for (const [at, row] of (settings.tolerances.value as Record<string, string>[]).entries()) {
    for (const field of rowFields.tolerances) put(`tolerances.${at}.${field}`, row[field]);
  }
  put("exclusion.everything", exclusion?.everything ?? false);
  put("exclusion.before", exclusion?.before);
  put("exclusion.transaction_ids", (exclusion?.transaction_ids ?? []).join("\n"));
  put("names", (settings.names.value as string[]).join("\n"));
  put("aliases", pairLines(settings.aliases.value as Record<string, string>, " = "));
  put("categories", (settings.categories.value as string[]).join("\n"));
  put("receipts.due_days", receipts.due_days);
  for (const [at, row] of receipts.tolerances.entries()) {
    for (const field of rowFields["receipts.tolerances"])
      put(`receipts.tolerances.${at}.${field}`, row[field]);
  }
  for (const code of receiptCodes) put(`receipts.levels.${code}`, receipts.levels[code] ?? "error");
  return texts;
}

interface Exclusion {
  everything: boolean;
  before: string | null;
  transaction_ids: string[];
}

interface ReceiptSettings {
  due_days: number;
  tolerances: Record<"currency" | "under" | "over", string>[];
  levels: Record<string, string>;
}

/** What was typed; rows of a table are numbered anew without the empty ones, as the API will number them. */
export function textsIn(form: FormData): Texts {
  const texts: Texts = {};
  // Whole, however long: a list that is cut would be saved as one that someone has shortened.
  for (const [name, value] of form) texts[name] = typeof value === "string" ? storable(value) : "";
  for (const table of Object.keys(rowFields) as Table[]) {
    const rows = rowsIn(texts, table);
    for (const name of Object.keys(texts)) if (name.startsWith(`${table}.`)) delete texts[name];
    for (const [at, row] of rows.entries()) {
      for (const [field, text] of Object.entries(row)) texts[`${table}.${at}.${field}`] = text;
    }
  }
  return texts;
}

function rowsIn(texts: Texts, table: Table): Record<string, string>[] {
  const rows = Array.from({ length: rowsMax }, (_, at) =>
    Object.fromEntries(rowFields[table].map((field) => [field, texts[`${table}.${at}.${field}`] ?? ""])),
  );
  // A leg is always chosen, and says nothing by itself.
  return rows.filter((row) => Object.entries(row).some(([field, text]) => field !== "leg" && text !== ""));
}

/** The sections that differ from what is in force, as the API takes them; and what no section can be made of. */
export function changedSections(
  texts: Texts,
  settings: ShownSettings,
): { sections: Partial<Record<SectionName, unknown>>; errors: FieldProblem[] } {
  const errors: FieldProblem[] = [];
  const typed = readSections(texts, errors);
  // Through the form as well: what it cannot tell apart is not a change.
  const held = readSections(textsFrom(settings), []);
  const sections: Partial<Record<SectionName, unknown>> = {};
  for (const name of sectionNames) {
    if (texts[`${name}.reset`] === "true" && settings[name].version !== null) sections[name] = null;
    else if (!isDeepStrictEqual(typed[name], held[name])) sections[name] = typed[name];
  }
  return { sections, errors };
}

function readSections(texts: Texts, errors: FieldProblem[]): Record<SectionName, unknown> {
  const text = (name: string) => texts[name] ?? "";
  const wrong = (path: string, message: string) => void errors.push({ path, code: "invalid_value", message });
  const whole = (name: string, label: string) => {
    if (!/^\d{1,6}$/.test(text(name))) wrong(name, `${label} is not a whole number, such as 30`);
    return Number(text(name));
  };
  const pairs = (name: string, pattern: RegExp, example: string) =>
    Object.fromEntries(
      linesOf(text(name)).map((line) => {
        const [, key = "", value = ""] = pattern.exec(line) ?? [];
        if (key === "") wrong(name, `"${line}" is not of the form ${example}`);
        return [key, value];
      }),
    );
  const minimum = pairs("calendar.minimum_payout", /^(\S+)\s+(\S+)$/, "EUR 100");
  const exclusion: Exclusion = {
    everything: text("exclusion.everything") === "true",
    before: text("exclusion.before") || null,
    transaction_ids: linesOf(text("exclusion.transaction_ids")),
  };
  const excludesNothing =
    !exclusion.everything && exclusion.before === null && exclusion.transaction_ids.length === 0;
  const levels = receiptCodes.map((code) => [code, text(`receipts.levels.${code}`)] as const);
  return {
    calendar: {
      period: text("calendar.period"),
      zone: text("calendar.zone"),
      ...Object.fromEntries(
        wholeNumbers.map((name) => [name, whole(`calendar.${name}`, name.replaceAll("_", " "))]),
      ),
      closed_on_weekends: text("calendar.closed_on_weekends") === "true",
      holidays: linesOf(text("calendar.holidays")).map((line) => {
        const [, day = "", name = ""] = /^(\S+)\s*(.*)$/.exec(line) ?? [];
        if (parseDay(day) === null)
          wrong("calendar.holidays", `"${line}" is not of the form 2026-12-25 Christmas Day`);
        return { day, name };
      }),
      minimum_payout: Object.keys(minimum).length === 0 ? null : minimum,
      statements_with_payout: text("calendar.statements_with_payout") === "true",
      our_share: text("calendar.our_share") || null,
      rate_tolerance: text("calendar.rate_tolerance"),
    },
    tolerances: rowsIn(texts, "tolerances").map((row) =>
      filled({ ...row, currency: row["currency"] || "*" }),
    ),
    exclusion: excludesNothing ? null : exclusion,
    names: linesOf(text("names")),
    aliases: pairs("aliases", /^(.+?)\s*=\s*(.+)$/, "their word = our word"),
    categories: linesOf(text("categories")),
    receipts: {
      due_days: whole("receipts.due_days", "due days"),
      tolerances: rowsIn(texts, "receipts.tolerances").map((row) => ({
        currency: row["currency"] || "*",
        under: row["under"] || "0",
        over: row["over"] || "0",
      })),
      // Error is a code's default level.
      levels: Object.fromEntries(levels.filter(([, level]) => level === "warning")),
    },
  };
}

/** Without what Postgres cannot keep. */
function storable(text: string): string {
  return text.replaceAll("\0", "").trim();
}

function filled(row: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(row).filter(([, text]) => text !== ""));
}

function linesOf(text: string): string[] {
  return text
    .split(/\r?\n/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
}

function pairLines(pairs: Record<string, string>, between: string): string {
  return Object.entries(pairs)
    .map(([key, value]) => key + between + value)
    .join("\n");
}
