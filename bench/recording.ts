import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { Readable } from "node:stream";
import { from as copyFrom } from "pg-copy-streams";
import { secret } from "../src/core/secret.ts";
import { ensureAccounts } from "../src/store/accounts/accounts.ts";
import { type Database, openDatabase } from "../src/store/database.ts";
import { startEmbeddedPostgres } from "../src/store/embedded/embedded-postgres.ts";
import { migrateDatabase } from "../src/store/migrate.ts";
import { ensureMonths } from "../src/store/transactions/months.ts";
import type { HashedRecord } from "../src/store/transactions/record-page.ts";
import { sentColumns } from "../src/store/transactions/sent-columns.ts";
import { walPosition, walSince } from "./support/wal.ts";
import { makePages, recordAll, walkers } from "./support/pages-to-record.ts";

/**
 * Recording pages (history, latest rows and all their indexes) beside a bare COPY of the same rows into an unlogged
 * table without indexes; and reading known records again beside recording new ones. Embedded Postgres, fsync on.
 */
const records = Number(process.argv[2] ?? 100_000);

const folder = await mkdtemp(join(tmpdir(), "tieout-bench-"));
await chmod(folder, 0o711);
const postgres = await startEmbeddedPostgres(join(folder, "data"));
const database = openDatabase(secret(postgres.url), {
  part: "bench",
  connectionsMax: 6,
  statementTimeoutMs: 600_000,
  onError: () => undefined,
});
await migrateDatabase(database, resolve("migrations"));
const accounts = await ensureAccounts(
  database,
  [{ name: "bench", baseUrl: "https://bench.example", syncStart: "2026-01-01T00:00:00Z" }],
  "bench",
);
const accountId = accounts.get("bench") ?? 0;
await database.query("update tieout.accounts set request_limit = 64");

await ensureMonths(database);

const copied = sentColumns.map(({ column }) => column);
const pages = makePages(records);
const copySeconds = await timed(() => copyRows(database, pages));
const newSeconds = await timed(() => recordAll(database, accountId, pages));
const walBefore = await walPosition(database);
const againSeconds = await timed(() => recordAll(database, accountId, pages));
const walBytes = await walSince(database, walBefore);

const rate = (seconds: number) => Math.round(records / seconds);
process.stdout
  .write(`${records} records, ${walkers} walkers, node ${process.versions.node}, ${process.platform}-${process.arch}

                              records/s   ratio    aim
COPY, unlogged, no index    ${cell(rate(copySeconds))}
recording new records       ${cell(rate(newSeconds))}   ${(copySeconds / newSeconds).toFixed(2)}   ≥ 0.25 of COPY
reading known ones again    ${cell(rate(againSeconds))}   ${(newSeconds / againSeconds).toFixed(2)}   ≥ 2.5 × new
WAL while reading again: ${walBytes} bytes, ${(walBytes / pages.length).toFixed(0)} a page (the window's own progress)
`);

await database.close();
await postgres.leave();
await rm(folder, { recursive: true });

async function copyRows(db: Database, all: HashedRecord[][]): Promise<void> {
  await db.query("create unlogged table bare (like tieout.transaction_statuses)");
  await db.session(async (client) => {
    const into = client.query(
      copyFrom(`copy bare (account_id, first_seen_at, ${copied.join(", ")}) from stdin`),
    );
    await pipeline(Readable.from(copyLines(all)), into);
  });
}

function* copyLines(all: HashedRecord[][]): Generator<string> {
  for (const page of all) {
    yield page
      .map((one) => {
        const row = { ...one, windowId: 1 };
        const values = sentColumns.map(({ of }) => orNull(of(row) as string | number | null));
        return [accountId, "2026-01-01T00:00:00Z", ...values].join("\t");
      })
      .join("\n")
      .concat("\n");
  }
}

function orNull(value: string | number | null): string {
  return value === null ? "\\N" : String(value).replaceAll("\\", "\\\\");
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1_000;
}

function cell(value: number): string {
  return value.toLocaleString("en").padStart(9);
}
