import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { erase } from "../../../src/reconcile/erasure/erase.ts";
import { writeLake } from "../../../src/report/lake/write-lake.ts";
import { type ExportDeps, runExports } from "../../../src/report/run-export.ts";
import { addExport, readExport } from "../../../src/store/exports/exports.ts";
import { readText } from "../../../src/store/files/files.ts";
import { createFolderFiles } from "../../../src/store/files/folder-files.ts";
import { askDuckDb } from "../../support/duckdb.ts";
import { openFolder } from "../../support/open-folder.ts";
import { useTestDatabase } from "../../support/test-database.ts";
import { waitFor } from "../../support/wait-for.ts";
import type { SeededTransaction } from "../../web/seed-page.ts";
import { accountId, agreeOn, arrive, key, seedErasable, statusOf } from "./erased-world.ts";

const database = useTestDatabase();
const never = new AbortController().signal;
let folder = "";
let wallet = "";
let short: SeededTransaction;

beforeAll(async () => {
  folder = await openFolder("tieout-copies-");
  ({ wallet, short } = await seedErasable(database.db));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function eraseIt(value: string): Promise<Record<string, number>> {
  const { approvalId } = await agreeOn(database.db, { kind: "wallet", value });
  const { counts } = await erase(
    { database: database.db, key },
    { accountId, kind: "wallet", value, approvalId },
  );
  return counts;
}

test("the next run of the lake writes its account again, and removes every file that quotes it", async () => {
  const files = createFolderFiles(join(folder, "lake"));
  const write = () => writeLake({ database: database.db, files });
  await write();
  // A month that has changed: the older file of it stays, and quotes the wallet as well.
  await arrive(database.db, [statusOf(short, { walletAddress: short.wallet })]);
  await write();
  const parquet = async () => (await files.list("")).filter((name) => name.endsWith(".parquet"));
  const quoting = async () => {
    const found = [];
    for (const name of await parquet()) {
      const [row] = await askDuckDb(
        `select count(*)::int as rows from read_parquet('${join(files.place, name)}') as r
         where contains(lower(r::varchar), '${short.wallet.toLowerCase()}')`,
      );
      if (Number(row?.["rows"]) > 0) found.push(name);
    }
    return found;
  };
  const before = await parquet();
  const tables = (await quoting()).map((name) => name.slice(0, name.indexOf("/")));
  expect(tables.filter((name) => name === "transactions")).toHaveLength(2);
  expect(tables).toContain("transaction_statuses");

  await eraseIt(short.wallet);
  expect((await write()).removed).toBeGreaterThanOrEqual(4);
  expect(await quoting()).toEqual([]);
  const ofOthers = (names: readonly string[]) => names.filter((name) => !name.includes("/acme-eu/"));
  expect(await parquet()).toEqual(expect.arrayContaining(ofOthers(before)));
  const rows = `select account, count(*)::int as rows, count(distinct record_hash)::int as hashes,
                       count(*) filter (where is_latest)::int as latest, count(distinct wallet_address)::int as wallets
                from reporting.transaction_statuses group by account order by account`;
  const views = await readText(files, "duckdb.sql");
  expect(await askDuckDb(views ?? "", rows)).toEqual(await database.db.query(rows));
  expect(await write()).toMatchObject({ files: 0, rows: 0, removed: 0 });
});

test("an export that is being written meanwhile is begun anew, and never offers what was erased", async () => {
  const id = "exp_meanwhile";
  await addExport(database.db, {
    id,
    report: "transaction-statuses.v1",
    format: "csv",
    parameters: { from: ["2020-01-01"], to: ["2030-01-01"], partial: ["true"] },
    actor: "key_a",
    accountIds: null,
    wallets: true,
    linkSecret: Buffer.from("secret"),
    requestId: null,
  });
  const texts = async () => {
    const names = (await readdir(folder)).filter((name) => name.startsWith(id) && name.endsWith(".csv"));
    return Promise.all(names.map((name) => readFile(join(folder, name), "utf8")));
  };
  const held = () => readExport({ database: database.db, accountIds: null }, id);
  let goOn = () => undefined as void;
  const paused = new Promise<void>((resolve) => (goOn = resolve));
  const running = runExports(deps({ failpoint: () => paused }), id, never);
  await waitFor("its file is there", async () => (await texts()).length > 0);
  expect((await texts()).join()).toContain(wallet);

  expect(await eraseIt(wallet)).toMatchObject({ exports: 1 });
  goOn();
  await running;
  expect(await held()).toMatchObject({ state: "succeeded", attempt: 2 });
  expect(await texts()).toEqual([expect.stringContaining("erased:")]);
  expect((await texts()).join()).not.toContain(wallet);
});

function deps(changes: Partial<ExportDeps> = {}): ExportDeps {
  const log = { info: () => undefined, warn: () => undefined };
  return { database: database.db, files: createFolderFiles(folder), worker: "test", log, ...changes };
}
