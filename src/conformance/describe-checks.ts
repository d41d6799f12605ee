import { checkGroups } from "./groups.ts";
import { statement, statements } from "./statements.ts";

/** The lists in docs/conformance.md; a test fails when the page and the checks drift apart. */
export function describeChecks(): string {
  const sections = checkGroups.map((group) => {
    const needs = [
      group.writes ? "writes, runs only with `--allow-writes`" : "",
      group.twoAccounts ? "needs a second account" : "",
    ].filter((need) => need !== "");
    const kind = needs.length === 0 ? "" : `; ${needs.join(", ")}`;
    const rows = group.checks.map(({ id, about }) => {
      const [first = 0, ...more] = about;
      return `| \`${id}\` | ${first} ${escape(statement(first).text)}${more.map((one) => `, ${one}`).join("")} |`;
    });
    const table = ["| Check | The specification says |", "| --- | --- |", ...rows].join("\n");
    return `### ${group.endpoint}\n\nGroup \`${group.name}\`, ${group.surface} surface${kind}.\n\n${table}`;
  });
  const without = statements.filter(({ uncheckable }) => uncheckable !== null);
  const rows = without.map(
    (one) => `| ${one.number} ${escape(one.text)} | ${escape(one.uncheckable ?? "")} |`,
  );
  const reasons = ["### Without a check", ["| Statement | Why |", "| --- | --- |", ...rows].join("\n")];
  return [...sections, ...reasons].join("\n\n") + "\n";
}

/** A `<` would begin a tag. */
function escape(text: string): string {
  return text.replaceAll("<", "\\<");
}
