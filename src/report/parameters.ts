import { InvalidParameters, type ParameterProblem } from "./errors.ts";
import { nearestWord } from "../core/nearest-word.ts";
import type { Instant } from "../core/instant.ts";
import {
  type DayOrInstant,
  instantAt,
  notATime,
  notAZone,
  parseDayOrInstant,
  type Period,
  resolvePeriod,
} from "../core/period.ts";
import { discrepancyLevels, discrepancyStates } from "../core/discrepancy-codes.ts";
import { quote, shorten } from "../core/quote.ts";
import { findZone, utc, type Zone } from "../core/zone.ts";
import { classes } from "../store/books/summary.ts";
import {
  type Column,
  type FilterName,
  filterNames,
  type Layout,
  type LayoutName,
  type PresetName,
  presetNames,
  type Report,
  type ReportFormat,
} from "./report.ts";

/** A request for a report, understood. */
export interface ReportRequest {
  report: Report;
  format: ReportFormat;
  preset: PresetName;
  /** `null`: the report as it is. */
  layout: Layout | null;
  period: Period;
  /** Without a `priorKnownAt`, that of the close which the period begins after. */
  moment: { asAt: Instant | null; knownAt: Instant | null; priorKnownAt: Instant | "none" | null };
  /** The days of the report are its days. */
  zone: Zone;
  accounts: readonly string[] | null;
  filters: Partial<Record<FilterName, readonly string[]>>;
  /** In the order asked for. */
  columns: readonly Column[];
  raw: boolean;
  partial: boolean;
  gzip: boolean;
}

/** As it came: from a query string, a body or a command line. A name may be given several times. */
export type GivenParameters = Readonly<Record<string, readonly string[]>>;

export const parameterHelp = {
  from: "start of the period, inclusive: a day such as 2026-10-01, a time, or Unix seconds; default: the start of the data",
  to: "end of the period, exclusive: the day after the last one; default: as far as data has been read",
  as_at:
    "the state at this time: events from then on do not count; default: now, or the end of the period where the report says so",
  known_at: "what was known at this time: anything stored later does not count; default: now",
  prior_known_at:
    "when the previous period was closed; later findings about it are shown separately (requires from); default: the time that a closed month ending at from was signed by; none: everything by what is known now",
  tz: "the time zone of days: an IANA name such as Europe/London; default: UTC",
  account: "only these accounts",
  provider: "only these providers",
  status: "only these statuses",
  transaction_type: "buy or sell",
  source_currency: "only what customers gave in these currencies",
  target_currency: "only what customers got in these currencies",
  currency: "only these currencies",
  payment_method: "only these payment methods",
  country: "only these countries",
  reason: "only these reasons",
  code: "only these codes",
  level: "error or warning",
  state: "only these states",
  class: "only these classes: matched, pending, discrepant, excluded",
  line_type: "only lines of these types",
  event: "only these events",
  payout_ref: "only these payouts",
  actor: "only actions by these actors",
  action: "only these actions",
  subject: "only actions on these subjects",
  preset: "CSV variant: plain, or excel, which adds what Excel needs to read it",
  layout: "file layout: plain, or for import into xero, quickbooks, netsuite or hledger (a text file)",
  columns: "only these columns, in this order",
  raw: "true: leave texts that look like formulas as they are",
  partial: "true: include a period that has not been read completely",
  gzip: "true: compress the file; workbooks and Parquet are compressed already",
} as const;
export type ParameterName = keyof typeof parameterHelp;

/** Filters whose words are all ours. Any other word selects nothing, and an empty file reads as if nothing were open. */
export const closedWords: Partial<Record<FilterName, readonly string[]>> = {
  class: classes,
  level: discrepancyLevels,
  state: discrepancyStates,
};

/** The parameters that a report takes. */
export function parametersOf(report: Report): ParameterName[] {
  return [
    ...(report.period === null ? [] : (["from", "to"] as const)),
    ...(report.moment === undefined ? [] : (["as_at", "known_at"] as const)),
    ...(report.showsPriorPeriod === undefined ? [] : (["prior_known_at"] as const)),
    "tz",
    ...(report.account === null ? [] : (["account"] as const)),
    ...filterNames.filter((name) => report.filters[name] !== undefined),
    "preset",
    ...(report.layouts === undefined ? [] : (["layout"] as const)),
    ...(["columns", "raw", "partial", "gzip"] as const),
  ];
}

type Moments = "as_at" | "known_at" | "prior_known_at";

/** A layout that is not a table. */
export function isText(layout: Layout | null): layout is Extract<Layout, { linesSql: string }> {
  return layout !== null && "linesSql" in layout;
}

const valuesMax = 100;
const textMax = 200;

