import { createWriteStream, existsSync } from "node:fs";
import { chown, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pipeline } from "node:stream/promises";
import { createGunzip, gunzipSync } from "node:zlib";
import { TieoutError } from "../../core/errors.ts";
import { prepareDataFolder } from "../embedded/data-folder.ts";
import { chooseRunAs } from "../embedded/run-as.ts";
import { allOf, checkName, type Files } from "../files/files.ts";
import { inParallel } from "../files/in-parallel.ts";
import { createMeter } from "../files/meter.ts";
import { filesAtOnceMax, type BackupFile, type Manifest, readManifest, smallBytesMax } from "./backups.ts";

/**
 * Makes an empty folder into a data folder as it was when the backup was taken: started with it, Postgres recovers by
 * itself. Every file is compared with the hash that the manifest has of it.
 */
export async function restoreBackup(backup: Files, dataDir: string): Promise<Manifest> {
  const manifest = await readManifest(backup).catch((cause: unknown) => {
    if (cause instanceof TieoutError) throw cause;
    throw new TieoutError("usage", `${backup.place} is not a backup: it has no manifest that can be read`, {
      cause,
    });
  });
  await prepareDataFolder(dataDir);
  const cluster = join(dataDir, "postgres");
  if (existsSync(cluster))
    throw new TieoutError("usage", `${dataDir} holds a database already: restore into an empty folder`);
  const runAs = await chooseRunAs();
  const own = async (name: string) => {
    if (runAs) await chown(join(cluster, name), runAs.uid, runAs.gid);
  };
  await mkdir(cluster, { mode: 0o700 });
  await own("");
  for (const folder of manifest.folders) {
    checkName(folder.replace(/\/$/, ""));
    await mkdir(join(cluster, folder), { recursive: true, mode: 0o700 });
    await own(folder);
  }
  await inParallel(manifest.files, filesAtOnceMax, async (file) => {
    await unpack(backup, file, join(cluster, file.path));
    await own(file.path);
  });
  for (const name of manifest.secrets)
    await pipeline((await open(backup, name)).body, createWriteStream(join(dataDir, name), { mode: 0o600 }));
  return manifest;
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
    if (cause instanceof TieoutError) throw cause;
    throw new TieoutError("engine_failed", `the backup is damaged: ${path} cannot be read`, { cause });
  }
  const found = meter.result();
  if (found.bytes !== bytes || found.sha256 !== sha256)
    throw new TieoutError("engine_failed", `the backup is damaged: ${path} is not what was backed up`);
}

async function open(backup: Files, name: string) {
  const found = await backup.read(name);
  if (found === null) throw new TieoutError("engine_failed", `the backup is damaged: ${name} is missing`);
  return found;
}
