import { createHash } from "node:crypto";
import { createWriteStream, existsSync } from "node:fs";
import { chown, mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip, gunzipSync } from "node:zlib";
import { TieoutError, usageError } from "../../core/errors.ts";
import { prepareEngine } from "../embedded/data-folder.ts";
import { noRoom, partialOf, removeAbandoned } from "../embedded/initialise.ts";
import { allOf, checkName, type Files } from "../files/files.ts";
import { inParallel } from "../files/in-parallel.ts";
import { createMeter } from "../files/meter.ts";
import {
  filesAtOnceMax,
  type BackupFile,
  type Manifest,
  type OnBytes,
  readManifest,
  smallBytesMax,
} from "./backups.ts";

/**
 * Makes an empty folder into a data folder as it was when the backup was taken: started with it, Postgres recovers by
 * itself. Every file is compared with the hash that the manifest has of it.
 */
export async function restoreBackup(
  backup: Files,
  dataDir: string,
  { signal, onProgress }: { signal?: AbortSignal | undefined; onProgress?: OnBytes } = {},
): Promise<Manifest> {
  const manifest = await readManifest(backup).catch((cause: unknown) => {
    if (cause instanceof TieoutError) throw cause;
    throw usageError(`${backup.place} is not a backup: it has no manifest that can be read`, {
      cause,
    });
  });
  const { cluster, runAs } = await prepareEngine(dataDir);
  if (existsSync(cluster))
    throw usageError(
      `there is a database in ${cluster} already: move it away, or restore into another folder`,
    );
  await removeAbandoned(cluster);
  // Under another name until it is whole: what a damaged backup, a full disk or Ctrl-C leaves is not a database.
  const partial = partialOf(cluster);
  let restored = 0;
  const own = async (name: string) => {
    if (runAs) await chown(join(partial, name), runAs.uid, runAs.gid);
  };
  try {
    await mkdir(partial, { mode: 0o700 });
    await own("");
    for (const folder of manifest.folders) {
      checkName(folder.replace(/\/$/, ""));
      await mkdir(join(partial, folder), { recursive: true, mode: 0o700 });
      await own(folder);
    }
    await inParallel(manifest.files, filesAtOnceMax, async (file) => {
      signal?.throwIfAborted();
      await unpack(backup, file, join(partial, file.path));
      await own(file.path);
      restored += file.bytes;
      onProgress?.(restored, manifest.bytes);
    });
    for (const name of manifest.secrets) await copySecret(backup, name, { manifest, dataDir });
    await rename(partial, cluster);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    throw error instanceof TieoutError ? error : notRestored(error, { manifest, dataDir });
  }
  return manifest;
}

function notRestored(cause: unknown, { manifest, dataDir }: { manifest: Manifest; dataDir: string }) {
  const said = cause instanceof Error ? cause.message : String(cause);
  const megabytes = Math.ceil(manifest.bytes / 1e6);
  const reason = noRoom.test(said)
    ? `no room left to restore into ${dataDir} (${megabytes} MB are needed): free some, or set TIEOUT_DATA_DIR to another disk`
    : `the backup could not be restored into ${dataDir}: ${said}`;
  return new TieoutError("engine_failed", reason, { cause });
}

/** Compared with its hash as well, which backups of 0.1.0 lack. */
async function copySecret(
  backup: Files,
  name: string,
  { manifest, dataDir }: { manifest: Manifest; dataDir: string },
): Promise<void> {
  const content = await allOf((await open(backup, name)).body);
  const expected = manifest.secret_hashes?.[name];
  if (expected !== undefined && createHash("sha256").update(content).digest("hex") !== expected)
    throw notWhatWasBackedUp(name);
  checkName(name);
  await mkdir(dirname(join(dataDir, name)), { recursive: true, mode: 0o700 });
  await writeFile(join(dataDir, name), content, { mode: 0o600 });
}

async function unpack(backup: Files, { path, bytes, sha256 }: BackupFile, to: string): Promise<void> {
  const meter = createMeter();
  const packed = await open(backup, `postgres/${path}.gz`);
  try {
    if (Math.max(packed.bytes, bytes) <= smallBytesMax) {
      const content = gunzipSync(await allOf(packed.body), { maxOutputLength: smallBytesMax });
      await writeFile(to, meter.measure([content]), { mode: 0o600 });
    } else {
      await pipeline(
        packed.body,
        createGunzip(),
        (chunks: AsyncIterable<Buffer>) => meter.measure(chunks),
        createWriteStream(to, { mode: 0o600 }),
      );
    }
  } catch (cause) {
    // A full disk or a missing permission says nothing against the backup.
    if (cause instanceof TieoutError || (cause as NodeJS.ErrnoException).syscall !== undefined) throw cause;
    throw new TieoutError("engine_failed", `the backup is damaged: ${path} cannot be read`, { cause });
  }
  const found = meter.result();
  if (found.bytes !== bytes || found.sha256 !== sha256) throw notWhatWasBackedUp(path);
}

function notWhatWasBackedUp(name: string): TieoutError {
  return new TieoutError("engine_failed", `the backup is damaged: ${name} is not what was backed up`);
}

async function open(backup: Files, name: string) {
  const found = await backup.read(name);
  if (found === null) throw new TieoutError("engine_failed", `the backup is damaged: ${name} is missing`);
  return found;
}
