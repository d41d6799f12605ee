import { copyFile, link, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createPublicKey } from "node:crypto";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { preparePeriod } from "../../src/close/prepare.ts";
import { approvePeriod, reopenPeriod } from "../../src/close/sign.ts";
import { withPack } from "../../src/close/sign-off.ts";
import { addMissingOrder, alice, bob, monthOfBooks, openMonth, signingKey } from "../close/a-month.ts";
import type { Books } from "../reconcile/books.ts";
import { aPerson } from "../support/people.ts";
import { runTieout, startTieout } from "../support/run-tieout.ts";
import { useTestDatabase } from "../support/test-database.ts";

const database = useTestDatabase();
const empty = useTestDatabase();
let folder = "";
let books: Books;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tieout-test-"));
  await aPerson(database.db, "accountant", { name: alice.name });
  await aPerson(database.db, "accountant", { name: "Carol Accountant", email: "carol@example.com" });
  books = await openMonth(database.db);
  await preparePeriod(database.db, await monthOfBooks(books), [], alice);
  await withPack(database.db, signingKey, await monthOfBooks(books), (pack) =>
    copyFile(pack.path, join(folder, "pack.zip")),
  );
  const pem = createPublicKey(signingKey).export({ type: "spki", format: "pem" });
  await writeFile(join(folder, "key.pem"), pem);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const close = (...args: string[]) =>
  runTieout(["close", ...args], { DATABASE_URL: database.url.reveal(), TIEOUT_DATA_DIR: folder });

test("a pack is checked without a database, and a changed one is refused", async () => {
  const pack = join(folder, "pack.zip");
  const sound = await runTieout(["close", "verify", pack, "--key", join(folder, "key.pem")], {});
  expect(sound).toMatchObject({ code: 0 });
  expect(sound.stdout).toContain("prepared by Alice Example");
  const bytes = await readFile(pack);
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  await writeFile(join(folder, "changed.zip"), bytes);
  const changed = await runTieout(["close", "verify", join(folder, "changed.zip")], {});
  expect(changed).toMatchObject({ code: 1 });
  expect(changed.stderr).toContain("not a sound pack");
});

test("a month of a database that has no account yet is not looked for among the accounts", async () => {
  const env = { DATABASE_URL: empty.url.reveal(), TIEOUT_DATA_DIR: folder };
  const { code, stderr } = await runTieout(["close", "status", "2026-10"], env);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: "tieout: there is no account yet: start tieout once to make it\n",
  });
});

test("a month is shown, approved once, and not again", async () => {
  const month = ["2026-03", "--account", books.name, "--json"];
  const shown = await close("status", ...month);
  expect(JSON.parse(shown.stdout)).toMatchObject({ state: "prepared", prepared: { name: "Alice Example" } });
  const approved = await close("approve", ...month);
  expect(JSON.parse(approved.stdout)).toMatchObject({ state: "closed" });
  const again = await close("approve", ...month);
  expect(again.code).toBe(1);
  expect(again.stderr).toContain("prepare it before it can be approved");
});

test("what is not in order is listed, and that the month is read again only if it is", async () => {
  const month = await openMonth(database.db);
  await addMissingOrder(month, "left open");
  const prepare = () => close("prepare", "2026-03", "--account", month.name);
  const open = await prepare();
  expect(open.code).toBe(4);
  expect(open.stdout).toMatch(
    /^2026-03 is not in order:\n {2}red .*\nPut it in order, or accept each with --accept line=reason\.\n$/s,
  );
  expect(open.stdout).not.toContain("read again");
  await database.db.query("delete from tieout.sync_windows where account_id = $1 and kind = 'deep'", [
    month.accountId,
  ]);
  expect((await prepare()).stdout).toContain("\nThe month is being read again by the service");
});

test("an account that does not exist is refused, and not shown as one without months", async () => {
  const { code, stdout, stderr } = await close("status", "--account", "mistyped");
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toContain('there is no account "mistyped"; there are: ');
});

