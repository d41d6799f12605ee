import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parse } from "yaml";

const workflows = ".github/workflows";

interface Step {
  uses?: string;
}

interface Workflow {
  permissions?: Record<string, string>;
  jobs: Record<string, { "timeout-minutes"?: number; steps: Step[] }>;
}

test("every workflow may read only, unless a job says why not, ends by itself, and names the version of each action", async () => {
  const names = await readdir(workflows);
  expect(names.length).toBeGreaterThan(2);
  for (const name of names) {
    const workflow = parse(await readFile(join(workflows, name), "utf8")) as Workflow;
    expect([name, workflow.permissions]).toEqual([name, { contents: "read" }]);
    for (const [job, { steps, ...rest }] of Object.entries(workflow.jobs)) {
      expect([name, job, rest["timeout-minutes"]]).toEqual([name, job, expect.any(Number)]);
      const used = steps.flatMap(({ uses }) => (uses === undefined ? [] : [uses]));
      expect(used.filter((uses) => !/@(v\d|[0-9a-f]{40}$)/.test(uses))).toEqual([]);
    }
  }
});

test("what CONTRIBUTING tells people to run is there", async () => {
  const { scripts } = JSON.parse(await readFile("package.json", "utf8")) as {
    scripts: Record<string, string>;
  };
  const text = await readFile("CONTRIBUTING.md", "utf8");
  const told = [...text.matchAll(/npm run ([\w:]+)/g)].map(([, name]) => name ?? "");
  expect(told.length).toBeGreaterThan(2);
  expect(told.filter((name) => !(name in scripts))).toEqual([]);
  const files = [...text.matchAll(/vitest run ([\w./-]+\.test\.ts)/g)].map(([, path]) => path ?? "");
  for (const path of files) expect([path, (await readFile(path)).length > 0]).toEqual([path, true]);
});
