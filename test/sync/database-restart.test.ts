import { rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { secret } from "../../src/core/secret.ts";
import { noFaults } from "../../src/sandbox/transactions/faults.ts";
import type { Database } from "../../src/store/database.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../src/store/embedded/embedded-postgres.ts";
import { isAlive } from "../../src/store/embedded/process-alive.ts";
import { startServer } from "../../src/store/embedded/server.ts";
import { migrateDatabase } from "../../src/store/migrate.ts";
import { verify } from "../../src/sync/verify.ts";
import { compareWithLedger, readLedger, tiedOut } from "../support/ledger-oracle.ts";
import { openFolder } from "../support/open-folder.ts";
import { type LogLine, syncDeps } from "../support/sync-deps.ts";
import { openTestDatabase } from "../support/test-database.ts";
import { addAccount, openFrozenSandbox, syncToEnd } from "../support/use-sync.ts";
import { waitFor } from "../support/wait-for.ts";

let folder = "";
let postgres: EmbeddedPostgres;
let db: Database;

// A server of its own, because this test kills it; with its log on disk, as in production.
beforeAll(async () => {
  folder = await openFolder("tieout-restart-");
  postgres = await startEmbeddedPostgres(join(folder, "data"));
  db = openTestDatabase(secret(postgres.url));
  await migrateDatabase(db, resolve("migrations"));
});

afterAll(async () => {
  await db.close();
  await postgres.leave();
  await rm(folder, { recursive: true, force: true });
});

test("fault 20: three immediate restarts of the database during a sync lose nothing and double nothing", async () => {
  const { sandbox } = await openFrozenSandbox({ transactions: 500 });
  sandbox.switches.faults = { ...noFaults, "latency-ms": 40 };
  const account = await addAccount(db, sandbox);
  const lines: LogLine[] = [];
  let done = false;
  const pages = () => lines.filter(({ event }) => event === "page_recorded").length;
  const syncing = syncToEnd(
    syncDeps(db, { lines, settings: { leaseMs: 1_000, requestsMax: 2 } }),
    account,
  ).finally(() => (done = true));
  for (let restarts = 1; restarts <= 3; restarts++) {
    const before = pages();
    await waitFor("some more pages are kept", () => pages() >= before + 4 || done);
    expect(done).toBe(false);
    const { pid, port } = postgres.server;
    process.kill(pid, "SIGQUIT");
    await waitFor("it has ended", () => !isAlive(pid));
    await wait(50);
    postgres.server = await startServer(postgres.engine, { port });
    expect(postgres.server.port).toBe(port);
  }
  const { windows } = await syncing;
  const expected = await readLedger(sandbox);
  expect(await compareWithLedger(db, account.id, expected)).toEqual(tiedOut);
  expect(windows.added).toBe(expected.records.length);
  expect(await verify(db)).toMatchObject({ statusRows: expected.records.length, mismatches: [] });
  expect(lines.some(({ event }) => event === "database_away")).toBe(true);
});
