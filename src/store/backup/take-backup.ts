import { createHash } from "node:crypto";
import { open, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip, gzipSync } from "node:zlib";
import { Client } from "pg";
import { TieoutError } from "../../core/errors.ts";
import { applicationName } from "../application-name.ts";
import type { EmbeddedPostgres } from "../embedded/embedded-postgres.ts";
import { demoFiles, secretFiles } from "../embedded/secret-files.ts";
import type { Files } from "../files/files.ts";
import { inParallel } from "../files/in-parallel.ts";
import { createMeter } from "../files/meter.ts";
import {
  type BackupFile,
  backupName,
  backupNames,
  filesAtOnceMax,
  listBackups,
  manifestName,
  type Manifest,
  type OnBytes,
  removeBackup,
  smallBytesMax,
} from "./backups.ts";

export interface BackupPlaces {
  /** Of the service: passwords and keys are there, without which a restored database is of no use. */
  dataDir: string;
  /** Where backups go, a folder each. */
  files: Files;
}

export interface TakenBackup extends Manifest {
  /** For people. */
  path: string;
  removed: string[];
}

/**
 * Copies the running cluster into a folder of its own, by Postgres's own protocol for it (`pg_backup_start`): the files as
 * they are being written, and the log from which a restored server mends them. The packaged Postgres brings neither
 * pg_basebackup nor pg_dump. It counts as a backup when its manifest is there; `null`: another process is at it.
 */
