import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { counted } from "../core/counted.ts";
import type { Config } from "../config.ts";
import { MINUTE } from "../core/duration.ts";
import { TieoutError, usageError } from "../core/errors.ts";
import { secret } from "../core/secret.ts";
import { verifyBooks } from "../reconcile/verify-books.ts";
import { verifyStatements } from "../reconcile/statement/verify-statements.ts";
import { firstAccountAt, type KeptBackup, newestBackup, type OnBytes } from "../store/backup/backups.ts";
import { restoreBackup } from "../store/backup/restore-backup.ts";
import { takeBackup } from "../store/backup/take-backup.ts";
import { openDatabase } from "../store/database.ts";
import { removeDataFolder } from "../store/embedded/data-folder.ts";
import { startEmbeddedPostgres } from "../store/embedded/embedded-postgres.ts";
import { isAlive } from "../store/embedded/process-alive.ts";
import { stopServer } from "../store/embedded/server.ts";
import type { Files } from "../store/files/files.ts";
import type { Mismatch } from "../store/transactions/integrity.ts";
import { verify } from "../sync/verify.ts";
import { openAuditHeads, readHeads } from "./audit-heads-file.ts";
import type { CommandContext } from "./context.ts";
import { backupFiles, backupAt } from "./file-places.ts";
import type { Store } from "./open-store.ts";
import { createRunningLine } from "./running-line.ts";
import { untilStopped } from "./until-stopped.ts";
import { withExistingStore } from "./with-store.ts";
import { answer } from "./write-out.ts";

/** `tieout backup`: one now, whatever the schedule says. */
export async function backupCommand(context: CommandContext, flags: { json: boolean }): Promise<void> {
  refuseConfigured(context.config);
  await withExistingStore(context, async (store) => {
    const line = createRunningLine(context);
    line.show("Copying");
    const made = await makeBackup(context, store, { onProgress: showBytes("Copying", line.show) }).finally(
      line.end,
    );
    if (made === null)
      throw new TieoutError("engine_failed", "another backup is being taken: wait for it, and try again");
    answer(flags, made, made.path);
  });
}

export async function makeBackup(
  context: CommandContext,
  { embedded }: Pick<Store, "embedded">,
  watched: { signal?: AbortSignal; onProgress?: OnBytes } = {},
): Promise<{ path: string; bytes: number; files: number; removed: string[] } | null> {
  const { config, now, version, log } = context;
  if (embedded === null) return null;
  const made = await takeBackup(
    embedded,
    { dataDir: config.dataDir, files: backupFiles(context) },
    { now: new Date(now()), version, keep: config.backup.keep, ...watched },
  );
  if (made === null) return null;
  const { path, bytes, removed } = made;
  const result = { path, bytes, files: made.files.length, removed };
  log.info({ event: "backup_made", ...result, removed: removed.length });
  return result;
}

/** `tieout backup check`: restores a backup into a scratch cluster and verifies it there. */
export async function checkBackupCommand(
  context: CommandContext,
  path: string | undefined,
  flags: { json: boolean },
): Promise<boolean> {
  if (path === undefined) refuseConfigured(context.config);
  const chosen = path ?? (await findNewest(backupFiles(context))).path;
  const stop = new AbortController();
  void untilStopped().then(() => stop.abort());
  const line = createRunningLine(context);
  line.show("Restoring");
  const report = await checkBackup(context, chosen, { signal: stop.signal, show: line.show }).finally(
    line.end,
  );
  const lines = report.mismatches.map(({ subject, problem }) => `  ${subject}: ${problem}`);
  const head = `${chosen}: restored, ${counted(report.statusRows, "status row")} verified, ${counted(lines.length, "mismatch", "mismatches")}`;
  answer(flags, report, [head, ...lines].join("\n"));
  return report.mismatches.length === 0;
}

/** `tieout backup restore`: an empty data folder becomes that of the backup; the next start recovers it. */
export async function restoreCommand(context: CommandContext, path: string): Promise<void> {
  const { dataDir } = context.config;
  const backup = backupAt(context, path);
  const line = createRunningLine(context);
  line.show("Restoring");
  const manifest = await restoreBackup(backup, dataDir, {
    onProgress: showBytes("Restoring", line.show),
  }).finally(line.end);
  context.say(
    `Restored what was there at ${manifest.made_at} into ${dataDir}: start tieout, and run tieout verify`,
  );
}

export interface BackupReport {
  path: string;
  statusRows: number;
  mismatches: Mismatch[];
}

