import { stat } from "node:fs/promises";
import { join } from "node:path";
import { once } from "node:events";
import { parseArgs } from "node:util";
import { openBenchDatabase } from "./support/bench-database.ts";
import { fillTransactions } from "./support/fill-transactions.ts";
import { forkBeside } from "./support/fork-beside.ts";

/**
 * One report in every format, side by side and of the same rows: how long, how much work, how large, and how much memory the
 * program that writes it takes. Work is CPU time of that program and of its Postgres session: what else the machine does
 * changes it less than it changes the time.
 *
 *   npm run bench lake -- [--rows 200000,1000000] [--rounds 2]
 */
const { values: flags } = parseArgs({
  options: { rows: { type: "string", default: "200000,1000000" }, rounds: { type: "string", default: "2" } },
});
const rounds = Number(flags.rounds);
const aims = { csv: "", xlsx: "≤ 4 × time, < 200 MB", parquet: "≤ 2 × time, ≤ 0.25 × bytes" };
type Format = keyof typeof aims;
const formats = Object.keys(aims) as Format[];

interface Figures {
  seconds: number;
  cpuSeconds: number;
  bytes: number;
  memoryBytes: number;
}

const bench = await openBenchDatabase();
try {
  for (const rows of flags.rows.split(",").map(Number)) {
    await fillTransactions(bench.database, rows);
    const found = new Map<Format, Figures[]>();
    for (let round = 0; round < rounds; round++)
      for (const format of formats) found.set(format, [...(found.get(format) ?? []), await write(format)]);
    process.stdout.write(`transactions, ${rows} rows, best of ${rounds} (node ${process.versions.node})

format          s   × csv    CPU s   × csv       MB   × csv   memory MB   aim
`);
    const csv = bestOf(found.get("csv") ?? []);
    for (const format of formats) {
      const one = bestOf(found.get(format) ?? []);
      const cells = [
        ...beside(one.seconds, csv.seconds),
        ...beside(one.cpuSeconds, csv.cpuSeconds),
        ...beside(one.bytes / 1_048_576, csv.bytes / 1_048_576),
        (one.memoryBytes / 1_048_576).toFixed(0).padStart(11),
      ];
      process.stdout.write(`${format.padEnd(8)} ${cells.join(" ")}   ${aims[format]}\n`);
    }
    process.stdout.write("\n");
  }
} finally {
  await bench.remove();
}

/** In a process of its own, so that memory and work are those of one format. */
async function write(format: Format): Promise<Figures> {
  const path = join(bench.folder, `report.${format}`);
  const { child } = await forkBeside("report-writer", [bench.postgres.url, format, path]);
  child.send("go");
  const [answer] = (await once(child, "message")) as [Omit<Figures, "bytes">];
  child.kill();
  return { ...answer, bytes: (await stat(path)).size };
}

/** The least of each: a busy machine only ever adds to it. Of memory the most. */
function bestOf(figures: readonly Figures[]): Figures {
  const least = (of: (one: Figures) => number) => Math.min(...figures.map(of));
  return {
    seconds: least(({ seconds }) => seconds),
    cpuSeconds: least(({ cpuSeconds }) => cpuSeconds),
    bytes: least(({ bytes }) => bytes),
    memoryBytes: Math.max(...figures.map(({ memoryBytes }) => memoryBytes)),
  };
}

/** A figure, and how it compares with CSV. */
function beside(figure: number, csv: number): string[] {
  return [figure.toFixed(1).padStart(8), (figure / csv).toFixed(2).padStart(7)];
}
