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
  readErased,
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
  /** Files that a run that was ended had left behind, and those with what was erased. */
  removed: number;
}

const statementTimeoutMs = 6 * HOUR;

/**
 * Brings the lake up to date. Files are written once and never changed; the manifest, replaced as a whole at the end, says which of them
 * count. So a run that is ended at any point leaves the lake as it was, and a run without anything new writes nothing.
 *
 * Only an erasure takes files away: those of its account that hold what was so before.
 */
export async function writeLake(deps: LakeDeps): Promise<LakeOutcome> {
  const { database, files, signal, onProgress } = deps;
  const options = { statementTimeoutMs, ...(signal === undefined ? {} : { signal }) };
  return withSnapshot(database, options, async (snapshot) => {
    await holdLake(snapshot);
    // A few statements over very many rows: compiling them costs more than it saves.
    await snapshot.query("select set_config('jit', 'off', true), set_config('work_mem', '64MB', true)");
    const before = await readManifest(files);
    const strays = await removeStrays(files, before);
    const erased = await readErased(snapshot, before?.erasure ?? 0);
    const tables: Manifest["tables"] = {};
    const written: LakeFile[] = [];
    for (const table of lakeTables) {
      onProgress?.(`looking for what is new in ${table.name}`);
      const { entry, added } = await writeTable(deps, snapshot, {
        table,
        before: before?.tables[table.name] ?? null,
        erased: erased.accounts,
      });
      tables[table.name] = entry;
      written.push(...added);
    }
    const manifest = {
      format_version: 1 as const,
      known_at: snapshot.knownAt,
      erasure: erased.newest,
      tables,
    };
    if (before?.erasure !== erased.newest || !sameFiles(before.tables, tables)) {
      await deps.failpoint?.("lake.manifest.before");
      await writeManifest(files, manifest);
    }
    await writeDuckdbViews(files, { tables });
    const withErased = erased.accounts.size === 0 ? 0 : await removeStrays(files, manifest);
    return {
      knownAt: snapshot.knownAt,
      files: written.length,
      rows: sumOf(written),
      removed: strays + withErased,
    };
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
  { table, before, erased }: { table: LakeTable; before: TableEntry | null; erased: ReadonlySet<string> },
): Promise<{ entry: TableEntry; added: LakeFile[] }> {
  const columns = await readColumns(snapshot, table);
  const isAddedTo = table.addedAt !== undefined;
  const isErased = ({ account }: { account: string }) => erased.has(account);
  const upTo = latestOf(before?.added_to ?? "", snapshot.knownAt);
  const range: Added | null = isAddedTo ? { from: before?.added_to ?? null, to: upTo } : null;
  // Rows that were added long ago have changed.
  const anew: Added | null = isAddedTo ? { from: null, to: upTo } : null;
  const found = await readPartitions(snapshot, table, columns, range);
  const partitions =
    anew === null || erased.size === 0
      ? found
      : [
          ...found.filter((partition) => !isErased(partition)),
          ...(await readPartitions(snapshot, table, columns, anew)).filter(isErased),
        ];
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
    const ofFile = isErased(partition) ? anew : range;
    added.push(await writePartition(deps, snapshot, { table, columns, partition, range: ofFile }));
  }
  const stays = (file: LakeFile) =>
    isAddedTo
      ? !isErased(file)
      : partitions.some((partition) => isOf(file, partition)) &&
        !changed.some((partition) => isOf(file, partition));
  const files = [...held.map((file) => ({ ...file, current: file.current && stays(file) })), ...added];
  // With nothing new the time stays where it was: what comes between is then looked for again, and found once.
  const addedTo = isAddedTo ? (added.length === 0 && before !== null ? before.added_to : upTo) : null;
  const kept = files.filter((file) => file.current || !isErased(file));
  return { entry: { columns, added_to: addedTo, files: kept }, added };
}

/** Of two times in one form. A later run may know less than an earlier one: see `knownBefore`. */
function latestOf(a: string, b: string): string {
  return a > b ? a : b;
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
  // While something is being written for long, several runs know up to the same time; but they do not begin at the same.
  const name = `${snapshot.asOf.replaceAll(/[:.]/g, "-")}.parquet`;
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
      if (!/\.parquet(\.([0-9a-f]+\.)?part)?$/.test(path) || known.has(path)) continue;
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
