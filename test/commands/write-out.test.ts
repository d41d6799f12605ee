import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { visible } from "../../src/commands/write-out.ts";

test("a control character is shown and not obeyed; a text of JSON says the same as before", () => {
  expect(visible("stm_1\tx\u001b[31m\u009b\r.csv\n")).toBe("stm_1\tx\\u001b[31m\\u009b\\u000d.csv\n");
  const value = { name: "x\u001b\u007f\u009b" };
  expect(JSON.parse(visible(JSON.stringify(value)))).toEqual(value);
});

test("commands write to stdout in this way alone", async () => {
  const others: string[] = [];
  for (const name of await readdir("src/commands")) {
    const text = await readFile(join("src/commands", name), "utf8");
    if (text.includes("process.stdout.write(")) others.push(name);
  }
  // Of conformance, the report alone: its words are ours, and what a server said is quoted in it.
  expect(others.toSorted()).toEqual(["conformance.ts", "write-out.ts"]);
});
