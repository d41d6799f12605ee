import type { Scope as KeyScope } from "../core/scopes.ts";
import type { BoundValue } from "../store/exports/copy-report.ts";

/**
 * A report is data and one select. The select yields typed columns; how they look in CSV and JSON, what is masked, what
 * is escaped and what is added up follows from the columns' types and is the same for all reports.
 */
export interface Report {
  /** Without its version: `transactions`. */
  name: string;
  /** Columns are only ever appended; anything else is a new version. */
  version: number;
  title: string;
  /** One line: what it is for. */
  purpose: string;
  /** What one row is. */
  grain: string;
  /** What the period selects by; without a column the select uses it otherwise. `null`: the report takes no period. */
  period: { description: string; column: string | null } | null;
  /**
   * For reports that answer for any past moment: `as_at` says which, `known_at` what was known by then. It may be `apart`
   * from the period, be its end, or be its end unless another is asked for.
   */
  moment?: "apart" | "period_end" | "period_end_or_asked";
  /** Whether what has become known of earlier periods since their close (`prior_known_at`) is shown apart. */
  showsPriorPeriod?: true;
  /** What a key needs to read it; `transactions:read` by default. */
  needs?: { scope: KeyScope; wholeService?: boolean };
  /** Whether the period must have been read completely before the report can be trusted. */
  needsCoverage: boolean;
  /** Whether it also depends on all that came before its period. */
  reachesBack?: true;
  /** The planner expects one row where there are a million, and would look each up in five tables: no nested loops. */
  joinsInBulk?: true;
  /** The account's number in the select; `null`: it concerns the service as a whole. */
  account: string | null;
  /** Filters by equality and the expression each compares. */
  filters: Partial<Record<FilterName, string>>;
  columns: readonly Column[];
  /** The columns whose totals a person looks at first, where there is no room for all of them. */
  totalsFirst?: readonly string[];
  /** Rows that differ in this column are about unlike things, perhaps of one order: nothing is added up across them. */
  totalsBy?: string;
  /** The same rows as other programs want them; `plain` is the report itself. */
  layouts?: Readonly<Partial<Record<Exclude<LayoutName, "plain">, Layout>>>;
  /** Yields every column by its name, in the natural type; further ones are allowed, to sort by. */
  select(scope: Scope): string;
  /** A total order, so that the same rows come in the same order every time. */
  orderBy: string;
}

/**
 * A form that another program reads: a table with its own columns, or a text. Where that program takes every amount for one
 * currency, `oneCurrency` is the column of the report that has to be the same in all rows.
 */
export type Layout =
  | { columns: readonly Column[]; oneCurrency?: string }
  | { extension: string; columns: readonly Column[]; linesSql: string };

/** The column that has to be the same in all rows of a file in this layout; `null`: none. */
export function oneCurrencyOf(layout: Layout | null): string | null {
  return layout !== null && "oneCurrency" in layout ? (layout.oneCurrency ?? null) : null;
}

export interface Column {
  name: string;
  type: ColumnType;
  /** Where the name is another program's word: what it holds, as an expression on the columns of `r`. */
  value?: string;
  description: string;
  /** The column that holds the currency of an amount; such amounts are added up by it. */
  currency?: string;
  /** `false` where a total would mean nothing: the same money is in several rows, or amounts have no sign. */
  addsUp?: false;
  /** Holds wallet addresses, or a text that may; for readers who may not see them it shows both ends, or nothing. */
  wallets?: "masked" | "inside" | "withheld";
  /** Where only some rows hold an address: the condition, on the columns of `r`. */
  walletsWhere?: string;
}

export type ColumnType = "text" | "amount" | "time" | "date" | "integer" | "boolean";

/** What a select may use of the request. */
export interface Scope {
  /** The place of a value in the statement, with its type. */
  bind(value: BoundValue, type: string): string;
  /** The condition that period, accounts and filters make; `true` when there is none. */
  where: string;
  /** The calendar day of a time in the zone of the report. */
  day(time: string): string;
  /** The zone itself. */
  zone: () => string;
  /** For reports that have a moment: of which accounts, as at when, by what was known when. */
  accounts: () => string;
  asAt: () => string;
  knownAt: () => string;
  /** When what lies before the period was closed, and whose; of other accounts it was not. */
  priors: () => { accounts: string; knownAt: string }[];
  /** The start of the period; `null` when it has none. */
  from: () => string | null;
  /** Its end, exclusive; `null` when it has none. */
  to: () => string | null;
  /**
   * Whether changed rates are booked. Where no account has a functional currency, the statement leaves out what would look them
   * up: planning that takes a large part of the time. Layouts for other programs hold the original amounts, and those programs
   * value them.
   */
  isValued: boolean;
  /** The transactions of the period as they stood at the moment, for a `from` clause. */
  records: () => string;
}

export const filterNames = [
  "provider",
  "status",
  "transaction_type",
  "source_currency",
  "target_currency",
  "currency",
  "payment_method",
  "country",
  "reason",
  "code",
  "level",
  "state",
  "class",
  "line_type",
  "event",
  "payout_ref",
  "actor",
  "action",
  "subject",
] as const;
export type FilterName = (typeof filterNames)[number];

export const reportFormats = ["csv", "jsonl", "xlsx", "parquet"] as const;
export type ReportFormat = (typeof reportFormats)[number];

/** The form of a CSV file: for programs, or for Excel, which wants a mark in front and its own line ends. */
export const presetNames = ["plain", "excel"] as const;
export type PresetName = (typeof presetNames)[number];

/** Whose import a file is made for; `hledger` is plain-text accounting. */
export const layoutNames = ["plain", "xero", "quickbooks", "netsuite", "hledger"] as const;
export type LayoutName = (typeof layoutNames)[number];

export function reportId({ name, version }: Pick<Report, "name" | "version">): string {
  return `${name}.v${version}`;
}