/** Finds everything that is wrong before it says so. */
export function parseRequest(report: Report, format: ReportFormat, asked: GivenParameters): ReportRequest {
  const problems: ParameterProblem[] = [];
  const refuse = (path: string, code: string, message: string) =>
    void problems.push({ path, code, message: `${path}: ${message}` });
  const known = parametersOf(report);
  // What the report does not take is refused once, whatever its value.
  const given: Partial<Record<ParameterName, readonly string[]>> = {};
  for (const [name, values] of Object.entries(asked)) {
    const taken = known.find((each) => each === name);
    if (taken === undefined) refuse(shorten(name), "unknown_parameter", notTaken(report, name, known));
    else given[taken] = values;
  }

  function one(name: ParameterName): string | null {
    const values = given[name] ?? [];
    if (values.length > 1) refuse(name, "given_twice", "given more than once; keep one");
    const value = values[0];
    if (value === undefined) return null;
    return isPrintable(name, value) ? value : null;
  }

  function isPrintable(name: string, value: string): boolean {
    // Control characters never belong into a name, and a NUL would end the statement.
    if (value !== "" && value.length <= textMax && !/\p{Cc}/u.test(value)) return true;
    refuse(name, "invalid_text", `expected 1 to ${textMax} printable characters, found ${quote(value)}`);
    return false;
  }

  function list(name: ParameterName): readonly string[] | null {
    const values = (given[name] ?? []).flatMap((value) => value.split(","));
    if (values.length === 0) return null;
    if (values.length > valuesMax)
      refuse(name, "too_many_values", `at most ${valuesMax}, found ${values.length}`);
    return values.slice(0, valuesMax).filter((value) => isPrintable(name, value));
  }

  function oneOf<T extends string>(name: ParameterName, allowed: readonly T[], fallback: T): T {
    const value = one(name);
    if (value === null) return fallback;
    const found = allowed.find((word) => word === value);
    if (found === undefined) refuse(name, "not_allowed", `expected ${anyOf(allowed)}, found ${quote(value)}`);
    return found ?? fallback;
  }

  function refuseOtherWords(name: FilterName, values: readonly string[]): void {
    const words = closedWords[name];
    for (const value of values) {
      if (words === undefined || words.includes(value)) continue;
      refuse(name, "not_allowed", `expected some of ${words.join(", ")}, found ${quote(value)}`);
    }
  }

  function flag(name: ParameterName): boolean {
    return oneOf(name, ["true", "false"], "false") === "true";
  }

  function bound(name: "from" | "to" | Moments): DayOrInstant | null {
    const value = one(name);
    if (value === null) return null;
    const parsed = parseDayOrInstant(value);
    if (parsed === null) refuse(name, "invalid_time", notATime(value));
    return parsed;
  }

  function period(): Period {
    const resolved = resolvePeriod({ from: bound("from"), to: bound("to") }, zone);
    if (!("refused" in resolved)) return resolved;
    refuse("to", "empty_period", resolved.refused);
    return { from: null, to: null, firstDay: null, lastDay: null };
  }

  function instant(name: Moments): Instant | null {
    const day = bound(name);
    return day && instantAt(day, zone);
  }

  function readZone(): Zone {
    const value = one("tz") ?? utc.name;
    const found = findZone(value);
    if (found === null) refuse("tz", "invalid_zone", notAZone(value));
    return found ?? utc;
  }

  const zone = readZone();
  const layouts = Object.keys(report.layouts ?? {}) as (keyof NonNullable<Report["layouts"]>)[];
  const layoutName: LayoutName = oneOf(
    "layout",
    format === "csv" ? ["plain", ...layouts] : ["plain"],
    "plain",
  );
  const layout = layoutName === "plain" ? null : (report.layouts?.[layoutName] ?? null);
  const followsNone = given["prior_known_at"]?.length === 1 && given["prior_known_at"][0] === "none";
  if (given["prior_known_at"] !== undefined && !followsNone && given["from"] === undefined)
    refuse("prior_known_at", "needs_from", "requires from: the previous period is everything before it");
  const request: ReportRequest = {
    report,
    format,
    preset: oneOf("preset", format === "csv" && !isText(layout) ? presetNames : ["plain"], "plain"),
    layout,
    period: period(),
    moment: {
      asAt: instant("as_at"),
      knownAt: instant("known_at"),
      priorKnownAt: followsNone ? "none" : instant("prior_known_at"),
    },
    zone,
    accounts: list("account"),
    filters: Object.fromEntries(
      filterNames.flatMap((name) => {
        const values = list(name);
        refuseOtherWords(name, values ?? []);
        return values === null ? [] : [[name, foldCurrency(name, values)]];
      }),
    ),
    columns: chooseColumns(layout?.columns ?? report.columns, list("columns"), refuse),
    raw: flag("raw"),
    partial: flag("partial"),
    gzip:
      oneOf("gzip", format === "xlsx" || format === "parquet" ? ["false"] : ["true", "false"], "false") ===
      "true",
  };
  if (problems.length > 0) throw new InvalidParameters(problems);
  return request;
}

function notTaken(report: Report, name: string, known: readonly ParameterName[]): string {
  if (name === "layout") return `${report.name} has one layout only: leave this out`;
  const near = nearestWord(name, known);
  const hint = near === null ? `known are ${known.join(", ")}` : `did you mean ${near}?`;
  return `there is no such parameter; ${hint}`;
}

/** Where only one word is allowed, the format has decided. */
function anyOf(allowed: readonly string[]): string {
  const [first = "", ...others] = allowed;
  return others.length === 0 ? `${first} with this format` : `one of ${allowed.join(", ")}`;
}

function chooseColumns(
  columns: readonly Column[],
  wanted: readonly string[] | null,
  refuse: (path: string, code: string, message: string) => void,
): readonly Column[] {
  if (wanted === null) return columns;
  const names = columns.map(({ name }) => name);
  const twice = wanted.find((name, index) => wanted.indexOf(name) !== index);
  if (twice !== undefined) refuse("columns", "given_twice", `${quote(twice)} is given more than once`);
  return wanted.flatMap((name) => {
    const found = columns.find((column) => column.name === name);
    if (found) return [found];
    const near = nearestWord(name, names);
    const hint = near === null ? `known are ${names.join(", ")}` : `did you mean ${near}?`;
    refuse("columns", "unknown_column", `there is no column ${quote(name)}; ${hint}`);
    return [];
  });
}

/** Currencies are compared without regard to case; everything else as it stands. */
function foldCurrency(name: FilterName, values: readonly string[]): readonly string[] {
  if (name === "currency") return values.map((value) => value.toUpperCase());
  return name.endsWith("_currency") ? values.map((value) => value.toLowerCase()) : values;
}
