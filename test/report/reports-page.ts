import { parameterHelp, parametersOf } from "../../src/report/parameters.ts";
import { type Column, type Report, reportId } from "../../src/report/report.ts";

/** `docs/reports.md`, made from the catalogue: what the program says of its reports and nothing else. */
export function reportsPage(reports: readonly Report[]): string {
  return `# Reports

Made from the catalogue in \`src/report/\` by \`UPDATE_DOCS=1 npx vitest run test/report/catalogue.test.ts\`; do not edit.

Every report comes as CSV or JSON lines: at once from \`GET /v1/reports/{name}.csv\` or \`.jsonl\` (up to 100,000 rows), of any
length by \`POST /v1/exports\`, and on the command line by \`tieout export {name}\`. The name carries the version
(\`${reportId(reports[0] as Report)}\`); without it the newest is meant. Columns are only ever appended.

| Report | One row is | What for |
| --- | --- | --- |
${reports.map((one) => `| [${reportId(one)}](#${anchor(one)}) | ${one.grain} | ${one.purpose} |`).join("\n")}

## The files

- UTF-8, one header line, comma, line feed; a text with comma, quote or line end is quoted, a quote inside is doubled.
- Nothing is nothing: an unknown value is empty without quotes, an empty text is \`""\`. In JSON lines they are \`null\` and \`""\`.
- Amounts have all their digits, a point, no thousands separator and no exponent; the currency is a column of its own. In
  JSON lines they are texts, because a JSON number would be rounded. Excel shows 15 digits at most.
- Times end in \`_at\` and are UTC with milliseconds (microseconds where the aggregator sent them). Dates end in \`_date\` and are
  days in the zone of the report. The period is half-open: \`from\` is in it, \`to\` is not.
- A text that a spreadsheet would take for a formula (\`=\`, \`+\`, \`-\`, \`@\`, tab or line end in front, also after spaces) begins with
  an apostrophe. Amounts are numbers and stay as they are. \`raw=true\` leaves the texts alone.
- Control totals (rows, sums by currency, SHA-256, the moment of the data, what is covered) are beside the file, never in it.
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
  const presets = Object.entries(report.presets).map(
    ([name, shape]) => `### Preset ${name}\n\n${shape.description}\n\n${columnTable(shape.columns)}`,
  );
  return `## ${reportId(report)}

**${report.title}.** ${report.purpose} ${report.grain} The period is ${report.period.description}.${
    report.needsCoverage ? "" : " It does not have to be covered."
  }

Parameters: ${parametersOf(report)
    .map((name) => `\`${name}\``)
    .join(", ")}.

${[columnTable(report.columns), ...presets].join("\n")}`;
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
