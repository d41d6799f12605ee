import { findReport, reports } from "../../report/catalogue.ts";
import { InvalidParameters, PeriodNotCovered, ReportTooLarge, SheetTooLarge } from "../../report/errors.ts";
import { reportFormats, reportId } from "../../report/report.ts";
import { nearestWord } from "../../core/nearest-word.ts";
import { problem, type ProblemError } from "../problem.ts";

/** What the report room refuses, in the words of the API. */
export function asProblem(error: unknown, place: "query" | "body"): unknown {
  if (error instanceof InvalidParameters) {
    const errors = error.problems.map((one) => ({ ...one }));
    const [first] = errors;
    const unknown = errors.every(({ code }) => code === "unknown_parameter");
    const code = place === "body" ? "invalid_body" : unknown ? "unknown_parameter" : "invalid_parameter";
    const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : "";
    return problem(code, `${first?.message ?? ""}${more}`, { param: first?.path ?? "", errors });
  }
  if (error instanceof PeriodNotCovered) {
    return problem("period_not_covered", sentence(error.message), { gaps: error.gaps });
  }
  const isTooLarge = error instanceof ReportTooLarge || error instanceof SheetTooLarge;
  return isTooLarge ? problem("report_too_large", sentence(error.message)) : error;
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
}

export function unknownReport(name: string): ProblemError {
  const [bare = "", ending] = /^(.+)\.([a-z]\w*)$/i.exec(name)?.slice(1) ?? [];
  const report = findReport(bare);
  if (report !== null) {
    const addresses = reportFormats.map((format) => `${reportId(report)}.${format}`).join(", ");
    return problem("not_found", `There is no format ${ending}. Ask for one of ${addresses}.`);
  }
  const names = reports.map(({ name: one }) => one);
  const near = nearestWord(name, names);
  const hint = near === null ? `There are ${names.join(", ")}.` : `Did you mean ${near}?`;
  return problem("not_found", `There is no such report. ${hint}`);
}