describe("tieout close carry", () => {
  const order = ["2026-03", "--reason", "asked the provider"];

  test("assigns what is carried, by name or e-mail, and refuses a name that is nobody's", async () => {
    const late = await openMonth(database.db);
    await addMissingOrder(late, "carried");
    const carry = (owner: string) => close("carry", ...order, "--account", late.name, "--owner", owner);
    const nobody = await carry("nobodyhere");
    expect(nobody.code).toBe(1);
    expect(nobody.stderr).toContain('the owner "nobodyhere" is not an active person');
    expect(nobody.stderr).toContain("tieout people list");
    expect((await carry("carol@example.com")).stdout).toBe(
      "1 carried forward, and assigned to Carol Accountant\n",
    );
    const [held] = await database.db.query<{ owner: string }>(
      "select owner from tieout.discrepancies where transaction_id = 'carried'",
    );
    expect(held).toEqual({ owner: "Carol Accountant" });
    expect((await carry("Carol Accountant")).stdout).toBe("Nothing is left to carry forward\n");
  });

  test("cuts an amount of a coin where the page cuts it", async () => {
    const late = await openMonth(database.db);
    await addMissingOrder(late, "long");
    await database.db.query(
      "update tieout.findings set owed = -1234.123456789012345678, owed_currency = 'BTC' where transaction_id = 'long'",
    );
    const { stdout } = await close("status", "2026-03", "--account", late.name);
    expect(stdout).toContain("\n         open: -1,234.12345678… BTC\n");
    const exact = await close("status", "2026-03", "--account", late.name, "--json");
    expect(exact.stdout).toContain('"-1234.123456789012345678"');
  });

  test("leaves the money of what is carried, and the reasons of what is accepted, in the status", async () => {
    const late = await openMonth(database.db);
    await addMissingOrder(late, "owed");
    await database.db.query(
      "update tieout.findings set owed = 1234.5, owed_currency = 'EUR' where transaction_id = 'owed'",
    );
    const status = async () => (await close("status", "2026-03", "--account", late.name)).stdout;
    expect(await status()).toContain(
      "1 not closed, 0 of them carried forward.\n         open: 1,234.50 EUR\n",
    );
    await close("carry", ...order, "--account", late.name, "--owner", "Carol Accountant");
    expect(await status()).toContain("1 of them carried forward.\n         carried forward: 1,234.50 EUR\n");
    await addMissingOrder(late, "owed too");
    const accepted = [{ line: "discrepancies", reason: "asked the provider, ticket 481" }];
    await preparePeriod(database.db, await monthOfBooks(late), accepted, alice);
    expect(await status()).toMatch(
      /carried forward: 1,234.50 EUR\n         accepted because: asked the provider, ticket 481\n/,
    );
    await addMissingOrder(late, "learnt later");
    expect(await status()).toMatch(
      /: prepared, lapses, because this has changed since: .*1 record \(learnt later\)/,
    );
    expect((await close("status", "--account", late.name)).stdout).toContain("1 record (learnt later)");
    const listed = JSON.parse((await close("status", "--account", late.name, "--json")).stdout) as object[];
    expect(listed).toContainEqual(
      expect.objectContaining({
        month: "2026-03",
        changes: expect.arrayContaining([expect.objectContaining({ first: ["learnt later"] })]),
      }),
    );
  });

  test("says that a month is closed", async () => {
    const { code, stderr } = await close(
      "carry",
      ...order,
      "--account",
      books.name,
      "--owner",
      "Carol Accountant",
    );
    expect(code).toBe(1);
    expect(stderr).toContain("2026-03 is closed: carry them forward in the next open month");
  });
});

test("tieout close pack writes the pack of an earlier close after reopening", async () => {
  const again = await openMonth(database.db);
  const { packSha256 } = await preparePeriod(database.db, await monthOfBooks(again), [], alice);
  await approvePeriod(database.db, await monthOfBooks(again), bob);
  await reopenPeriod(database.db, await monthOfBooks(again), "a late refund", alice);
  await reopenPeriod(database.db, await monthOfBooks(again), "yes", bob);
  const pack = (...args: string[]) => close("pack", "2026-03", "--account", again.name, ...args);
  const refused = await pack();
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(`2026-03 is reopened`);
  expect(refused.stderr).toContain(packSha256);
  const out = join(folder, "earlier.zip");
  await writeFile(out, "of last week");
  await link(out, join(folder, "what was there"));
  const written = await pack("--pack-sha256", packSha256, "--out", out, "--json");
  expect(JSON.parse(written.stdout)).toMatchObject({ file: out, manifest_sha256: packSha256 });
  // It takes the name when all of it is written: whoever stops the command is not left with half a pack.
  expect(await readFile(join(folder, "what was there"), "utf8")).toBe("of last week");
});

test("tieout close pack that takes long says in a log what it is doing", async () => {
  const args = ["close", "pack", "2026-03", "--account", books.name, "--out", join(folder, "slow.zip")];
  const slow = await database.db.transaction(async (tx) => {
    await tx.query("lock table tieout.statements in access exclusive mode");
    const pack = startTieout(args, { DATABASE_URL: database.url.reveal(), TIEOUT_DATA_DIR: folder });
    await pack.says(/^(Making the pack|\d+ of \d+ files of the pack made) \(5 s\)$/m);
    return pack;
  });
  expect(await slow.finished).toMatchObject({ code: 0 });
});

test.each([
  [["status", "October"], /"October" is not a month/],
  [["prepare", "2026-03", "--accept", "read"], /expected a line and a reason/],
  [["reopen", "2026-03"], /required option '--reason <text>'/],
])("tieout close %j says what is wrong", async (args, message) => {
  const { code, stderr } = await close(...args, ...(args[0] === "status" ? ["--account", books.name] : []));
  expect(code).not.toBe(0);
  expect(stderr).toMatch(message);
});
