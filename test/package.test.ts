import { execFile } from "node:child_process";
import { readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openFolder } from "./support/open-folder.ts";
import { startProcess, withDataDir } from "./support/run-tieout.ts";

const run = promisify(execFile);

let folder: string;
let packed: string[];

/** The package as a release holds it, installed where no clone and no compiler is. */
beforeAll(async () => {
  folder = await openFolder("tieout-package-");
  // `npm test` has just built what is packed.
  const { stdout } = await run("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder]);
  const [made] = JSON.parse(stdout) as { filename: string; files: { path: string }[] }[];
  packed = made?.files.map(({ path }) => path) ?? [];
  await run(
    "npm",
    ["install", "--no-audit", "--no-fund", "--prefer-offline", join(folder, made?.filename ?? "")],
    {
      cwd: folder,
    },
  );
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test("holds what runs and what explains it, and neither sources nor tests", () => {
  const kinds = new Set(packed.map((path) => path.split("/")[0]));
  expect(packed).toEqual(
    expect.arrayContaining([
      "dist/tieout.js",
      "migrations/meta/_journal.json",
      "docs/api.md",
      "LICENSE",
      "README.md",
    ]),
  );
  expect([...kinds].filter((kind) => /^(test|bench|node_modules|\.)/.test(kind ?? ""))).toEqual([]);
  expect(packed.filter((path) => /(?<!\.d)\.tsx?$|\.tsbuildinfo$/.test(path))).toEqual([]);
});

test("a second build touches nothing that a running program may be about to read", async () => {
  const files = async () => {
    const names = ["tieout.js", ...(await readdir("dist/tieout")).map((name) => join("tieout", name))];
    return Promise.all(names.map(async (name) => [name, (await stat(join("dist", name))).ctimeMs]));
  };
  const before = await files();
  await run(process.execPath, ["bundle.mjs"]);
  expect(await files()).toEqual(before);
});

test("says its version, and shows the types of its client", async () => {
  const { version } = JSON.parse(await readFile("package.json", "utf8")) as { version: string };
  const { stdout } = await run("npx", ["--no-install", "tieout", "--version"], { cwd: folder });
  expect(stdout.trim()).toBe(version);
  const client =
    "import { createClient, type Client } from 'tieout/client';\nexport const make: () => Client = createClient as never;\n";
  await writeFile(join(folder, "uses.ts"), client);
  await run(
    resolve("node_modules/.bin/tsc"),
    [
      "--noEmit",
      "--strict",
      "--skipLibCheck",
      "--module",
      "nodenext",
      "--target",
      "es2023",
      "--types",
      "",
      join(folder, "uses.ts"),
    ],
    { cwd: folder },
  );
});

test("runs: a database of its own, the page and the sandbox", async () => {
  await withDataDir(async (dataDir) => {
    const program = join(folder, "node_modules/.bin/tieout");
    const running = startProcess(program, ["up"], { TIEOUT_DATA_DIR: dataDir, PORT: "0" });
    const url = await running.ready();
    expect((await fetch(`${url}/livez`)).status).toBe(200);
    const page = await (await fetch(`${url}/sign-in`)).text();
    for (const [, asset] of page.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)) {
      expect([asset, (await fetch(`${url}${asset}`)).status]).toEqual([asset, 200]);
    }
    expect((await running.stop("SIGINT")).code).toBe(0);
  });
});
