import { createHash } from "node:crypto";
import { access, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expireExports } from "../../src/report/expire-exports.ts";
import { type ExportDeps, runExports } from "../../src/report/run-export.ts";
import { addExport, cancelExport, type ExportRow, readExport } from "../../src/store/exports/exports.ts";
import { createFolderFiles } from "../../src/store/files/folder-files.ts";
import { openFolder } from "../support/open-folder.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { waitFor } from "../support/wait-for.ts";
import { keepAccount, keepMany, keepTransactions, october, parseCsvFile } from "./books.ts";

const database = useTestDatabase();
const never = new AbortController().signal;
let folder = "";

beforeAll(async () => {
  folder = await openFolder("tieout-exports-");
  const account = await keepAccount(database.db, "acme");
  await keepMany(database.db, account, 2_300);
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test("an export is written, added up, and offered whole", async () => {
  const row = await ask({ ...october, account: ["acme"] });
  expect(await runExports(deps(), row.id, never)).toBe(1);
  const done = await held(row.id);
  expect(done).toMatchObject({
    state: "succeeded",
    attempt: 1,
    rowsWritten: 2_300,
    rowsTotal: 2_300,
    error: null,
    totals: {
      report: "transactions.v1",
      rows: 2_300,
      sums: [
        { column: "in_amount", currency: "eur", sum: "26461.5" },
        { column: "out_amount", currency: "btc", sum: "0.0264615" },
      ],
      period: { from: "2026-10-01T00:00:00.000Z", to: "2026-11-01T00:00:00.000Z", tz: "UTC" },
      coverage: { complete: true, partial: false, gaps: [] },
      wallets: "full",
    },
  });
  const [file] = done.files ?? [];
  expect(file).toMatchObject({ name: "transactions_v1_2026-10-01_2026-10-31_UTC_all.csv", rows: 2_300 });
  const path = join(folder, file?.storedAs ?? "");
  const bytes = await readFile(path);
  expect([bytes.length, createHash("sha256").update(bytes).digest("hex")]).toEqual([
    file?.bytes,
    file?.sha256,
  ]);
  expect(await parseCsvFile(path)).toHaveLength(2_300);
  expect(await audited(row.id)).toEqual(["export.requested"]);
});

test("a worker that dies before the end leaves nothing on offer; the next one starts over and finishes", async () => {
  const row = await ask({ ...october, account: ["acme"] });
  // The file is complete, the row is not: the worker is gone in this moment and cannot clean up.
  const dying = deps({ failpoint: () => new Promise<never>(() => undefined) });
  void runExports(dying, row.id, never);
  await waitFor("its file is there", async () =>
    (await readdir(folder)).some((name) => name.startsWith(row.id)),
  );
  expect(await held(row.id)).toMatchObject({ state: "running", files: null });

  expect(await runExports(deps(), row.id, never)).toBe(0);
  await database.db.query(
    "update tieout.exports set lease_until = clock_timestamp() - interval '1 second' where id = $1",
    [row.id],
  );
  expect(await runExports(deps(), null, never)).toBe(1);
  const done = await held(row.id);
  expect(done).toMatchObject({ state: "succeeded", attempt: 2 });
  expect(await expireExports(deps())).toEqual({ expired: 0, removed: 1 });
  const left = (await readdir(folder)).filter((name) => name.startsWith(row.id));
  expect(left).toEqual(done.files?.map(({ storedAs }) => storedAs));
});

test("a worker that was taken over offers nothing, however late it comes", async () => {
  const row = await ask({ ...october, account: ["acme"] });
  let goOn = () => undefined as void;
  const paused = new Promise<void>((resolve) => (goOn = resolve));
  const late = runExports(deps({ failpoint: () => paused }), row.id, never);
  await waitFor("it has been counted", async () => (await held(row.id)).rowsTotal !== null);
  await database.db.query(
    "update tieout.exports set lease_until = clock_timestamp() - interval '1 second' where id = $1",
    [row.id],
  );
  await runExports(deps(), row.id, never);
  const before = await held(row.id);
  goOn();
  await late;
  expect(await held(row.id)).toEqual(before);
  const left = (await readdir(folder)).filter((name) => name.startsWith(row.id));
  expect(left).toEqual(before.files?.map(({ storedAs }) => storedAs));
});

test("an export that is cancelled while it runs stops, and leaves no file", async () => {
  const account = await keepAccount(database.db, "slow");
  await keepTransactions(database.db, account, [{ transaction_id: "x" }]);
  const row = await ask({ ...october, account: ["slow"] });
  let goOn = () => undefined as void;
  const paused = new Promise<void>((resolve) => (goOn = resolve));
  const running = runExports(deps({ failpoint: () => paused }), row.id, never);
  await waitFor("it runs", async () => (await held(row.id)).state === "running");
  expect(await cancelExport(database.db, row.id, { actor: "key_b", requestId: "r-1" })).toBe(true);
  goOn();
  await running;
  expect(await held(row.id)).toMatchObject({ state: "cancelled", files: null });
  expect((await readdir(folder)).filter((name) => name.startsWith(row.id))).toEqual([]);
  expect(await audited(row.id)).toEqual(["export.requested", "export.cancelled"]);
  expect(await cancelExport(database.db, row.id, { actor: "key_b", requestId: null })).toBe(false);
});

test("a process that stops gives its export back", async () => {
  const row = await ask({ ...october, account: ["acme"] });
  const stopping = new AbortController();
  const interrupted = deps({
    failpoint: async () => {
      stopping.abort();
      throw new Error("cut off");
    },
  });
  expect(await runExports(interrupted, row.id, stopping.signal)).toBe(1);
  expect(await held(row.id)).toMatchObject({ state: "queued", attempt: 1 });
  expect(await runExports(deps(), row.id, stopping.signal)).toBe(0);
  await runExports(deps(), null, never);
  expect(await held(row.id)).toMatchObject({ state: "succeeded", attempt: 2, error: null });
});

test("an export that cannot be made says why", async () => {
  const uncovered = await ask({ from: ["2026-10-01"], to: ["2026-12-01"], account: ["acme"] });
  await runExports(deps(), uncovered.id, never);
  expect(await held(uncovered.id)).toMatchObject({
    state: "failed",
    errorCode: "period_not_covered",
    error: expect.stringContaining("acme 2026-11-14T00:00:00.000Z – 2026-12-01T00:00:00.000Z") as string,
  });
  const file = join(folder, "a-file");
  await writeFile(file, "");
  const unwritable = await ask({ ...october, account: ["acme"] });
  await runExports(deps({ files: createFolderFiles(join(file, "exports")) }), unwritable.id, never);
  expect(await held(unwritable.id)).toMatchObject({ state: "failed", errorCode: "export_unavailable" });
});

test("no more run at once than allowed; what waits is taken up when one is done", async () => {
  await database.db.query(
    `insert into tieout.exports (id, report, format, parameters, actor, wallets, link_secret, state, attempt, lease_until)
     select 'exp_busy' || n, 'transactions.v1', 'csv', '{}', 'key_a', true, 'x', 'running', 1, clock_timestamp() + interval '1 hour'
     from generate_series(1, 4) as n`,
  );
  const row = await ask({ ...october, account: ["acme"] });
  expect(await runExports(deps(), row.id, never)).toBe(0);
  expect(await held(row.id)).toMatchObject({ state: "queued" });
  await database.db.query("update tieout.exports set state = 'cancelled' where id like 'exp_busy%'");
  expect(await runExports(deps(), null, never)).toBe(1);
  expect(await held(row.id)).toMatchObject({ state: "succeeded" });
});

test("an expired export loses its file and its link, and stays as a record", async () => {
  const row = await ask({ ...october, account: ["acme"] });
  await runExports(deps(), row.id, never);
  const [file] = (await held(row.id)).files ?? [];
  await database.db.query("update tieout.exports set expires_at = clock_timestamp() where id = $1", [row.id]);
  await expireExports(deps());
  const after = await held(row.id);
  expect([after.state, after.linkSecret.length, after.rowsWritten]).toEqual(["expired", 0, 2_300]);
  await expect(access(join(folder, file?.storedAs ?? ""))).rejects.toThrow("ENOENT");
});

test.each([
  ["succeeded", "running"],
  ["cancelled", "queued"],
  ["expired", "succeeded"],
])("an export that is %s never becomes %s", async (from, to) => {
  await database.db.query(
    `insert into tieout.exports (id, report, format, parameters, actor, wallets, link_secret, state, files, totals, as_of, expires_at)
     values ($1, 'transactions.v1', 'csv', '{}', 'key_a', true, 'x', $2, '[]', '{}', now(), now())`,
    [`exp_${from}`, from],
  );
  await expect(
    database.db.query("update tieout.exports set state = $2 where id = $1", [`exp_${from}`, to]),
  ).rejects.toThrow(`is ${from}, which cannot become ${to}`);
});

let asked = 0;

function ask(parameters: Record<string, string[]>): Promise<ExportRow> {
  return addExport(database.db, {
    id: `exp_test${String(++asked).padStart(4, "0")}`,
    report: "transactions.v1",
    format: "csv",
    parameters,
    actor: "key_a",
    accountIds: null,
    wallets: true,
    linkSecret: Buffer.from("secret"),
    requestId: null,
  });
}

async function held(id: string): Promise<ExportRow> {
  const row = await readExport({ database: database.db, accountIds: null }, id);
  if (row === null) throw new Error(`there is no export ${id}`);
  return row;
}

async function audited(id: string): Promise<string[]> {
  const rows = await database.db.query<{ action: string }>(
    "select action from tieout.audit_log where subject = $1 order by number",
    [id],
  );
  return rows.map(({ action }) => action);
}

function deps(changes: Partial<ExportDeps> = {}): ExportDeps {
  const log = { info: () => undefined, warn: () => undefined };
  return { database: database.db, files: createFolderFiles(folder), worker: "test", log, ...changes };
}
