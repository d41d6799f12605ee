import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Queryable } from "../database.ts";

export interface BackupFile {
  /** Under the cluster. */
  path: string;
  /** Unpacked. */
  bytes: number;
  sha256: string;
}

/** What a backup holds; written last, so a folder without it is not a backup. */
export interface Manifest {
  made_at: string;
  /** Of tieout. */
  version: string;
  /** The build of Postgres: only the same major version on the same kind of machine can read it. */
  postgres: string;
  bytes: number;
  /** Up to where the log is in it. */
  lsn: string;
  secrets: string[];
  folders: string[];
  files: BackupFile[];
}

export const manifestName = "manifest.json";

export function backupName(at: Date): string {
  return `backup-${at.toISOString().replaceAll(":", "-").replace(/\.\d+/, "")}`;
}

export interface KeptBackup {
  name: string;
  path: string;
  madeAt: string;
  bytes: number;
}

/** Newest first. */
export async function listBackups(folder: string): Promise<KeptBackup[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.startsWith("backup-"));
  const found = await Promise.all(
    names
      .toSorted()
      .toReversed()
      .map(async (name) => {
        const manifest = await readManifest(join(folder, name)).catch(() => null);
        return (
          manifest && { name, path: join(folder, name), madeAt: manifest.made_at, bytes: manifest.bytes }
        );
      }),
  );
  return found.filter((backup) => backup !== null);
}

export async function readManifest(path: string): Promise<Manifest> {
  return JSON.parse(await readFile(join(path, manifestName), "utf8")) as Manifest;
}

/** Since when there is something to back up. */
export async function firstAccountAt(database: Queryable): Promise<string | null> {
  const [first] = await database.query<{ at: string | null }>(
    `select to_char(min(created_at), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at from tieout.accounts`,
  );
  return first?.at ?? null;
}
