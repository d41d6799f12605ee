import type { Queryable } from "../database.ts";
import { addressOf, type Files, readText } from "../files/files.ts";

export interface BackupFile {
  /** Under the cluster. */
  path: string;
  /** Unpacked. */
  bytes: number;
  sha256: string;
}

/** What a backup holds; written last and removed first, so a folder without it is not a backup. */
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
  /** SHA-256 of each of them. */
  secret_hashes?: Record<string, string>;
  folders: string[];
  files: BackupFile[];
}

/** How many bytes have been copied, of about how many. */
export type OnBytes = (copied: number, total: number) => void;

/** Copied or restored together: a bucket answers many as quickly as one, and each holds some memory. */
export const filesAtOnceMax = 4;

/** Nearly all files of a cluster are smaller. They are handled whole, in a few milliseconds each, without streams. */
export const smallBytesMax = 256 * 1024;

export const manifestName = "manifest.json";

export function backupName(at: Date): string {
  return `backup-${at.toISOString().replaceAll(":", "-").replace(/\.\d+/, "")}`;
}

const namePattern = /^backup-(\d{4}-\d\d-\d\dT\d\d)-(\d\d)-(\d\dZ)$/;

export interface KeptBackup {
  name: string;
  /** For people. */
  path: string;
  madeAt: string;
}

/** Newest first. */
export async function listBackups(files: Files): Promise<KeptBackup[]> {
  const kept: KeptBackup[] = [];
  for (const name of await backupNames(files)) {
    const backup = await whenWhole(files, name);
    if (backup !== null) kept.push(backup);
  }
  return kept;
}

export async function newestBackup(files: Files): Promise<KeptBackup | null> {
  for (const name of await backupNames(files)) {
    const backup = await whenWhole(files, name);
    if (backup !== null) return backup;
  }
  return null;
}

/** Newest first; also of those that are not whole. */
export async function backupNames(files: Files): Promise<string[]> {
  return (await files.folders()).filter((name) => namePattern.test(name)).toReversed();
}

async function whenWhole(files: Files, name: string): Promise<KeptBackup | null> {
  if ((await files.sizeOf(`${name}/${manifestName}`)) === null) return null;
  return { name, path: addressOf(files, name), madeAt: name.replace(namePattern, "$1:$2:$3") };
}

/** Of the backup that these files are. */
export async function readManifest(backup: Files): Promise<Manifest> {
  const manifest = JSON.parse((await readText(backup, manifestName)) ?? "") as Partial<Manifest>;
  const lists = [manifest.secrets, manifest.folders, manifest.files];
  if (!lists.every(Array.isArray)) throw new Error("the manifest lists nothing");
  return manifest as Manifest;
}

export async function removeBackup(files: Files, name: string): Promise<void> {
  await files.remove(`${name}/${manifestName}`);
  await files.removeFolder(name);
}

/** Since when there is something to back up. */
export async function firstAccountAt(database: Queryable): Promise<string | null> {
  const [first] = await database.query<{ at: string | null }>(
    `select to_char(min(created_at), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as at from tieout.accounts`,
  );
  return first?.at ?? null;
}
