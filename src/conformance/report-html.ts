import { checkGroups } from "./groups.ts";
import { saying } from "./report-text.ts";
import type { CheckResult, ConformanceReport } from "./run.ts";
import { type Statement, statements } from "./statements.ts";

/** One file without scripts and without links to anywhere: it can be attached to a ticket and opened years later. */
export function formatHtmlReport(report: ConformanceReport): string {
  const { baseUrl, startedAt, durationMs, counts, results } = report;
  const differences = results.filter(({ outcome }) => outcome.verdict === "differ");
  const verdict = differences.length === 0 ? "Nothing differs" : `${differences.length} differ`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${text(`Conformance of ${baseUrl}: ${verdict}`)}</title>
<style>${style}</style>
</head>
<body>
<main>
<h1>${text(baseUrl)}</h1>
<p>Held against the interface specification on ${text(startedAt)}, in ${(durationMs / 1000).toFixed(1)} s.</p>
<dl class="counts">
${count("Checks that pass", counts.pass)}
${count("Checks that differ", counts.differ)}
${count("Not applicable", counts.notApplicable)}
${count("Statements kept", report.statements.kept)}
${count("Statements broken", report.statements.broken)}
${count("Statements not judged", report.statements.notJudged)}
</dl>
<h2>Differences</h2>
${differences.length === 0 ? "<p>None.</p>" : differences.map(difference).join("\n")}
<h2>All checks</h2>
${checkGroups
  .map((group) =>
    groupTable(
      group.endpoint,
      results.filter((one) => one.group === group.name),
    ),
  )
  .join("\n")}
<h2>What no check can show</h2>
<ul>
${statements
  .filter((one) => one.uncheckable !== null)
  .map((one) => `<li>${text(saying(one))}: ${text(one.uncheckable ?? "")}</li>`)
  .join("\n")}
</ul>
</main>
</body>
</html>
`;
}

function count(name: string, value: number): string {
  return `<div><dt>${name}</dt><dd>${value}</dd></div>`;
}

function difference({ id, about, outcome }: CheckResult): string {
  if (outcome.verdict !== "differ") return "";
  const rows: [string, string][] = [
    ["Asked", `<code>${text(outcome.request)}</code>`],
    ["Expected", text(outcome.expected)],
    ["Seen", `<code>${text(outcome.seen)}</code>`],
    ["The specification says", saysList(about)],
  ];
  const lines = rows.map(([name, value]) => `<tr><th scope="row">${name}</th><td>${value}</td></tr>`);
  return `<section id="${text(id)}"><h3>${text(id)}</h3><table>${lines.join("")}</table></section>`;
}

function saysList(about: readonly Statement[]): string {
  return about.map((one) => text(saying(one))).join("<br>");
}

function groupTable(endpoint: string, results: readonly CheckResult[]): string {
  if (results.length === 0) return "";
  const rows = results.map(
    ({ id, about, outcome }) =>
      `<tr class="${outcome.verdict}"><td>${marks[outcome.verdict]}</td><td>${text(id)}</td><td>${
        outcome.verdict === "not-applicable" ? text(outcome.why) : saysList(about)
      }</td></tr>`,
  );
  const differing = results.filter(({ outcome }) => outcome.verdict === "differ").length;
  const head = `${text(endpoint)}: ${results.length} checks${differing === 0 ? "" : `, ${differing} differ`}`;
  return `<details${differing === 0 ? "" : " open"}><summary>${head}</summary><table><thead><tr><th scope="col">Verdict</th><th scope="col">Check</th><th scope="col">About</th></tr></thead><tbody>
${rows.join("\n")}
</tbody></table></details>`;
}

const marks = { pass: "pass", differ: "differs", "not-applicable": "n/a" };

function text(value: string): string {
  const names: Readonly<Record<string, string>> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot" };
  return value.replaceAll(/[&<>"]/g, (character) => `&${names[character] ?? "amp"};`);
}

const style = `
body { font: 16px/1.5 system-ui, sans-serif; margin: 0; color: #1b1f24; background: #fff }
main { max-width: 70rem; margin: auto; padding: 1.5rem }
h1 { overflow-wrap: anywhere }
.counts { display: flex; flex-wrap: wrap; gap: 1rem 2rem }
.counts dd { margin: 0; font-size: 1.6rem; font-variant-numeric: tabular-nums }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid #d8dee4; overflow-wrap: anywhere }
thead th { white-space: nowrap }
section th { width: 12rem }
summary { cursor: pointer; padding: .4rem 0 }
.differ td:first-child { color: #a40e26; font-weight: 600 }
.not-applicable { color: #59636e }
@media (prefers-color-scheme: dark) {
  body { color: #e6edf3; background: #0d1117 }
  th, td { border-color: #30363d }
  .differ td:first-child { color: #ff7b72 }
  .not-applicable { color: #9198a1 }
}
`;
