import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { describeChecks } from "../../src/conformance/describe-checks.ts";
import { checkGroups } from "../../src/conformance/groups.ts";
import { statements } from "../../src/conformance/statements.ts";

const checks = checkGroups.flatMap((group) => group.checks.map((check) => ({ group, check })));

describe("the list of checks", () => {
  test("names every check once, after its group", () => {
    expect(new Set(checks.map(({ check }) => check.id)).size).toBe(checks.length);
    const misplaced = checks.filter(({ group, check }) => !check.id.startsWith(`${group.name}.`));
    expect(misplaced).toEqual([]);
  });

  test("is the one in the documentation", () => {
    const page = readFileSync(new URL("../../docs/conformance.md", import.meta.url), "utf8");
    expect(page.slice(page.indexOf("## The checks"))).toBe(`## The checks\n\n${describeChecks()}`);
  });
});

describe("the statements of the specification", () => {
  const checked = new Set(checks.flatMap(({ check }) => check.about));

  test("are 254, numbered without a gap, no two the same", () => {
    expect(statements.map(({ number }) => number)).toEqual(Array.from({ length: 254 }, (_, i) => i + 1));
    expect(new Set(statements.map(({ heading, text }) => `${heading}: ${text}`)).size).toBe(254);
  });

  test("have a check or a reason why none can exist, and never both", () => {
    const idle = statements.filter((one) => one.uncheckable === null && !checked.has(one.number));
    expect(idle).toEqual([]);
    expect(statements.filter((one) => one.uncheckable !== null && checked.has(one.number))).toEqual([]);
    expect(statements.filter((one) => one.uncheckable !== null).length).toBeLessThan(10);
  });

  test("are what checks are about", () => {
    const unknown = [...checked].filter((number) => !statements.some((one) => one.number === number));
    expect(unknown).toEqual([]);
    expect(checks.filter(({ check }) => check.about.length === 0)).toEqual([]);
  });
});
