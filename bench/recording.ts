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
import type { HashedRecord } from "../src/store/transactions/record-page.ts";
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
recording new records       ${cell(rate(newSeconds))}   ${(copySeconds / newSeconds).toFixed(2)}   ≥ 0.20 of COPY
reading known ones again    ${cell(rate(againSeconds))}   ${(newSeconds / againSeconds).toFixed(2)}   ≥ 2.5 × new
WAL while reading again: ${walBytes} bytes, ${(walBytes / pages.length).toFixed(0)} a page (the window's own progress)
`);

await database.close();
await postgres.leave();
await rm(folder, { recursive: true });

async function copyRows(db: Database, all: HashedRecord[][]): Promise<void> {
  await db.query("create unlogged table bare (like tieout.transaction_statuses)");
  await db.session(async (client) => {
    const into = client.query(copyFrom("copy bare from stdin"));
    await pipeline(Readable.from(copyLines(all)), into);
  });
}

function* copyLines(all: HashedRecord[][]): Generator<string> {
  for (const page of all) {
    yield page
      .map(({ record: r, recordHash, hashVersion }) =>
        [accountId, r.transactionId, `\\\\x${recordHash}`, hashVersion, r.status, 10, r.statusDate]
          .concat(
            [r.transactionType, r.provider, r.providerTransactionId, r.paymentMethod, r.country].map(orNull),
          )
          .concat(
            [r.sourceCurrency, r.inAmount, r.targetCurrency, r.outAmount, r.transactionHash].map(orNull),
          )
          .concat([r.walletAddress, r.apiKey, null, null, "1", "2026-01-01T00:00:00Z"].map(orNull))
          .join("\t"),
      )
      .join("\n")
      .concat("\n");
  }
}

function orNull(value: string | null): string {
  return value ?? "\\N";
}

async function walPosition(db: Database): Promise<string> {
  const [row] = await db.query<{ at: string }>("select pg_current_wal_insert_lsn()::text as at");
  return row?.at ?? "";
}

async function walSince(db: Database, before: string): Promise<number> {
  const [row] = await db.query<{ bytes: string }>(
    "select pg_wal_lsn_diff(pg_current_wal_insert_lsn(), $1)::text as bytes",
    [before],
  );
  return Number(row?.bytes);
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1_000;
}

function cell(value: number): string {
  return value.toLocaleString("en").padStart(9);
}
