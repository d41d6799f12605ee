import { layoutOf } from "./layouts.ts";
import type { StatementLine } from "./line.ts";
import type { StatementDeps, StatementRequest } from "./entry.ts";
import { readStatement } from "./statement.ts";

/** The statement as the provider would send it: its columns, its words, its notion of a number and a time. */
export async function* writeCsv(deps: StatementDeps, request: StatementRequest): AsyncGenerator<string> {
  const { columns } = layoutOf(request.provider);
  yield csvRow(columns.map(([header]) => header));
  for await (const { lines } of readStatement(deps, request)) {
    for (const line of lines) yield csvRow(columns.map(([, write]) => write(line)));
  }
}

/** What is wrong with the file of the same name, case by case; its first data line is line 2. */
export async function* writeTruth(deps: StatementDeps, request: StatementRequest): AsyncGenerator<string> {
  const { name: layout } = layoutOf(request.provider);
  const about = { provider: request.provider, period: request.period.name, layout, rates: request.rates };
  yield `${JSON.stringify(about).slice(0, -1)},"cases":[`;
  let lineNumber = 1;
  let separator = "\n";
  const counts: Record<string, number> = {};
  for await (const { lines, truth } of readStatement(deps, request)) {
    for (const { kind } of lines) counts[kind] = (counts[kind] ?? 0) + 1;
    if (truth !== null) {
      const numbers = lines.map((_: StatementLine, at) => lineNumber + 1 + at);
      yield `${separator}${JSON.stringify({ lines: numbers, ...truth })}`;
      separator = ",\n";
    }
    lineNumber += lines.length;
  }
  yield `\n],"lines":${lineNumber - 1},"kinds":${JSON.stringify(counts)}}\n`;
}

function csvRow(cells: readonly string[]): string {
  return `${cells.map((cell) => (/[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join(",")}\n`;
}
