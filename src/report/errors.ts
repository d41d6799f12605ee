import { TieoutError } from "../core/errors.ts";

export interface ParameterProblem {
  /** The parameter, as it was written. */
  path: string;
  code: string;
  /** What was given, and what is allowed. */
  message: string;
}

/** Everything that is wrong with a request, at once. */
export class InvalidParameters extends TieoutError {
  readonly problems: readonly ParameterProblem[];

  constructor(problems: readonly ParameterProblem[]) {
    super("usage", problems.map(({ message }) => message).join("\n"));
    this.name = "InvalidParameters";
    this.problems = problems;
  }
}

/** The program that the file is for would take all amounts for one currency. */
export class SeveralCurrencies extends InvalidParameters {
  constructor(currencies: readonly string[]) {
    const message = `currency: this layout is for one currency a file, and there are ${currencies.join(", ")}: make a file for each, with currency=${currencies[0]} and so on (--currency on the command line)`;
    super([{ path: "currency", code: "several_currencies", message }]);
    this.name = "SeveralCurrencies";
  }
}

export interface CoverageGap {
  account: string;
  from: string;
  /** `null`: nothing has been read after `from`. */
  to: string | null;
}

export class PeriodNotCovered extends TieoutError {
  readonly gaps: readonly CoverageGap[];

  constructor(gaps: readonly CoverageGap[], knownAt: string | null = null) {
    const shown = gaps.slice(0, 3).map(({ account, from, to }) => `${account} ${from} – ${to ?? "now"}`);
    const list = shown.length === 0 ? "no account has been read" : shown.join(", ");
    const more = gaps.length > shown.length ? ` and ${gaps.length - shown.length} more` : "";
    super(
      "period_not_covered",
      knownAt === null
        ? `the period has not been read completely yet (${list}${more}): wait for the sync, or ask for a partial report`
        : `the period had not been read completely by ${knownAt} (${list}${more}): give a later known_at, or ask for a partial report`,
    );
    this.name = "PeriodNotCovered";
    this.gaps = gaps;
  }
}

export class ReportTooLarge extends TieoutError {
  constructor(rowsMax: number) {
    const limit = rowsMax.toLocaleString("en-GB");
    super(
      "report_too_large",
      `the report has more than ${limit} rows: make an export with POST /v1/exports, or choose a shorter period`,
    );
    this.name = "ReportTooLarge";
  }
}

export class SheetTooLarge extends TieoutError {
  constructor(rowsMax: number) {
    const limit = rowsMax.toLocaleString("en-GB");
    super(
      "report_too_large",
      `a sheet of a workbook holds ${limit} rows: choose a shorter period, or another format`,
    );
    this.name = "SheetTooLarge";
  }
}
