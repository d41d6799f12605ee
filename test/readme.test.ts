import { existsSync, readFileSync, statSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { variableNames } from "../src/config.ts";
import { runTieout, startTieout, withDataDir } from "./support/run-tieout.ts";

/** A document that nothing reads drifts away from the program; so this reads it. */
const readme = readFileSync("README.md", "utf8");
const configuration = readFileSync("docs/configuration.md", "utf8");
const commands = readFileSync("docs/commands.md", "utf8");
const troubleshooting = readFileSync("docs/troubleshooting.md", "utf8");
const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };

describe("the documented configuration", () => {
  /** Those that may come from a file: `DATABASE_URL`, because there is `DATABASE_URL_FILE`. */
  const secrets = variableNames.filter((name) => variableNames.includes(`${name}_FILE`));
  const fromFiles = new Set(secrets.map((name) => `${name}_FILE`));

  test("names exactly the variables that the program reads", () => {
    const named = tableRows(configuration).map(([variable = ""]) => variable.replaceAll("`", ""));
    expect(named.toSorted()).toEqual(variableNames.filter((name) => !fromFiles.has(name)).toSorted());
  });

  test("says which of them may come from a file", () => {
    const sentence =
      /The secrets among them, ([^.]+), may each come from a file/.exec(configuration)?.[1] ?? "";
    expect([...sentence.matchAll(/`(\w+)`/g)].map((found) => found[1] ?? "").toSorted()).toEqual(
      secrets.toSorted(),
    );
  });
});

describe("the documented commands", () => {
  test("are scripts of the package", () => {
    const named = [...readme.matchAll(/\bnpm (?:run )?([a-z]+)\b/g)].map((found) => found[1] ?? "");
    expect(named).toEqual(expect.arrayContaining(["ci", "start", "test", "check"]));
    expect([...new Set(named)].filter((name) => name !== "ci" && !(name in scripts))).toEqual([]);
  });

  test("start and test the program as CI does", () => {
    expect(codeBlocks()).toEqual(expect.arrayContaining(["npm ci && npm start", "npm ci && npm test"]));
    const ci = readFileSync(".ci/run", "utf8").split("\n");
    expect(ci.filter((line) => line.startsWith("npm "))).toEqual(["npm ci", "npm run check"]);
    expect(scripts["check"]?.split(" && ").at(-1)).toBe("npm test");
    expect(statSync(".ci/run").mode & 0o111).toBe(0o111);
  });

  test("exist, all of them, and all that exist are there", async () => {
    const { stdout } = await runTieout(["--help"]);
    const existing = [...stdout.matchAll(/^ {2}([a-z]+)(?: \[options\])?(?: <\w+>)? {2,}/gm)]
      .map((found) => found[1] ?? "")
      .filter((name) => name !== "help");
    const named = [...`${readme}\n${commands}`.matchAll(/(?:`|npx )tieout ([a-z]+)/g)].map(
      (found) => found[1] ?? "",
    );
    const inTable = tableRows(commands).flatMap(([command = ""]) => /`tieout (\w+)/.exec(command)?.[1] ?? []);
    expect(inTable.toSorted()).toEqual(existing.toSorted());
    expect(named.filter((name) => !existing.includes(name))).toEqual([]);
  });

  test("say what the README shows", async () => {
    const [started = "", stopped = ""] = codeBlocks().filter((block) => /^(Postgres: |Stopping)/.test(block));
    await withDataDir(async (dataDir) => {
      const running = startTieout(["up"], { TIEOUT_DATA_DIR: dataDir, PORT: "0" });
      await running.ready();
      const { stderr } = await running.stop("SIGINT");
      // Log lines, and how far it has read by now, are not shown there.
      const said = stderr.split("\n").filter((line) => !/^(\{|Reading: |In sync: )/.test(line));
      expect(anywhere(said.join("\n").trim())).toBe(anywhere(`${started}\n${stopped}`));
    });
  });
});

describe("the documented troubleshooting", () => {
  const messages = tableRows(troubleshooting).map(([message = ""]) => message.replaceAll("`", ""));

  test("covers what goes wrong most", () => {
    expect(messages.length).toBeGreaterThan(10);
  });

  test.each(messages)("the program says: %s", async (message) => {
    // Single words and brackets around a value stand everywhere, and prove nothing.
    const parts = message
      .split("…")
      .map((piece) => piece.trim())
      .filter((piece) => piece.length > 8);
    const sources = await sourceText();
    expect(parts.length).toBeGreaterThan(0);
    expect(parts.filter((part) => !sources.includes(part))).toEqual([]);
  });
});

describe("the documents", () => {
  test("link to files that exist", async () => {
    const documents = [
      "README.md",
      "CHANGELOG.md",
      "CONTRIBUTING.md",
      "bench/README.md",
      ...(await markdownIn("docs")),
    ];
    const links = documents.flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/\]\((?!https?:|#)([^)#]+)/g)].map((found) => ({
        file,
        target: join(dirname(file), found[1] ?? ""),
      })),
    );
    expect(links.length).toBeGreaterThan(10);
    expect(links.filter(({ target }) => !existsSync(target))).toEqual([]);
  });

  test("decisions are numbered without a gap, short, and have all five parts", async () => {
    const records = (await markdownIn("docs/decisions")).toSorted();
    expect(records.length).toBeGreaterThan(5);
    for (const [index, file] of records.entries()) {
      const text = readFileSync(file, "utf8");
      expect(file).toContain(`/${String(index + 1).padStart(4, "0")}-`);
      expect({ file, tooLong: text.trim().split("\n").length > 40 }).toEqual({ file, tooLong: false });
      expect([...text.matchAll(/^## (.+)$/gm)].map((found) => found[1])).toEqual([
        "Decision",
        "Why",
        "Alternatives",
        "Consequence",
        "How we would know it was wrong",
      ]);
    }
  });

  test("name every room", () => {
    const rooms = readFileSync("test/architecture.test.ts", "utf8").matchAll(
      /^ {2}"?((?:src\/|jobs)[\w.-]*)"?: \[/gm,
    );
    const architecture = readFileSync("docs/architecture.md", "utf8");
    const names = [...rooms].map((found) => found[1] ?? "");
    expect(names.length).toBeGreaterThan(10);
    expect(names.filter((name) => !architecture.includes(`\`${name}`))).toEqual([]);
  });
});

/** The cells of all tables of a document, without their headers. */
function tableRows(document: string): string[][] {
  return [...document.matchAll(/^\| --- .*\n((?:\| .*\n)*)/gm)]
    .flatMap(([, rows = ""]) => rows.trim().split("\n"))
    .map((line) =>
      line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

function codeBlocks(): string[] {
  return [...readme.matchAll(/^```\w*\n([\s\S]*?)\n```$/gm)].map((found) => found[1] ?? "");
}

/** Without what differs from one machine and one day to the next: the folder, the port, the key. */
function anywhere(text: string): string {
  return text
    .replace(/tieout_\S+/g, "tieout_…")
    .replace(/link=\S+/, "link=…")
    .replace(/made in \S+/, "made in …")
    .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:…");
}

async function sourceText(): Promise<string> {
  const texts = await Promise.all(
    ["src", "jobs"].map(async (folder) => {
      const entries = await readdir(folder, { recursive: true });
      return entries
        .filter((entry) => /\.(ts|tsx|js)$/.test(entry))
        .map((entry) => readFileSync(join(folder, entry), "utf8"));
    }),
  );
  return texts.flat().join("\n");
}

async function markdownIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true });
  return entries.filter((entry) => entry.endsWith(".md")).map((entry) => join(folder, entry));
}
