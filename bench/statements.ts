import { createReadStream, createWriteStream } from "node:fs";
import { chmod, mkdtemp, rm, stat } from "node:fs/promises";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pipeline } from "node:stream/promises";
import { parseArgs } from "node:util";
import { from as copyFrom } from "pg-copy-streams";
import { secret } from "../src/core/secret.ts";
import { type Database, openDatabase } from "../src/store/database.ts";
import { startEmbeddedPostgres } from "../src/store/embedded/embedded-postgres.ts";
import { migrateDatabase } from "../src/store/migrate.ts";
import { forkBeside } from "./support/fork-beside.ts";
import type { ImportFigures } from "./support/import-statement.ts";

/**
 * Import of a statement side by side with what no import can beat: `COPY` of the same file into a table of texts, by the
 * same server, in the same run.
 */
const { values } = parseArgs({ options: { lines: { type: "string", default: "1000000" } } });
const lines = Number(values.lines);
const header =
  "id,partnerOrderId,isBuyOrSell,status,fiatCurrency,fiatAmount,cryptoCurrency,cryptoAmount,network,totalFeeInFiat," +
  "partnerFeeInLocalCurrency,conversionPrice,transactionHash,walletAddress,createdAt,completedAt,lineType,payoutId," +
  "payoutCurrency,payoutAmount";

const folder = await mkdtemp(join(tmpdir(), "tieout-bench-"));
await chmod(folder, 0o711);
const file = join(folder, "transak-2026-01.csv");
await writeStatement(file, lines);
const megabytes = (await stat(file)).size / 1e6;
const postgres = await startEmbeddedPostgres(join(folder, "data"), { throwAway: true });
const database = openDatabase(secret(postgres.url), {
  part: "bench",
  connectionsMax: 4,
  statementTimeoutMs: 600_000,
  onError: () => undefined,
});

try {
  await migrateDatabase(database, resolve("migrations"));
  const copySeconds = await seconds(() => copyAsText(database));
  const first = await importApart();
  const again = await importApart();
  const [counted] = await database.query<{ lines: number }>(
    "select count(*)::int as lines from tieout.statement_lines",
  );
  process.stdout
    .write(`statement of ${lines} lines, ${megabytes.toFixed(0)} MB (node ${process.versions.node})

                           seconds   lines a second   of COPY   aim
COPY into texts      ${cell(copySeconds)} ${cell(lines / copySeconds)}
import               ${cell(first.seconds)} ${cell(lines / first.seconds)}   ${(copySeconds / first.seconds).toFixed(2).padStart(7)}   ≥ 0.2
the same file again  ${cell(again.seconds)}
lines kept           ${cell(counted?.lines ?? 0)}
peak memory, MB      ${cell(first.peakBytes / 1e6)}                              < 250
`);
} finally {
  await database.close();
  await postgres.leave();
  await rm(folder, { recursive: true, force: true });
}

async function copyAsText(db: Database): Promise<void> {
  const columns = header.split(",").map((name) => `"${name}" text`);
  await db.query(`create table bench_texts (${columns.join(", ")})`);
  await db.session(async (client) => {
    const copy = client.query(copyFrom("copy bench_texts from stdin (format csv, header)"));
    await pipeline(createReadStream(file, { highWaterMark: 256 * 1024 }), copy);
  });
}

/** In a process of its own: what writing and copying the file leave behind must not be counted as the import's memory. */
async function importApart(): Promise<ImportFigures> {
  const { child, ready } = await forkBeside("import-statement", [postgres.url, file]);
  await once(child, "exit");
  return ready as ImportFigures;
}

async function writeStatement(path: string, count: number): Promise<void> {
  const out = createWriteStream(path);
  let text = `${header}\n`;
  for (let index = 0; index < count; index++) {
    const hex = createHash("sha256").update(String(index)).digest("hex");
    const id = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
    const createdMs = Date.UTC(2026, 0, 1) + index * 2_000;
    const times = `${new Date(createdMs).toISOString()},${new Date(createdMs + 90_000).toISOString()}`;
    const amount = `${100 + (index % 900)}.${String(index % 100).padStart(2, "0")}`;
    text +=
      `${id},01K${index.toString(36).toUpperCase().padStart(7, "0")}${hex.slice(0, 16).toUpperCase()},BUY,COMPLETED,EUR,${amount},ETH,0.0${index % 9}12345,ethereum,3.99,0.56,` +
      `0.00041225,0x${hex},0x${hex.slice(0, 40)},${times},charge,TR-2026-01-EUR,,\n`;
    if (text.length < 1 << 20) continue;
    if (!out.write(text)) await once(out, "drain");
    text = "";
  }
  out.end(text);
  await once(out, "finish");
}

async function seconds(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1_000;
}

function cell(value: number): string {
  return value.toFixed(value < 100 ? 1 : 0).padStart(13);
}
