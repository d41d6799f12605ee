import { parameterHelp, parametersOf } from "../../src/report/parameters.ts";
import { type Column, type Report, reportId } from "../../src/report/report.ts";

/** `docs/reports.md`, made from the catalogue: what the program says of its reports and nothing else. */
export function reportsPage(reports: readonly Report[]): string {
  return `# Reports

Made from the catalogue in \`src/report/\` by \`UPDATE_DOCS=1 npx vitest run test/report/catalogue.test.ts\`; do not edit.

Every report comes as CSV, JSON lines, a workbook (XLSX) or Parquet. Up to 100,000 rows come straight from \`GET /v1/reports/{name}.csv\`, \`.jsonl\`, \`.xlsx\` or
\`.parquet\`, or, without an extension, by the \`Accept\` header; any length from \`POST /v1/exports\`; on the command line, use \`tieout export {name}\`. The name includes the version
(\`${reportId(reports[0] as Report)}\`); without it you get the newest. Columns are only ever appended.

| Report | One row is | What for |
| --- | --- | --- |
${reports.map((one) => `| [${reportId(one)}](#${anchor(one)}) | ${one.grain} | ${one.purpose} |`).join("\n")}

## The files

- CSV is UTF-8 with one header line, commas and line feeds; a text that contains a comma, quote or line break is quoted, and quotes inside it are doubled.
- Null and empty differ: an unknown value is left empty, without quotes; an empty text is \`""\`. In JSON lines they are \`null\` and \`""\`.
- Amounts have all their digits, a point, no thousands separator and no exponent; the currency is a column of its own. In
  JSON lines they are strings, because a JSON number would be rounded. Excel shows 15 digits at most.
- Times (\`since\`, \`at\`, and columns ending in \`_at\`) are UTC with milliseconds, or microseconds if there are any. Dates end in
  \`_date\` and are days in the zone of the report. The period is half-open: it includes \`from\` but not \`to\`. [api.md](api.md#times-and-zones) explains how times and zones are
  written, and when a day begins that has no midnight, or two.
- Reports about reconciliation can be made for any moment. \`as_at\` shows the state at that moment: whatever happened later does not
  count, and what was not due yet is not late. \`known_at\` limits the report to what was known at that moment: records, files, matches, decisions
  and settings stored later do not count. With a \`known_at\` in the past, the same request always gives the same bytes.
  A period that is not over ends now, or at \`known_at\` if that is given: what providers have dated ahead, such as next week's payout,
  does not count yet. To see it, leave \`to\` out and give a later \`as_at\`.
- A text that a spreadsheet would take for a formula (one that starts with \`=\`, \`+\`, \`-\`, \`@\`, a tab or a line break, even after spaces) gets
  a leading apostrophe. Amounts are numbers and stay as they are. \`raw=true\` leaves texts unchanged.
- A workbook (\`.xlsx\`) has the rows in one sheet, with filters and the header row frozen, and the control totals in
  another. Amounts are numbers with their decimals; an amount with more than 15 digits is a text, because a spreadsheet would round it.
  Times are in UTC, and labelled so; a time with microseconds is a text. No text is taken for a formula, so none needs an apostrophe. A sheet holds 1,048,575
  rows and a cell 32,767 characters: more rows are refused; a longer text is cut, and the totals sheet counts the cuts. The same rows give
  the same bytes.
- Parquet (\`.parquet\`): amounts are DECIMAL(38,18), exact; a column with an amount that does not fit is text in that file, and the
  file says so (\`tieout.amounts_as_text\`). Times are UTC with microseconds, dates are of type DATE, and missing values are null.
- Control totals (rows, sums by currency, SHA-256, the time of the data, what was read) come beside the file, never among its rows.
  Those of \`fee-variance\` are apart by kind of fee as well (\`group\`): our share and the customers' fees are not the same money.
  \`tieout export\` prints the most important ones, at most a screenful.
- A period that has not been read completely, or with \`known_at\` had not been by then, is refused; with \`partial=true\` it is included, and the totals say so.

## Parameters

| Name | Meaning |
| --- | --- |
${Object.entries(parameterHelp)
  .map(([name, help]) => `| \`${name}\` | ${help} |`)
  .join("\n")}

${reports.map(section).join("\n")}`;
}

function section(report: Report): string {
  return `## ${reportId(report)}

**${report.title}.** ${report.purpose} ${report.grain} ${periodOf(report)}${momentOf(report)}${scopeOf(report)}

Parameters: ${parametersOf(report)
    .map((name) => `\`${name}\``)
    .join(", ")}.

${columnTable(report.columns)}`;
}

function periodOf({ period, needsCoverage }: Report): string {
  if (period === null) return "It takes no period.";
  return `The period is ${period.description}.${needsCoverage ? "" : " It need not have been read completely."}`;
}

function momentOf({ moment }: Report): string {
  return moment === undefined ? "" : " It can be made for any moment: `as_at`, as known at `known_at`.";
}

function scopeOf({ needs }: Report): string {
  if (needs === undefined) return "";
  return ` Needs \`${needs.scope}\`${needs.wholeService === true ? " and a key for all accounts" : ""}.`;
}

function columnTable(columns: readonly Column[]): string {
  const rows = columns.map(
    ({ name, type, currency, description }) =>
      `| \`${name}\` | ${type}${currency === undefined ? "" : `, in \`${currency}\``} | ${description} |`,
  );
  return `| Column | Type | Meaning |\n| --- | --- | --- |\n${rows.join("\n")}\n`;
}

function anchor(report: Report): string {
  return reportId(report).replaceAll(".", "");
}
