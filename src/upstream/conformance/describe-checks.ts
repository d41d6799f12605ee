import { checkGroups } from "./groups.ts";

/** The list of checks in docs/conformance.md; a test fails when the page and the checks drift apart. */
export function describeChecks(): string {
  const sections = checkGroups.map((group) => {
    const kind = group.writes ? " — writes, runs only with `--allow-writes`" : "";
    const head = `### ${group.endpoint}\n\nGroup \`${group.name}\`, ${group.surface} surface${kind}.`;
    const rows = group.checks.map((check) => `| \`${check.id}\` | ${quote(check.sentence)} |`);
    return [head, ["| Check | The specification says |", "| --- | --- |", ...rows].join("\n")].join("\n\n");
  });
  return sections.join("\n\n") + "\n";
}

/** Rows of the specification's own tables hold bars, which would end a cell of ours; `<` would begin a tag. */
function quote(sentence: string): string {
  const parts = sentence.replace(/^### /, "").replaceAll("|", "\\|").split("`");
  return parts.map((part, index) => (index % 2 === 0 ? part.replaceAll("<", "\\<") : part)).join("`");
}
