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

test("a provider of which there is nothing is refused, with those that there are", async () => {
  await database.db.query(
    "insert into tieout.account_providers (account_id, provider) select id, 'moonpay' from tieout.accounts where name = 'uk'",
  );
  const env = { DATABASE_URL: database.url.reveal(), TIEOUT_DATA_DIR: folder };
  for (const more of [[], ["--as-at", "2026-03-01"]]) {
    const { code, stderr } = await runTieout(["reconcile", "--provider", "monpay", ...more], env);
    expect([code, stderr]).toEqual([
      2,
      expect.stringContaining(
        '--provider: there are no transactions or statements of "monpay"; there are those of moonpay',
      ),
    ]);
  }
  expect((await runTieout(["reconcile", "--provider", "MoonPay"], env)).code).toBe(0);
});
