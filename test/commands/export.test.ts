import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { lstat, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { keepAccount, keepMany, keepTransactions, parseCsv } from "../report/books.ts";
import { openFolder } from "../support/open-folder.ts";
import { runTieout, startProcess } from "../support/run-tieout.ts";
import { useTestDatabase } from "../support/test-database.ts";

const database = useTestDatabase();
const folder = await openFolder("tieout-export-");
const october = ["--from", "2026-10-01", "--to", "2026-11-01"];

beforeAll(async () => {
  const account = await keepAccount(database.db, "acme");
  await keepTransactions(database.db, account, [
    { transaction_id: "a", in_amount: "100.10", wallet_address: "bc1qexampleaddress" },
    { transaction_id: "b", in_amount: "0.9", provider: "globex", status: "pending" },
  ]);
  const many = await keepAccount(database.db, "many");
  await keepMany(database.db, many, 30_000);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test("a report goes to stdout, and everything else to stderr", async () => {
  const { code, stdout, stderr } = await run(["export", "transactions", ...october, "--account", "acme"]);
  expect(stderr).toMatch(
    /transactions\.v1: 2 rows as of \d{4}-\d\d-\d\dT[\d:.]+Z\.\n {2}in_amount 101 eur\n/,
  );
  expect(code).toBe(0);
  expect(parseCsv(stdout).map((row) => row["wallet_address"])).toEqual([
    "bc1qexampleaddress",
    "bc1qexampleaddress",
  ]);
  const [entry] = await database.db.query(
    "select actor, action, subject, after from tieout.audit_log order by number desc limit 1",
  );
  expect(entry).toMatchObject({
    actor: "command line",
    action: "report.exported",
    subject: "transactions.v1",
    after: { parameters: { account: ["acme"], from: ["2026-10-01"] } },
  });
});

test("a status that no record has is noted, unless it is one that records may have", async () => {
  const says = async (...statuses: string[]) => {
    const words = statuses.flatMap((status) => ["--status", status]);
    const { code, stderr } = await run(["export", "transactions", ...october, "--account", "acme", ...words]);
    expect(code).toBe(0);
    return stderr.split("\n").filter((line) => line.startsWith("Note:"));
  };
  expect(await says("complete", "PENDING", "expired", "on its way")).toEqual([
    'Note: no record has the status "complete"; did you mean completed?',
    'Note: no record has the status "PENDING"; did you mean pending?',
    'Note: no record has the status "expired"; did you mean canceled?',
    'Note: no record has the status "on its way"; known are new, pending, paid, canceled, failed, completed',
  ]);
  expect(await says("failed", "pending")).toEqual([]);
});

test("a file has its control totals beside it, which --json prints as well", async () => {
  const out = join(folder, "october.jsonl");
  const flags = ["--account", "acme", "--status", "completed", "--format", "jsonl", "--out", out, "--json"];
  const { code, stdout } = await run(["export", "transactions", ...october, ...flags]);
  expect(code).toBe(0);
  const bytes = await readFile(out);
  const totals = JSON.parse(await readFile(`${out}.totals.json`, "utf8")) as object;
  for (const file of [out, `${out}.totals.json`]) expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(totals).toMatchObject({
    report: "transactions.v1",
    rows: 1,
    sums: [{ column: "in_amount", currency: "eur", sum: "100.1" }, { column: "out_amount" }],
    period: { from: "2026-10-01T00:00:00.000Z", to: "2026-11-01T00:00:00.000Z", tz: "UTC" },
    filters: { status: ["completed"] },
    coverage: { complete: true },
    files: [{ name: "october.jsonl", rows: 1, sha256: createHash("sha256").update(bytes).digest("hex") }],
  });
  expect(JSON.parse(stdout)).toEqual(totals);
  expect(JSON.parse(bytes.toString())).toMatchObject({ transaction_id: "a", in_amount: "100.10" });
});

test("into a folder it goes under its own name, with its totals beside it", async () => {
  const period = ["--from", "2026-10-01", "--to", "2026-10-01T00:40:00Z", "--account", "many"];
  const { code, stderr } = await run(["export", "transactions", ...period, "--out", folder, "--quiet"]);
  expect([code, stderr]).toEqual([0, ""]);
  const name = "transactions_v1_2026-10-01_2026-10-01_UTC_all.csv";
  expect((await readdir(folder)).filter((file) => file.startsWith(name)).toSorted()).toEqual([
    name,
    `${name}.totals.json`,
  ]);
});

test("with many currencies the terminal gets a screenful of totals, and the file all of them", async () => {
  const account = await keepAccount(database.db, "wide");
  const currencies = Array.from({ length: 30 }, (_, at) => `x${String(at).padStart(2, "0")}`);
  await keepTransactions(
    database.db,
    account,
    currencies.map((code) => ({ transaction_id: code, source_currency: code })),
  );
  const out = join(folder, "wide.csv");
  const flags = [...october, "--account", "wide", "--out", out, "--json"];
  const { code, stdout, stderr } = await run(["export", "transactions", ...flags]);
  expect(code).toBe(0);
  expect(stderr.trim().split("\n").length).toBeLessThanOrEqual(20);
  expect(stderr).toContain("all totals are in wide.csv.totals.json");
  const { sums } = JSON.parse(stdout) as { sums: { column: string }[] };
  expect(sums.filter(({ column }) => column === "in_amount")).toHaveLength(30);
});

test("a reader who goes away ends the command quietly", async () => {
  const program = "node dist/tieout.js export transactions --account many | head -n 2";
  const { code, stdout, stderr } = await startProcess("bash", ["-c", program], {
    DATABASE_URL: database.url.reveal(),
  }).finished;
  expect(code).toBe(0);
  expect(stdout.split("\n")).toHaveLength(3);
  expect(stderr).not.toContain("tieout:");
});

test("a reader who is slow to begin gets every row", async () => {
  const program = "node dist/tieout.js export transactions --account many | (sleep 1; wc -l)";
  const { stdout, stderr } = await startProcess("bash", ["-c", program], {
    DATABASE_URL: database.url.reveal(),
  }).finished;
  expect(stderr).not.toContain("tieout:");
  expect(Number(stdout)).toBe(30_000 + 1);
});

test("two hundred thousand rows take hardly more memory than two", async () => {
  // Indexes that nothing here reads would only make the rows slow to add.
  await database.db.query("drop index tieout.transactions_by_change, tieout.transactions_open");
  const account = await keepAccount(database.db, "huge");
  await keepMany(database.db, account, 200_000);
  const out = join(folder, "huge.csv");
  const few = await peakKilobytes(["export", "transactions", "--account", "acme", "--out", out]);
  const all = await peakKilobytes(["export", "transactions", "--account", "huge", "--out", out]);
  expect(JSON.parse(await readFile(`${out}.totals.json`, "utf8"))).toMatchObject({ rows: 200_000 });
  expect((await stat(out)).size).toBeGreaterThan(50 * 1024 * 1024);
  expect(all - few).toBeLessThan(48 * 1024);
});

test.each([
  ["an unknown report", ["transaction"], 2, 'there is no report "transaction"; did you mean transactions?'],
  [
    "an unknown format",
    ["rates", "--format", "pdf"],
    2,
    '--format: expected one of csv, jsonl, xlsx, parquet, found "pdf"',
  ],
  [
    "a bad time",
    ["rates", "--from", "yesterday"],
    2,
    '--from: not a day or a time: "yesterday". Use 2026-11-14, 2026-11-14T09:30:00Z or unix seconds.',
  ],
  [
    "an abbreviation as zone",
    ["rates", "--tz", "BST"],
    2,
    '--tz: not a time zone: "BST". Use UTC or an IANA name such as Europe/London.',
  ],
  [
    "a flag that the report does not have",
    ["quarantine", "--status", "new"],
    2,
    "--status: there is no such parameter",
  ],
  [
    "a layout where there is only one",
    ["position", "--layout", "xero"],
    2,
    "tieout: --layout: position has one layout only: leave this out\n",
  ],
  [
    "a layout that another format does not have",
    ["journal", "--format", "jsonl", "--layout", "xero"],
    2,
    '--layout: expected plain with this format, found "xero"',
  ],
  [
    "a time that is not over",
    ["position", "--known-at", "2099-01-01", "--account", "acme"],
    2,
    "--known-at: is after ",
  ],
  ["--json without --out", ["rates", "--json"], 2, "--json: needs --out"],
  [
    "a period that is not covered",
    ["rates", "--to", "2027-01-01"],
    1,
    "the period has not been read completely yet (acme 2026-11-14T00:00:00.000Z – 2027-01-01T00:00:00.000Z",
  ],
  [
    "a folder that is not there",
    ["rates", "--out", "/nowhere/at/all.csv"],
    2,
    "--out: there is no folder /nowhere/at: make it, or choose another",
  ],
  // Not even root may make a file there.
  [
    "a folder in which nothing can be written",
    ["rates", "--out", "/proc/all.csv"],
    2,
    "--out: the folder /proc cannot be written (ENOENT): make it writable, or choose another",
  ],
  ["a place without a name", ["rates", "--out", ""], 2, "--out: name a file"],
])("%s gets one clear line", async (_, args, wanted, says) => {
  const { code, stdout, stderr } = await run(["export", ...args]);
  expect(stderr.trim().split("\n").at(-1)).toMatch(/^tieout: /);
  expect(stderr).toContain(says);
  expect([code, stdout]).toEqual([wanted, ""]);
});

test("a pipe is left alone, and a link is followed to its file", async () => {
  const place = await mkdtemp(join(folder, "places-"));
  const [pipe, file, link] = [join(place, "pipe"), join(place, "october.csv"), join(place, "latest.csv")];
  const exportTo = (out: string) =>
    run(["export", "transactions", ...october, "--account", "acme", "--out", out]);
  await promisify(execFile)("mkfifo", [pipe]);
  const refused = await exportTo(pipe);
  expect([refused.code, (await stat(pipe)).isFIFO()]).toEqual([2, true]);
  expect(refused.stderr).toContain(`--out: ${pipe} is a device or a pipe: name a file`);

  await writeFile(file, "older");
  await symlink(file, link);
  expect((await exportTo(link)).code).toBe(0);
  expect((await lstat(link)).isSymbolicLink()).toBe(true);
  expect(parseCsv(await readFile(file, "utf8"))).toHaveLength(2);
});

test("a partial period is written when asked for, and said", async () => {
  const { code, stderr } = await run([
    "export",
    "rates",
    "--to",
    "2027-01-01",
    "--account",
    "acme",
    "--partial",
  ]);
  expect(code).toBe(0);
  expect(stderr).toContain("PARTIAL: some of the period has not been read yet.");
});

/** The most that the command had in memory, as it says itself when it ends. */
async function peakKilobytes(args: string[]): Promise<number> {
  const script = 'process.on("exit",()=>process.stderr.write("peak="+process.resourceUsage().maxRSS))';
  const NODE_OPTIONS = `--import data:text/javascript,${encodeURIComponent(script)}`;
  const { code, stderr } = await runTieout(args, { DATABASE_URL: database.url.reveal(), NODE_OPTIONS });
  expect(code).toBe(0);
  return Number(/peak=(\d+)/.exec(stderr)?.[1]);
}

function run(args: string[]) {
  return runTieout(args, { DATABASE_URL: database.url.reveal() });
}
