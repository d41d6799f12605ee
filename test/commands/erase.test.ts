import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findEverywhere, seedErasable } from "../reconcile/erasure/erased-world.ts";
import { aPerson } from "../support/people.ts";
import { runTieout } from "../support/run-tieout.ts";
import { useTestDatabase } from "../support/test-database.ts";

const database = useTestDatabase();
let folder = "";
let wallet = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tieout-erase-"));
  ({ wallet } = await seedErasable(database.db));
  // The file of the export that the seed tells of.
  await mkdir(join(folder, "exports"));
  await writeFile(join(folder, "exports", "exp_1-1.csv"), `wallet\n${wallet}\n`);
  await aPerson(database.db, "accountant", { name: "Anna", email: "anna@example.com" });
  await aPerson(database.db, ["accountant", "controller"], { name: "Ben", email: "ben@example.com" });
  await aPerson(database.db, "auditor", { name: "Carl", email: "carl@example.com" });
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const tieout = (...args: string[]) =>
  runTieout(args, {
    DATABASE_URL: database.url.reveal(),
    TIEOUT_DATA_DIR: folder,
    ERASURE_KEY: "07".repeat(32),
  });
const erase = (...args: string[]) => tieout("erase", "--account", "acme-eu", ...args);

test.each([
  [[], /say what to erase: --wallet ADDRESS or --transaction ID/],
  [["--wallet", "0x1234567890", "--transaction", "T"], /say what to erase/],
  [["--wallet", "0x1234567890"], /an erasure needs --reason and --as/],
  [["--wallet", "0x1234567890", "--reason", "asked"], /^tieout: an erasure needs --as, the person/m],
  [
    ["--wallet", " ", "--reason", "asked", "--as", "anna@example.com"],
    /^tieout: --wallet: is empty; say which one$/m,
  ],
  [["--wallet", "0x1234567890", "--reason", " ", "--as", "anna@example.com"], /an erasure needs --reason/],
  [
    ["--wallet", "0x1234567890", "--reason", "x", "--as", "eve@example.com"],
    /--as: eve@example.com is not an active person/,
  ],
  [
    ["--wallet", "0x1234567890", "--reason", "of 0X1234567890", "--as", "anna@example.com"],
    /--reason: leave the wallet out of it/,
  ],
  [["--wallet", "0x12", "--reason", "x", "--as", "anna@example.com"], /a wallet address has at least 8/],
])("refuses %j with a clear line", async (args, says) => {
  const { code, stdout, stderr } = await erase(...args);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(says);
});

test("someone who changes nothing in the books proposes no erasure", async () => {
  const refused = await erase("--wallet", wallet, "--reason", "x", "--as", "carl@example.com");
  expect(refused).toMatchObject({ code: 1, stdout: "" });
  expect(refused.stderr).toContain("Carl may not change anything");
});

test("one person proposes, another approves, and then it stands nowhere", async () => {
  const looked = await erase("--wallet", wallet, "--dry-run");
  expect(looked.stdout).toMatch(/^Would be erased:\n {2}transactions: 1\n/);
  const proposed = await erase(
    "--wallet",
    wallet,
    "--reason",
    "request 4711",
    "--as",
    "anna@example.com",
    "--json",
  );
  expect(proposed.stderr).toContain("nothing is erased yet");
  const { approval, counts } = JSON.parse(proposed.stdout) as { approval: string; counts: object };
  expect(counts).toMatchObject({ transactions: 1, receipt_files: 1, exports: 1 });

  // Whoever looks at it sees enough to know what it is, and no more.
  const listed = await tieout("approvals", "list", "--json");
  expect(listed.stdout).toContain(`${wallet.slice(0, 4)}…${wallet.slice(-4)}`);
  expect(listed.stdout.toLowerCase()).not.toContain(wallet.toLowerCase());
  const approvals = await database.db.query("select * from tieout.approvals where kind = 'erase'");
  expect(JSON.stringify(approvals).toLowerCase()).not.toContain(wallet.toLowerCase());

  const alone = await tieout("approvals", "approve", approval, "--as", "anna@example.com");
  expect(alone).toMatchObject({ code: 1 });
  expect(alone.stderr).toContain("you proposed this yourself");
  expect(await findEverywhere(database.db, wallet)).toContain("tieout.transactions.wallet_address");

  const agreed = await tieout("approvals", "approve", approval, "--as", "ben@example.com");
  expect(agreed).toMatchObject({ code: 0 });
  expect(agreed.stderr).toMatch(/erase wallet \w{16} {2}approved by Ben/);
  expect(await findEverywhere(database.db, wallet)).toEqual([]);
  expect(await filesQuoting(folder, wallet)).toEqual([]);
  expect(await database.db.query("select from tieout.erasure_requests")).toEqual([]);
  expect(await tieout("verify")).toMatchObject({ code: 0 });

  const again = await tieout("approvals", "approve", approval, "--as", "ben@example.com");
  expect(again).toMatchObject({ code: 1 });
  expect(again.stderr).toContain("it is approved already");
});

test("what is rejected is not kept either", async () => {
  const proposed = await erase(
    "--wallet",
    "0x1234567890",
    "--reason",
    "x",
    "--as",
    "anna@example.com",
    "--json",
  );
  const { approval } = JSON.parse(proposed.stdout) as { approval: string };
  expect(await database.db.query("select from tieout.erasure_requests")).toHaveLength(1);
  const rejected = await tieout("approvals", "reject", approval, "--as", "ben@example.com", "--reason", "no");
  expect(rejected).toMatchObject({ code: 0 });
  expect(await database.db.query("select from tieout.erasure_requests")).toEqual([]);
});

async function filesQuoting(place: string, text: string): Promise<string[]> {
  const found: string[] = [];
  for (const entry of await readdir(place, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const bytes = await readFile(path, "latin1");
    if (bytes.toLowerCase().includes(text.toLowerCase())) found.push(path);
  }
  return found;
}
