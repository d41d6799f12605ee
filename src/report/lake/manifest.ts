import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { TieoutError } from "../../core/errors.ts";
import { writeWholeFile } from "../whole-file.ts";
import { type LakeTable, lakeTables } from "./tables.ts";

const file = z.object({
  path: z.string(),
  account: z.string(),
  month: z.string(),
  rows: z.int(),
  bytes: z.int(),
  sha256: z.string(),
  /** Of the rows, by which a month that has not changed is known. */
  digest: z.string(),
  written_at: z.string(),
  /** Whether it holds what is so now. A month that has changed has a newer file; the older one stays. */
  current: z.boolean(),
});
const manifestSchema = z.object({
  format_version: z.literal(1),
  /** All that was stored before this time is in the lake. */
  known_at: z.string(),
  tables: z.record(
    z.string(),
    z.object({
      columns: z.array(z.object({ name: z.string(), type: z.string() })),
      /** Of a table that is only added to: rows up to this time have been written. */
      added_to: z.string().nullable(),
      files: z.array(file),
    }),
  ),
});

export type Manifest = z.infer<typeof manifestSchema>;
export type LakeFile = z.infer<typeof file>;

const manifestName = "manifest.json";

export async function readManifest(folder: string): Promise<Manifest | null> {
  const path = join(folder, manifestName);
  const text = await readFile(path, "utf8").catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (text === null) return null;
  try {
    return manifestSchema.parse(JSON.parse(text));
  } catch (error) {
    throw new TieoutError(
      "lake_unusable",
      `${path} is no manifest of a lake: move it away, or choose another folder`,
      {
        cause: error,
      },
    );
  }
}

/** The last step of a run, and the only one that is seen: until then nothing points to the new files. */
export async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  await writeWholeFile(join(folder, manifestName), [`${JSON.stringify(manifest, null, 1)}\n`]);
  await writeWholeFile(join(folder, "duckdb.sql"), [duckdbViews(folder, manifest)]);
}

/** The views of `reporting` for DuckDB: \`.read duckdb.sql\`, and the sample queries run. */
export function duckdbViews(folder: string, { tables }: Manifest): string {
  const views = lakeTables.flatMap((table) => {
    const held = tables[table.name];
    const paths = held?.files.filter(({ current }) => current).map(({ path }) => join(folder, path)) ?? [];
    if (paths.length === 0) return [];
    const list = paths.map((path) => `  '${path.replaceAll("'", "''")}'`).join(",\n");
    return [
      `create or replace view reporting.${table.name} as\nselect ${selectOf(table)}\nfrom read_parquet([\n${list}\n], hive_partitioning = false);\n`,
    ];
  });
  return `create schema if not exists reporting;\n\n${views.join("\n")}`;
}

/** What was left out because it can be told from the rows. */
function selectOf({ without = [] }: LakeTable): string {
  if (!without.includes("is_latest")) return "*";
  const latest = "status_date desc, status_rank desc, record_hash desc";
  return `*, row_number() over (partition by account, transaction_id order by ${latest}) = 1 as is_latest`;
}
