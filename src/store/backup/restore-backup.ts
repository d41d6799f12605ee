import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, existsSync } from "node:fs";
import { chown, copyFile, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { TieoutError } from "../../core/errors.ts";
import { prepareDataFolder } from "../embedded/data-folder.ts";
import { chooseRunAs } from "../embedded/run-as.ts";
import { type BackupFile, type Manifest, readManifest } from "./backups.ts";

/**
 * Makes an empty folder into a data folder as it was when the backup was taken: started with it, Postgres recovers by
 * itself. Every file is compared with the hash that the manifest has of it.
 */
export async function restoreBackup(path: string, dataDir: string): Promise<Manifest> {
  const manifest = await readManifest(path).catch((cause: unknown) => {
    throw new TieoutError("usage", `${path} is not a backup: it has no manifest that can be read`, { cause });
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
    await mkdir(join(cluster, folder), { recursive: true, mode: 0o700 });
    await own(folder);
  }
  for (const file of manifest.files) {
    await unpack(join(path, "postgres", `${file.path}.gz`), join(cluster, file.path), file);
    await own(file.path);
  }
  for (const name of manifest.secrets) await copyFile(join(path, name), join(dataDir, name));
  return manifest;
}

async function unpack(from: string, to: string, { path, bytes, sha256 }: BackupFile): Promise<void> {
  const found = createHash("sha256");
  let length = 0;
  const measure = new Transform({
    transform(piece: Buffer, _encoding, done) {
      length += piece.length;
      found.update(piece);
      done(null, piece);
    },
  });
  try {
    await pipeline(createReadStream(from), createGunzip(), measure, createWriteStream(to, { mode: 0o600 }));
  } catch (cause) {
    throw new TieoutError("engine_failed", `the backup is damaged: ${path} cannot be read`, { cause });
  }
  if (length !== bytes || found.digest("hex") !== sha256)
    throw new TieoutError("engine_failed", `the backup is damaged: ${path} is not what was backed up`);
}
