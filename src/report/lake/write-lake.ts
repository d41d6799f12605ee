import { HOUR } from "../../core/duration.ts";
import { TieoutError } from "../../core/errors.ts";
import { type Snapshot, withSnapshot } from "../../store/exports/copy-report.ts";
import type { Database } from "../../store/database.ts";
import type { Files } from "../../store/files/files.ts";
import { parquetOf } from "../parquet/parquet.ts";
import {
  type Added,
  type LakeColumn,
  type Partition,
  partitionStatement,
  readColumns,
  readPartitions,
} from "./lake-sql.ts";
import { writeDuckdbViews } from "./duckdb-views.ts";
import { type LakeFile, type Manifest, readManifest, writeManifest } from "./manifest.ts";
import { type LakeTable, lakeTables } from "./tables.ts";

export interface LakeDeps {
  database: Database;
  files: Files;
  signal?: AbortSignal;
  /** Called with a few words before each step. */
  onProgress?: (step: string) => void;
  /** Called at the places where a crash would be most interesting; does nothing in production. */
  failpoint?: (name: "lake.file" | "lake.manifest.before") => Promise<void>;
}

export interface LakeOutcome {
  knownAt: string;
  files: number;
  rows: number;
  /** Files that a run that was ended had left behind. */
  removed: number;
}

const statementTimeoutMs = 6 * HOUR;

/**
 * Brings the lake up to date. Files are written once and never changed; the manifest, replaced as a whole at the end, says which of them
 * count. So a run that is ended at any point leaves the lake as it was, and a run without anything new writes nothing.
 */
export async function writeLake(deps: LakeDeps): Promise<LakeOutcome> {
  const { database, files, signal, onProgress } = deps;
  const options = { statementTimeoutMs, ...(signal === undefined ? {} : { signal }) };
  return withSnapshot(database, options, async (snapshot) => {
    await holdLake(snapshot);
    // A few statements over very many rows: compiling them costs more than it saves.
    await snapshot.query("select set_config('jit', 'off', true), set_config('work_mem', '64MB', true)");
    const before = await readManifest(files);
    const removed = await removeStrays(files, before);
    const tables: Manifest["tables"] = {};
    const written: LakeFile[] = [];
    for (const table of lakeTables) {
      onProgress?.(`looking for what is new in ${table.name}`);
      const { entry, added } = await writeTable(deps, snapshot, table, before?.tables[table.name] ?? null);
      tables[table.name] = entry;
      written.push(...added);
    }
    const outcome = { knownAt: snapshot.knownAt, files: written.length, rows: sumOf(written), removed };
    if (before === null || !sameFiles(before.tables, tables)) {
      await deps.failpoint?.("lake.manifest.before");
      await writeManifest(files, { format_version: 1, known_at: snapshot.knownAt, tables });
    }
    await writeDuckdbViews(files, { tables });
    return outcome;
  });
}

/** One run at a time, whichever machine it is on. */
async function holdLake(snapshot: Snapshot): Promise<void> {
  const [row] = await snapshot.query<{ held: boolean }>(
    "select pg_try_advisory_xact_lock(hashtextextended('tieout.lake', 0)) as held",
  );
  if (row?.held !== true)
    throw new TieoutError("lake_unusable", "the lake is being written by another run: wait for it", {
      retry: true,
    });
}

type TableEntry = Manifest["tables"][string];

async function writeTable(
  deps: LakeDeps,
  snapshot: Snapshot,
  table: LakeTable,
  before: TableEntry | null,
): Promise<{ entry: TableEntry; added: LakeFile[] }> {
  const columns = await readColumns(snapshot, table);
  const isAddedTo = table.addedAt !== undefined;
  const range: Added | null = isAddedTo ? { from: before?.added_to ?? null, to: snapshot.knownAt } : null;
  const partitions = await readPartitions(snapshot, table, columns, range);
  const held = before?.files ?? [];
  const isHeld = (partition: Partition) =>
    held.some(
      (file) =>
        file.current &&
        isOf(file, partition) &&
        file.digest === partition.digest &&
        file.rows === partition.rows,
    );
  const changed = isAddedTo ? partitions : partitions.filter((partition) => !isHeld(partition));
  const added: LakeFile[] = [];
  for (const partition of changed) {
    deps.onProgress?.(`writing ${table.name} of ${partition.month} (rows: ${partition.rows})`);
    added.push(await writePartition(deps, snapshot, { table, columns, partition, range }));
  }
  const stays = (file: LakeFile) =>
    isAddedTo ||
    (partitions.some((partition) => isOf(file, partition)) &&
      !changed.some((partition) => isOf(file, partition)));
  const files = [...held.map((file) => ({ ...file, current: file.current && stays(file) })), ...added];
  // With nothing new the time stays where it was: what comes between is then looked for again, and found once.
  const addedTo = isAddedTo
    ? added.length === 0 && before !== null
      ? before.added_to
      : snapshot.knownAt
    : null;
  return { entry: { columns, added_to: addedTo, files }, added };
}

function isOf(
  file: Pick<LakeFile, "account" | "month">,
  { account, month }: Pick<Partition, "account" | "month">,
): boolean {
  return file.account === account && file.month === month;
}

async function writePartition(
  { files, signal, failpoint }: LakeDeps,
  snapshot: Snapshot,
  {
    table,
    columns,
    partition,
    range,
  }: { table: LakeTable; columns: LakeColumn[]; partition: Partition; range: Added | null },
): Promise<LakeFile> {
  const { account, month, rows, digest } = partition;
  const name = `${snapshot.knownAt.replaceAll(/[:.]/g, "-")}.parquet`;
  const path = [table.name, encodeURIComponent(account) || "no-account", month, name].join("/");
  const csv = snapshot.copy(partitionStatement(table, columns, partition, range), "csv");
  const body = parquetOf(columns, csv, { "tieout.table": table.name, "tieout.known_at": snapshot.knownAt });
  const written = await files.write(path, body, signal);
  await failpoint?.("lake.file");
  return { path, account, month, rows, ...written, digest, written_at: snapshot.knownAt, current: true };
}

/** What a run that was ended left behind: nothing points to it. */
async function removeStrays(files: Files, manifest: Manifest | null): Promise<number> {
  const known = new Set(
    Object.values(manifest?.tables ?? {}).flatMap((table) => table.files.map(({ path }) => path)),
  );
  let removed = 0;
  for (const { name } of lakeTables) {
    for (const path of await files.list(`${name}/`)) {
      if (!/\.parquet(\.part)?$/.test(path) || known.has(path)) continue;
      await files.remove(path);
      removed++;
    }
  }
  return removed;
}

function sameFiles(before: Manifest["tables"], after: Manifest["tables"]): boolean {
  return (
    JSON.stringify(Object.values(before).map(({ files }) => files)) ===
    JSON.stringify(Object.values(after).map(({ files }) => files))
  );
}

function sumOf(files: readonly LakeFile[]): number {
  return files.reduce((sum, { rows }) => sum + rows, 0);
}
