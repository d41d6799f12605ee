import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { describeSandbox } from "../../src/sandbox/describe-sandbox.ts";
import { sandboxDefaults } from "../../src/sandbox/options.ts";
import { createWorld } from "../../src/sandbox/world/create-world.ts";
import { runTieout } from "../support/run-tieout.ts";

const page = readFileSync("docs/sandbox.md", "utf8");
const world = createWorld(sandboxDefaults.seed);

describe("docs/sandbox.md", () => {
  test.each(Object.entries(describeSandbox(world)))(
    "has the table of %s as the code has it",
    (name, table) => {
      const [, found] = new RegExp(`<!-- table: ${name} -->\n([^]*?)\n<!-- end -->`).exec(page) ?? [];
      expect(found).toBe(table);
    },
  );

  test("counts the world right", () => {
    const { assets, networks, fiats, paymentTypes, countries } = world;
    expect(page.replaceAll(/\s+/g, " ")).toContain(
      `${assets.length} assets on ${networks.length} networks with their real decimals and contract addresses, ` +
        `${fiats.length} fiat currencies with their ISO minor units, ${paymentTypes.length} payment methods, ` +
        `${countries.length} countries`,
    );
  });

  test("names the options that the command has, and their defaults", async () => {
    const { stdout } = await runTieout(["sandbox", "--help"]);
    const help = stdout.replaceAll(/\n {10,}/g, " ");
    const offered = [...help.matchAll(/^ {2}(--[a-z-]+)/gm)].map((found) => found[1] ?? "");
    const rows = tableOf("## Options").map(([option = "", value = ""]) => ({
      options: [...option.matchAll(/--[a-z-]+/g)].map(([name]) => name),
      value: value.replaceAll("`", ""),
    }));
    expect(rows.flatMap(({ options }) => options).toSorted()).toEqual(offered.toSorted());
    const told = [...help.matchAll(/^ {2}(--[a-z-]+) .*\(default: (?!false)([^)]*)\)/gm)];
    expect(told.length).toBeGreaterThan(8);
    const documented = new Map(rows.map(({ options, value }) => [options.join(" "), value]));
    // `--from` and `--to` share a row: their defaults need a sentence.
    const single = told.filter(([, option = ""]) => documented.has(option));
    expect(single.map(([, option = ""]) => documented.get(option))).toEqual(
      single.map(([, , value]) => value),
    );
    const { apiKey, apiSecret, seed, transactions, timeScale, defaultCountry } = sandboxDefaults;
    for (const value of [apiKey, apiSecret, seed, transactions, timeScale, defaultCountry]) {
      expect(help).toContain(`(default: ${value})`);
    }
  });
});

function tableOf(heading: string): string[][] {
  const section = page.split(/^(?=## )/m).find((text) => text.startsWith(`${heading}\n`)) ?? "";
  const [, rows = ""] = section.split(/^\| --- .*\n/m);
  return rows
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}
