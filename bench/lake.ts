import { stat } from "node:fs/promises";
import { join } from "node:path";
import { once } from "node:events";
import { parseArgs } from "node:util";
import { openBenchDatabase } from "./support/bench-database.ts";
import { fillTransactions } from "./support/fill-transactions.ts";
import { forkBeside } from "./support/fork-beside.ts";

/**
 * One report in every format, side by side: how long, how large, and how much memory the program that writes it takes.
 *
 *   npm run bench lake -- [--rows 1000000] [--rounds 2]
 */
const { values: flags } = parseArgs({
  options: { rows: { type: "string", default: "1000000" }, rounds: { type: "string", default: "2" } },
});
const rows = Number(flags.rows);
const rounds = Number(flags.rounds);
const aims = { csv: "", xlsx: "≤ 4 × time, < 200 MB", parquet: "≤ 2 × time, ≤ 0.25 × bytes" };
type Format = keyof typeof aims;
const formats = Object.keys(aims) as Format[];

interface Figures {
  seconds: number;
  bytes: number;
  memoryBytes: number;
}

const bench = await openBenchDatabase();
try {
  await fillTransactions(bench.database, rows);
  const found = new Map<Format, Figures[]>();
  for (let round = 0; round < rounds; round++)
    for (const format of formats) found.set(format, [...(found.get(format) ?? []), await write(format)]);
  process.stdout.write(`transactions, ${rows} rows, best of ${rounds} (node ${process.versions.node})

format          s   × csv       MB   × csv   memory MB   aim
`);
  const csv = bestOf(found.get("csv") ?? []);
  for (const format of formats) {
    const one = bestOf(found.get(format) ?? []);
    const cells = [
      one.seconds.toFixed(1).padStart(8),
      (one.seconds / csv.seconds).toFixed(2).padStart(7),
      mb(one.bytes).padStart(8),
      (one.bytes / csv.bytes).toFixed(2).padStart(7),
      mb(one.memoryBytes).padStart(11),
    ];
    process.stdout.write(`${format.padEnd(8)} ${cells.join(" ")}   ${aims[format]}\n`);
  }
} finally {
  await bench.remove();
}

/** In a process of its own, so that its memory is nobody else's. */
async function write(format: Format): Promise<Figures> {
  const path = join(bench.folder, `report.${format}`);
  const { child } = await forkBeside("report-writer", [bench.postgres.url, format, path]);
  child.send("go");
  const [answer] = (await once(child, "message")) as [{ seconds: number; memoryBytes: number }];
  child.kill();
  return { ...answer, bytes: (await stat(path)).size };
}

function bestOf(figures: readonly Figures[]): Figures {
  const [best] = figures.toSorted((a, b) => a.seconds - b.seconds);
  if (best === undefined) throw new Error("nothing was measured");
  return { ...best, memoryBytes: Math.max(...figures.map(({ memoryBytes }) => memoryBytes)) };
}

function mb(bytes: number): string {
  return (bytes / 1_048_576).toFixed(0);
}
