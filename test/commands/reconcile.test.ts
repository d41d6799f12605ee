import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ensureAccounts } from "../../src/store/accounts/accounts.ts";
import { runTieout } from "../support/run-tieout.ts";
import { useTestDatabase } from "../support/test-database.ts";

const database = useTestDatabase();
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tieout-reconcile-"));
  const account = { baseUrl: "https://a.example", syncStart: "2026-01-01T00:00:00Z" };
  const names = ["eu", "uk", "us"];
  await ensureAccounts(
    database.db,
    names.map((name) => ({ ...account, name })),
    "test",
  );
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function reconcile(...args: string[]): Promise<string[]> {
  const env = { DATABASE_URL: database.url.reveal(), TIEOUT_DATA_DIR: folder };
  const { stdout } = await runTieout(["reconcile", ...args], env);
  return stdout.trimEnd().split("\n");
}

test("several accounts have a line each and one table of all; --verbose and --account show the table of each", async () => {
  const classes = "0 matched, 0 pending, 0 discrepant, 0 excluded";
  expect(await reconcile()).toEqual([
    `eu; ${classes}`,
    `uk; ${classes}`,
    `us; ${classes}`,
    "All 3 accounts; --verbose shows each of them:",
    "  nothing completed yet",
  ]);
  const tables = ["eu", "uk", "us"].flatMap((name) => [name, "  nothing completed yet"]);
  expect(await reconcile("--verbose")).toEqual(tables);
  expect(await reconcile("--account", "uk")).toEqual(["uk", "  nothing completed yet"]);
});
