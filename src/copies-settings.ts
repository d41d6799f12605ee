import { resolve } from "node:path";
import type { Reader } from "./environment.ts";

/** Of the embedded Postgres; a database of your own has backups of its own. */
export interface BackupSettings {
  /** `null`: with the other files. */
  folder: string | null;
  intervalMs: number;
  /** How many are kept. */
  keep: number;
}

export function readBackup(reader: Reader): BackupSettings {
  return {
    folder: reader.text("BACKUP_DIR"),
    intervalMs: reader.durationMs("BACKUP_INTERVAL", "1d"),
    keep: reader.integer("BACKUP_KEEP", { fallback: 7, min: 1, max: 10_000 }),
  };
}

/** The history as Parquet files. */
export interface LakeSettings {
  /** `null`: with the other files, where FILES_URL says where those go. */
  folder: string | null;
  /** Whether the workers keep it up to date. With FILES_URL alone that has to be asked for: it is a copy of everything. */
  scheduled: boolean;
  intervalMs: number;
}

export function readLake(reader: Reader): LakeSettings {
  const folder = reader.text("LAKE_DIR");
  return {
    folder: folder === null ? null : resolve(folder),
    scheduled:
      folder !== null || (reader.text("FILES_URL") !== null && reader.text("LAKE_INTERVAL") !== null),
    intervalMs: reader.durationMs("LAKE_INTERVAL", "1h"),
  };
}
