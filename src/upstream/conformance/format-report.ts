import { checkGroups } from "./groups.ts";
import type { CheckResult, ConformanceReport, Outcome } from "./run.ts";

/** Plain text, one line a check and a paragraph under each difference; whoever prints it decides about colour. */
export function formatReport(report: ConformanceReport): string {
  const width = Math.max(...report.results.map((result) => result.id.length), 0);
  const sections = checkGroups.flatMap((group) => {
    const results = report.results.filter((result) => result.group === group.name);
    if (results.length === 0) return [];
    return [[group.endpoint, ...results.flatMap((result) => formatResult(result, width))].join("\n")];
  });
  return [...sections, formatCounts(report)].join("\n\n") + "\n";
}

const marks: Readonly<Record<Outcome["verdict"], string>> = {
  pass: "pass  ",
  differ: "DIFFER",
  "not-applicable": "n/a   ",
};

function formatResult({ id, sentence, outcome }: CheckResult, width: number): string[] {
  const line = `  ${marks[outcome.verdict]}  ${id.padEnd(width)}`;
  if (outcome.verdict === "pass") return [line.trimEnd()];
  if (outcome.verdict === "not-applicable") return [`${line}  ${outcome.why}`];
  return [
    line.trimEnd(),
    `            says      ${sentence}`,
    `            asked     ${outcome.request}`,
    `            expected  ${outcome.expected}`,
    `            seen      ${outcome.seen}`,
  ];
}

function formatCounts({ baseUrl, counts, durationMs }: ConformanceReport): string {
  const { pass, differ, notApplicable } = counts;
  const seconds = (durationMs / 1000).toFixed(1);
  return `${baseUrl}: ${pass} pass, ${differ} differ, ${notApplicable} not applicable, in ${seconds} s`;
}
