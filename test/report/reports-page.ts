import { parameterHelp, parametersOf } from "../../src/report/parameters.ts";
import { type Column, type Report, reportId } from "../../src/report/report.ts";

/** `docs/reports.md`, made from the catalogue: what the program says of its reports and nothing else. */
export function reportsPage(reports: readonly Report[]): string {
  return `# Reports

Made from the catalogue in \`src/report/\` by \`UPDATE_DOCS=1 npx vitest run test/report/catalogue.test.ts\`; do not edit.

Every report comes as CSV, JSON lines, a workbook (XLSX) or Parquet: at once from \`GET /v1/reports/{name}.csv\`, \`.jsonl\`, \`.xlsx\` or \`.parquet\`, or without
an ending by the \`Accept\` header (up to 100,000 rows), of any length by \`POST /v1/exports\`, and on the command line by \`tieout export {name}\`. The name carries the version
(\`${reportId(reports[0] as Report)}\`); without it the newest is meant. Columns are only ever appended.

| Report | One row is | What for |
| --- | --- | --- |
${reports.map((one) => `| [${reportId(one)}](#${anchor(one)}) | ${one.grain} | ${one.purpose} |`).join("\n")}

## The files

- UTF-8, one header line, comma, line feed; a text with comma, quote or line end is quoted, a quote inside is doubled.
- Nothing is nothing: an unknown value is empty without quotes, an empty text is \`""\`. In JSON lines they are \`null\` and \`""\`.
- Amounts have all their digits, a point, no thousands separator and no exponent; the currency is a column of its own. In
  JSON lines they are texts, because a JSON number would be rounded. Excel shows 15 digits at most.
- Times (\`since\`, \`at\`, and what ends in \`_at\`) are UTC with milliseconds, or microseconds where there are any. Dates end in
  \`_date\` and are days in the zone of the report. The period is half-open: \`from\` is in it, \`to\` is not. How times and zones are
  written, and when a day begins that has no midnight or two, is in [api.md](api.md#times-and-zones).
- Reports about reconciliation answer for any moment. \`as_at\` says how things stood: what happened from then on does not count,
  and what was not due yet is not late. \`known_at\` says by whose knowledge: records, files, matches, decisions and settings that
  were stored later do not count. With a \`known_at\` that has passed, the same question gives the same bytes for ever.
- A text that a spreadsheet would take for a formula (\`=\`, \`+\`, \`-\`, \`@\`, tab or line end in front, also after spaces) begins with
  an apostrophe. Amounts are numbers and stay as they are. \`raw=true\` leaves the texts alone.
- A workbook (\`.xlsx\`) has the rows in one sheet, with filters and the names of the columns in sight, and the control totals in
  another. Amounts are numbers with their decimals; one with more than 15 digits is a text, because a spreadsheet would round it.
  Times are UTC and say so; one with microseconds is a text. A text is never a formula, and needs no apostrophe. A sheet holds 1,048,575
  rows, a cell 32,767 characters: more rows are refused, a longer text is cut and the sheet of totals counts them. The same rows give
  the same bytes.
- Parquet (\`.parquet\`): amounts are DECIMAL(38,18), exact; a column with an amount that does not fit into that is a text in that file, and the
  file says so (\`tieout.amounts_as_text\`). Times are UTC with microseconds, dates are dates, nothing is null.
- Control totals (rows, sums by currency, SHA-256, the moment of the data, what is covered) are beside the file, never among its rows.
- A period that has not been read completely is refused, unless \`partial=true\`, and then the totals say so.

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
  return `The period is ${period.description}.${needsCoverage ? "" : " It does not have to be covered."}`;
}

function momentOf({ moment }: Report): string {
  return moment === undefined ? "" : " It answers for any moment: `as_at`, as known at `known_at`.";
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