export async function takeBackup(
  postgres: Pick<EmbeddedPostgres, "superuserUrl" | "engine">,
  { dataDir, files }: BackupPlaces,
  about: { now: Date; version: string; keep: number; signal?: AbortSignal; onProgress?: OnBytes },
): Promise<TakenBackup | null> {
  const name = backupName(about.now);
  const client = new Client({
    connectionString: postgres.superuserUrl,
    application_name: applicationName("backup"),
  });
  client.on("error", () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ taken: boolean }>(
      "select pg_try_advisory_lock(hashtextextended('tieout.backup', 0)) as taken",
    );
    if (rows[0]?.taken !== true) return null;
    const backup = files.within(name);
    try {
      // First, so that no head is newer than the log in the copy.
      const secrets = await copySecrets(dataDir, backup);
      const copied = await copyCluster(client, postgres.engine.cluster, backup.within("postgres"), about);
      const manifest: Manifest = {
        made_at: about.now.toISOString(),
        version: about.version,
        postgres: postgres.engine.binaries.build,
        bytes: copied.files.reduce((sum, { bytes }) => sum + bytes, 0),
        secrets: Object.keys(secrets),
        secret_hashes: secrets,
        ...copied,
      };
      await backup.write(manifestName, [JSON.stringify(manifest)]);
      return { ...manifest, path: backup.place, removed: await thinOut(files, about.keep) };
    } catch (error) {
      // What cannot be removed now has no manifest, and goes with the next backup.
      if (!(await isWhole(files, name))) await removeBackup(files, name).catch(() => undefined);
      throw error instanceof TieoutError
        ? error
        : new TieoutError("engine_failed", `the backup in ${files.place} failed: ${String(error)}`, {
            cause: error,
            retry: true,
          });
    }
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** Removes all but the newest, and what is not whole: under the lock, so no backup is being written. */
async function thinOut(files: Files, keep: number): Promise<string[]> {
  const kept = new Set((await listBackups(files)).slice(0, keep).map(({ name }) => name));
  const removed = (await backupNames(files)).filter((name) => !kept.has(name));
  for (const name of removed) await removeBackup(files, name);
  return removed;
}

async function isWhole(files: Files, name: string): Promise<boolean> {
  return (await files.sizeOf(`${name}/${manifestName}`).catch(() => null)) !== null;
}

/** With the hash of each. */
async function copySecrets(from: string, to: Files): Promise<Record<string, string>> {
  const copied: Record<string, string> = {};
  for (const name of [...Object.values(secretFiles), ...demoFiles]) {
    const content = await readFile(join(from, name)).catch(() => null);
    if (content === null) continue;
    await to.write(name, [content]);
    copied[name] = createHash("sha256").update(content).digest("hex");
  }
  return copied;
}

async function copyCluster(
  client: Client,
  cluster: string,
  target: Files,
  { signal, onProgress }: { signal?: AbortSignal; onProgress?: OnBytes },
) {
  // Keeps the log that the copy needs from being recycled; gone with this session.
  await client.query("select pg_create_physical_replication_slot($1, true, true)", [
    `tieout_backup_${process.pid}`,
  ]);
  await client.query("select pg_backup_start('tieout', true)");
  const [expected] = (await client.query<{ total: number }>(clusterBytes)).rows;
  const total = expected?.total ?? 0;
  let copied = 0;
  const files: BackupFile[] = [];
  const folders: string[] = [];
  const keep = async (path: string) => {
    signal?.throwIfAborted();
    const kept = await copyPacked(join(cluster, path), target, `${path}.gz`, signal);
    if (kept === null) return;
    files.push({ path, ...kept });
    copied += kept.bytes;
    onProgress?.(copied, total);
  };
  const found = await listFolder(cluster, "");
  folders.push(...found.filter((path) => path.endsWith("/")));
  const plain = found.filter((path) => !path.endsWith("/") && path !== controlFile);
  await inParallel(plain, filesAtOnceMax, keep);
  await keep(controlFile);
  const { rows } = await client.query<{ label: string; last: string; lsn: string }>(
    "select labelfile as label, pg_walfile_name(lsn) as last, lsn::text from pg_backup_stop(false)",
  );
  const [stopped] = rows;
  const first = /\(file ([0-9A-F]{24})\)/.exec(stopped?.label ?? "")?.[1];
  if (!stopped || first === undefined) throw new Error("Postgres did not say from where the log is needed");
  for (const segment of await readdir(join(cluster, "pg_wal"))) {
    if (/^[0-9A-F]{24}$/.test(segment) && segment >= first && segment <= stopped.last)
      await keep(`pg_wal/${segment}`);
  }
  if (!files.some(({ path }) => path === `pg_wal/${first}`))
    throw new Error(`the log ${first} is gone already`);
  const label = await packWhole(Buffer.from(stopped.label), target, "backup_label.gz", signal);
  files.push({ path: "backup_label", ...label });
  return { folders, files, lsn: stopped.lsn };
}

/** Nearly all that will be copied; the log that is written meanwhile comes on top. */
const clusterBytes = "select sum(pg_database_size(oid))::float8 as total from pg_database";

/** pg_control says where recovery begins, so it is read last. */
const controlFile = "global/pg_control";
/** What belongs to the running server alone, or is made anew when one starts. */
const leftOut = new Set(["postmaster.pid", "postmaster.opts", "backup_label", "tablespace_map"]);
const emptied =
  /^(pg_wal|pg_replslot|pg_dynshmem|pg_notify|pg_serial|pg_snapshots|pg_stat_tmp|pg_subtrans)\/./;
const temporary = /(^|\/)(pgsql_tmp|pg_internal\.init)/;

/** Paths under the cluster, folders with a slash at the end, before what is in them. */
async function listFolder(cluster: string, folder: string): Promise<string[]> {
  const entries = await readdir(join(cluster, folder), { withFileTypes: true }).catch(() => []);
  const paths: string[] = [];
  for (const entry of entries) {
    const path = `${folder}${entry.name}`;
    if (leftOut.has(path) || temporary.test(path) || emptied.test(path)) continue;
    if (entry.isDirectory()) paths.push(`${path}/`, ...(await listFolder(cluster, `${path}/`)));
    else if (entry.isFile()) paths.push(path);
  }
  return paths;
}

/** `null`: the file has gone in the meantime, with its table; the log knows of it. */
async function copyPacked(from: string, target: Files, name: string, signal?: AbortSignal) {
  const handle = await open(from).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw error;
  });
  if (handle === null) return null;
  if ((await handle.stat()).size > smallBytesMax)
    return pack(handle.createReadStream(), target, name, signal);
  try {
    return await packWhole(await handle.readFile(), target, name, signal);
  } finally {
    await handle.close();
  }
}

/** For a small file, a chain of streams costs several times as much as copying it. */
async function packWhole(content: Buffer, target: Files, name: string, signal?: AbortSignal) {
  await target.write(name, [gzipSync(content, packing)], signal);
  return { bytes: content.length, sha256: createHash("sha256").update(content).digest("hex") };
}

const packing = { level: 1 };

async function pack(
  from: Readable,
  target: Files,
  name: string,
  signal?: AbortSignal,
): Promise<{ bytes: number; sha256: string }> {
  const meter = createMeter();
  let written: Promise<unknown> = Promise.resolve();
  await pipeline(
    from,
    (pieces: AsyncIterable<Buffer>) => meter.measure(pieces),
    createGzip(packing),
    async (packed: AsyncIterable<Buffer>) => {
      written = target.write(name, packed, signal);
      await written;
    },
  ).catch(async (error: unknown) => {
    // The streams end with the bare error of the disk, before the target has said what to do about it.
    await written;
    throw error;
  });
  return meter.result();
}
