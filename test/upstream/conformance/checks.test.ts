import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { describeChecks } from "../../../src/upstream/conformance/describe-checks.ts";
import { checkGroups } from "../../../src/upstream/conformance/groups.ts";

const checks = checkGroups.flatMap((group) => group.checks.map((check) => ({ group, check })));
const sentencesFile = new URL("specification-sentences.txt", import.meta.url);
const sentences = readFileSync(sentencesFile, "utf8").trimEnd().split("\n");
const specification = new URL("../../../../shared/spec/aggregator-interface.md", import.meta.url);

describe("the list of checks", () => {
  test("holds at least 70 checks", () => {
    expect(checks.length).toBeGreaterThanOrEqual(70);
  });

  test("names every check once, after its group", () => {
    expect(new Set(checks.map(({ check }) => check.id)).size).toBe(checks.length);
    const misplaced = checks.filter(({ group, check }) => !check.id.startsWith(`${group.name}.`));
    expect(misplaced).toEqual([]);
  });

  test("quotes the specification word for word", () => {
    const quoted = new Set(checks.map(({ check }) => check.sentence));
    expect([...quoted].toSorted()).toEqual(sentences.toSorted());
    // The specification lies outside the repository; where it is at hand, the copy kept here must agree with it.
    const text = existsSync(specification) ? readFileSync(specification, "utf8") : sentences.join("\n");
    expect(sentences.filter((sentence) => !text.includes(sentence))).toEqual([]);
  });

  test("is the one in the documentation", () => {
    const page = readFileSync(new URL("../../../docs/conformance.md", import.meta.url), "utf8");
    expect(page.slice(page.indexOf("## The checks"))).toBe(`## The checks\n\n${describeChecks()}`);
  });
});
