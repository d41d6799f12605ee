import { createHash } from "node:crypto";
import { createReadStream, createWriteStream } from "node:fs";
import { copyFile, mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { Client } from "pg";
import { TieoutError } from "../../core/errors.ts";
import { applicationName } from "../application-name.ts";
import type { EmbeddedPostgres } from "../embedded/embedded-postgres.ts";
import { type BackupFile, backupName, manifestName, type Manifest } from "./backups.ts";

export interface BackupPlaces {
  /** Of the service: passwords and keys are there, without which a restored database is of no use. */
  dataDir: string;
  /** Where backups go, a folder each. */
  folder: string;
}

/**
 * Copies the running cluster into a folder of its own, by Postgres's own protocol for it (`pg_backup_start`): the files as
 * they are being written, and the log from which a restored server mends them. The packaged Postgres brings neither
 * pg_basebackup nor pg_dump. The folder gets its name when it is whole; `null`: another process is at it.
 */
export async function takeBackup(
  postgres: Pick<EmbeddedPostgres, "superuserUrl" | "engine">,
  { dataDir, folder }: BackupPlaces,
  about: { now: Date; version: string; signal?: AbortSignal },
): Promise<(Manifest & { path: string }) | null> {
  const name = backupName(about.now);
  const partial = join(folder, `.partial-${name}-${process.pid}`);
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
    await mkdir(join(partial, "postgres"), { recursive: true, mode: 0o700 });
    // First, so that no head is newer than the log in the copy.
    const secrets = await copySecrets(dataDir, partial);
    const copied = await copyCluster(
      client,
      postgres.engine.cluster,
      join(partial, "postgres"),
      about.signal,
    );
    const manifest: Manifest = {
      made_at: about.now.toISOString(),
      version: about.version,
      postgres: postgres.engine.binaries.build,
      bytes: copied.files.reduce((sum, { bytes }) => sum + bytes, 0),
      secrets,
      ...copied,
    };
    await writeFile(join(partial, manifestName), JSON.stringify(manifest), { mode: 0o600 });
    const path = join(folder, name);
    await rename(partial, path);
    return { ...manifest, path };
  } catch (error) {
    throw error instanceof TieoutError
      ? error
      : new TieoutError("engine_failed", `the backup in ${folder} failed: ${String(error)}`, {
          cause: error,
          retry: true,
        });
  } finally {
    await rm(partial, { recursive: true, force: true });
    await client.end().catch(() => undefined);
  }
}

/** Passwords, the keys of the audit log and of erasures, and the heads outside the database. */
const secretFiles = [
  "postgres-password",
  "owner-password",
  "service-password",
  "audit-key.pem",
  "audit-heads.jsonl",
  "erasure-key",
];

async function copySecrets(from: string, to: string): Promise<string[]> {
  const copied: string[] = [];
  for (const name of secretFiles) {
    if ((await stat(join(from, name)).catch(() => null)) === null) continue;
    await copyFile(join(from, name), join(to, name));
    copied.push(name);
  }
  return copied;
}

async function copyCluster(client: Client, cluster: string, target: string, signal?: AbortSignal) {
  // Keeps the log that the copy needs from being recycled; gone with this session.
  await client.query("select pg_create_physical_replication_slot($1, true, true)", [
    `tieout_backup_${process.pid}`,
  ]);
  await client.query("select pg_backup_start('tieout', true)");
  const files: BackupFile[] = [];
  const folders: string[] = [];
  const keep = async (path: string) => {
    signal?.throwIfAborted();
    const kept = await copyPacked(join(cluster, path), join(target, `${path}.gz`));
    if (kept) files.push({ path, ...kept });
  };
  for (const path of await listFolder(cluster, "")) {
    if (path.endsWith("/")) {
      folders.push(path);
      await mkdir(join(target, path), { recursive: true, mode: 0o700 });
    } else if (path !== controlFile) await keep(path);
  }
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
  files.push({ path: "backup_label", ...(await packText(join(target, "backup_label.gz"), stopped.label)) });
  return { folders, files, lsn: stopped.lsn };
}

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
async function copyPacked(from: string, to: string): Promise<{ bytes: number; sha256: string } | null> {
  try {
    return await pack(createReadStream(from), to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
    await rm(to, { force: true });
    return null;
  }
}

async function packText(to: string, text: string) {
  return pack([Buffer.from(text)], to);
}

async function pack(
  from: AsyncIterable<Buffer> | Iterable<Buffer>,
  to: string,
): Promise<{ bytes: number; sha256: string }> {
  const sha256 = createHash("sha256");
  let bytes = 0;
  const measure = new Transform({
    transform(piece: Buffer, _encoding, done) {
      bytes += piece.length;
      sha256.update(piece);
      done(null, piece);
    },
  });
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await pipeline(from, measure, createGzip({ level: 1 }), createWriteStream(to, { mode: 0o600 }));
  return { bytes, sha256: sha256.digest("hex") };
}

/** Removes all but the newest backups, and what killed processes have left. */
export async function thinOutBackups(folder: string, keep: number, isAlive: (pid: number) => boolean) {
  const found: string[] = await readdir(folder).catch(() => []);
  const names = found.toSorted();
  const whole = names.filter((name) => name.startsWith("backup-"));
  const abandoned = names.filter((name) => {
    const pid = /^\.partial-.*-(\d+)$/.exec(name)?.[1];
    return pid !== undefined && !isAlive(Number(pid));
  });
  const removed = [...whole.slice(0, Math.max(0, whole.length - keep)), ...abandoned];
  for (const name of removed) await rm(join(folder, name), { recursive: true, force: true });
  return removed.map((name) => basename(name));
}
