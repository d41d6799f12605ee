import { checkGroups } from "./groups.ts";
import type { CheckResult, ConformanceReport, Outcome } from "./run.ts";
import type { Statement } from "./statements.ts";

/** Plain text, one line a check and a paragraph under each difference; the caller decides about colour. */
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

function formatResult({ id, about, outcome }: CheckResult, width: number): string[] {
  const line = `  ${marks[outcome.verdict]}  ${id.padEnd(width)}`;
  if (outcome.verdict === "pass") return [line.trimEnd()];
  if (outcome.verdict === "not-applicable") return [`${line}  ${outcome.why}`];
  return [
    line.trimEnd(),
    ...about.map((one) => `            says      ${saying(one)}`),
    `            asked     ${outcome.request}`,
    `            expected  ${outcome.expected}`,
    `            seen      ${outcome.seen}`,
  ];
}

export function saying({ number, heading, text }: Statement): string {
  return `${heading}: ${text} (${number})`;
}

function formatCounts({ baseUrl, counts, statements, durationMs }: ConformanceReport): string {
  const { pass, differ, notApplicable } = counts;
  const { kept, broken, notJudged } = statements;
  const seconds = (durationMs / 1000).toFixed(1);
  return [
    `${kept} statements of the specification kept, ${broken} broken, ${notJudged} not judged`,
    `${baseUrl}: ${pass} pass, ${differ} differ, ${notApplicable} not applicable, in ${seconds} s`,
  ].join("\n");
}