export async function checkBackup(
  context: Pick<CommandContext, "config" | "log" | "now">,
  path: string,
  { signal, show = () => undefined }: { signal?: AbortSignal; show?: (line: string) => void } = {},
): Promise<BackupReport> {
  const { config, log } = context;
  await removeAbandoned(config.dataDir);
  const scratch = join(config.dataDir, `restore-check-${process.pid}`);
  try {
    await restoreBackup(backupAt(context, path), scratch, {
      signal,
      onProgress: showBytes("Restoring", show),
    });
    // Not needed after this, so it is not synced to disk.
    const postgres = await startEmbeddedPostgres(scratch, { throwAway: true });
    // Whatever is being asked of it fails then, and so this ends.
    const interrupt = () => void stopServer(postgres.server);
    signal?.addEventListener("abort", interrupt, { once: true });
    if (signal?.aborted) interrupt();
    const database = openDatabase(secret(postgres.serviceUrl), {
      part: "check",
      connectionsMax: 4,
      statementTimeoutMs: 10 * MINUTE,
      onError: (error) => log.warn({ event: "database_connection", reason: error.message }),
    });
    try {
      const witnessed = await readHeads(await openAuditHeads({ ...inside(config), dataDir: scratch }));
      const report = await verify(database, {
        auditHeads: witnessed.heads,
        onProgress: (rows) => show(`Checking: status rows ${rows}`),
      });
      const statements = await verifyStatements(database, (done, of) =>
        show(`Checking: statements ${done} of ${of}`),
      );
      show("Checking: matches and findings");
      const books = await verifyBooks(database);
      const mismatches = [...report.mismatches, ...witnessed.mismatches, ...statements, ...books];
      return { path, statusRows: report.statusRows, mismatches };
    } finally {
      signal?.removeEventListener("abort", interrupt);
      await database.close();
      await postgres.leave();
    }
  } catch (error) {
    if (signal?.aborted)
      throw new TieoutError("interrupted", "interrupted: the backup was not checked to the end", {
        cause: error,
      });
    throw error;
  } finally {
    await removeDataFolder(scratch);
  }
}

/** What a killed check left. Its server, if it still runs, ends by itself within a minute of losing its folder. */
async function removeAbandoned(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir).catch(() => [])) {
    const pid = Number(/^restore-check-(\d+)$/.exec(name)?.[1] ?? 0);
    if (pid === process.pid || (pid > 0 && !isAlive(pid))) await removeDataFolder(join(dataDir, name));
  }
}

/** Heads of the live service are newer than the backup, so those that came with it are compared. */
function inside({ auditSigningKey }: Config) {
  return { auditSigningKey, auditHeadsFile: null };
}

/** What the schedule does: nothing while the newest backup is young enough; else a new one, checked at once. */
export async function backUpWhenDue(
  context: CommandContext,
  store: Pick<Store, "embedded" | "database">,
  signal: AbortSignal,
): Promise<BackupReport | null> {
  const since = await backupAge(context, store);
  if (since === null || since.ageMs < context.config.backup.intervalMs) return null;
  const made = await makeBackup(context, store, { signal });
  if (made === null) return null;
  const report = await checkBackup(context, made.path, { signal });
  if (report.mismatches.length > 0)
    context.log.error({
      event: "backup_not_sound",
      path: made.path,
      mismatches: report.mismatches.slice(0, 20),
    });
  else context.log.info({ event: "backup_checked", path: made.path, status_rows: report.statusRows });
  return report;
}

/** How old the newest backup is; before the first one, how long there has been something to back up. */
export async function backupAge(
  context: Pick<CommandContext, "config" | "now">,
  { embedded, database }: Pick<Store, "embedded" | "database">,
): Promise<{ ageMs: number; newest: KeptBackup | null } | null> {
  if (embedded === null) return null;
  const newest = await newestBackup(backupFiles(context));
  if (newest) return { ageMs: context.now() - Date.parse(newest.madeAt), newest };
  const first = await firstAccountAt(database);
  return first === null ? null : { ageMs: context.now() - Date.parse(first), newest };
}

async function findNewest(files: Files): Promise<KeptBackup> {
  const newest = await newestBackup(files);
  if (newest) return newest;
  throw usageError(`there is no backup in ${files.place}: make one with tieout backup`);
}

/** A line for each per cent: a cluster has thousands of files. */
function showBytes(what: string, show: (line: string) => void): OnBytes {
  let shown = -1;
  return (copied, total) => {
    const percent = Math.min(100, Math.floor((copied / Math.max(1, total)) * 100));
    if (percent === shown) return;
    shown = percent;
    const [done, of] = [copied, Math.max(copied, total)].map((bytes) => Math.round(bytes / 1e6));
    show(`${what}: ${percent} %, ${done} of ${of} MB`);
  };
}

function refuseConfigured({ databaseUrl }: Config): void {
  if (databaseUrl !== null)
    throw usageError(
      "this backs up the embedded Postgres only; for the one that DATABASE_URL names see docs/backups.md",
    );
}
