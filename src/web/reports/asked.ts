import { type Day, addDays, parseDay } from "../../core/period.ts";
import { parametersOf, type ParameterName } from "../../report/parameters.ts";
import type { Report } from "../../report/report.ts";
import { namedPeriods } from "./months.ts";

/** What the address of a report's screen asks for. */
export interface Asked {
  /** As the API takes them: what the files of the screen are asked with. */
  parameters: URLSearchParams;
  /** The same as an address of the screen. */
  address: URLSearchParams;
  /** What the fields of the form show. */
  shown: (name: ParameterName | "to_day") => string;
}

/** An address without a period means the last month, the usual choice; empty days mean everything. */
export function readAsked(report: Report, address: URLSearchParams, now: number, zone: string): Asked {
  const given = new URLSearchParams();
  const hasPeriod = ["from", "to", "to_day"].some((name) => address.has(name));
  if (report.period !== null && !hasPeriod) {
    const [lastMonth] = namedPeriods(now, zone);
    given.set("from", lastMonth.from);
    given.set("to_day", lastMonth.to);
  }
  for (const [name, value] of address) {
    // How long to wait is asked of the screen, and not of the report.
    if (value.trim() !== "" && name !== "wait") given.append(name, value.trim());
  }
  if (!given.has("tz")) given.set("tz", zone);
  const own = new URLSearchParams(given);
  if (report.period !== null && !given.has("from")) own.set("from", "");
  return {
    parameters: asParameters(given),
    address: own,
    shown: (name) => {
      if (name === "to_day") return given.get("to_day") ?? lastDayOf(given.get("to"));
      return given.getAll(name).join(",");
    },
  };
}

/** On the page the last day of a period is in it; for a report, the day after it is its end. */
function asParameters(given: URLSearchParams): URLSearchParams {
  const parameters = new URLSearchParams();
  for (const [name, value] of given) {
    if (name === "to_day") parameters.set("to", dayAfter(value));
    else parameters.append(name, value);
  }
  return parameters;
}

/** What is not a day goes on as it is: the report says what is wrong with it. */
function dayAfter(text: string): string {
  const day = parseDay(text);
  return day === null ? text : addDays(day, 1);
}

function lastDayOf(end: string | null): string {
  const day: Day | null = parseDay(end ?? "");
  return day === null ? "" : addDays(day, -1);
}

/** Of a form's fields, those that a report takes, as the API takes them. */
export function parametersIn(report: Report, form: FormData): URLSearchParams {
  const known = new Set<string>([...parametersOf(report), "to_day"]);
  const found = new URLSearchParams();
  for (const [name, value] of form) {
    if (known.has(name) && typeof value === "string" && value !== "") found.append(name, value);
  }
  return asParameters(found);
}
