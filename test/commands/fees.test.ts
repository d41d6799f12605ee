import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { anAccount } from "../api/some-records.ts";
import { runTieout } from "../support/run-tieout.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { openTestFolder } from "../support/test-folder.ts";

const database = useTestDatabase();

test("a fee schedule is shown with the day from which it is valid, and as JSON like the API", async () => {
  await anAccount(database.db, "eu");
  const file = join(await openTestFolder("tieout-fees-"), "moonpay.csv");
  await writeFile(file, "kind,percent\nshare,1\n");
  const fees = (...args: string[]) => runTieout(["fees", ...args], { DATABASE_URL: database.url.reveal() });
  const take = (...args: string[]) => fees("import", file, "--provider", "moonpay", ...args);

  const preview = await take("--from", "2026-10-01", "--reason", "contract", "--preview");
  expect(preview.stderr).toContain("1 term for moonpay from 2026-10-01. Nothing was written.");
  const imported = await take("--from", "2026-10-01", "--reason", "contract");
  expect(imported.stderr).toContain("moonpay, version 1, from 2026-10-01 (contract), 1 term.");
  await take("--from", "2026-11-01T12:00:00Z", "--reason", "at noon");
  const { stdout } = await fees("list");
  expect(stdout).toMatch(/ 2026-10-01 .*contract/);
  expect(stdout).toMatch(/ 2026-11-01T12:00:00\.000Z .*at noon/);
  expect(JSON.parse((await fees("list", "--json")).stdout)).toMatchObject([
    { id: expect.stringMatching(/^fee_\d+$/) as string, valid_from: "2026-11-01T12:00:00.000Z" },
    { object: "fee_schedule", valid_from: "2026-10-01T00:00:00.000Z", file_name: "moonpay.csv" },
  ]);
});

test("a fee schedule may be JSON that names its provider and its first day", async () => {
  const folder = await openTestFolder("tieout-fees-");
  const file = join(folder, "banxa.json");
  const terms = [{ kind: "share", percent: "1.5" }];
  const text = JSON.stringify({ provider: "banxa", valid_from: "2026-10-01", terms });
  const take = () =>
    runTieout(["fees", "import", file, "--account", "eu", "--reason", "contract"], {
      DATABASE_URL: database.url.reveal(),
    });
  for (const version of [1, 2]) {
    // A program on Windows may put a byte order mark before it.
    await writeFile(file, `${version === 1 ? "" : "\uFEFF"}${text}`);
    const { code, stderr } = await take();
    expect([code, stderr]).toEqual([
      0,
      expect.stringContaining(`banxa, version ${version}, from 2026-10-01 (contract), 1 term.`),
    ]);
  }
});
