import { spawnSync } from "node:child_process";
import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { migrateQueue } from "../../jobs/connection.ts";
import { backupAge, backUpWhenDue, checkBackup, makeBackup } from "../../src/commands/backup.ts";
import type { CommandContext } from "../../src/commands/context.ts";
import { openErasureKey } from "../../src/commands/erasure-key.ts";
import { backupAt } from "../../src/commands/file-places.ts";
import { readConfig } from "../../src/config.ts";
import { DAY } from "../../src/core/duration.ts";
import { secret } from "../../src/core/secret.ts";
import { createLog } from "../../src/log.ts";
import { listBackups } from "../../src/store/backup/backups.ts";
import { restoreBackup } from "../../src/store/backup/restore-backup.ts";
import type { Database } from "../../src/store/database.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../src/store/embedded/embedded-postgres.ts";
import { isAlive } from "../../src/store/embedded/process-alive.ts";
import { readText } from "../../src/store/files/files.ts";
import { createFolderFiles } from "../../src/store/files/folder-files.ts";
import { admitService, migrateDatabase } from "../../src/store/migrate.ts";
import { problemsOf, seedErasable } from "../reconcile/erasure/erased-world.ts";
import { openFolder } from "../support/open-folder.ts";
import { runTieout, startProcess, startTieout, withDataDir } from "../support/run-tieout.ts";
import { startS3 } from "../support/s3-server.ts";
import { openTestDatabase } from "../support/test-database.ts";

let folder: string;
let postgres: EmbeddedPostgres;
let database: Database;
let context: CommandContext;
let nowMs = Date.now();

beforeAll(async () => {
  folder = await openFolder("tieout-backup-");
  const config = readConfig({
    TIEOUT_DATA_DIR: join(folder, "data"),
    BACKUP_DIR: join(folder, "kept"),
    BACKUP_KEEP: "2",
  });
  const log = createLog({ level: "silent" });
  context = {
    config,
    readConfigAgain: () => config,
    log,
    now: () => nowMs,
    say: () => undefined,
    version: "test",
    migrationsDir: resolve("migrations"),
  };
  postgres = await startEmbeddedPostgres(config.dataDir, { throwAway: true });
  await dropTemplates(postgres.superuserUrl);
  database = openTestDatabase(secret(postgres.url));
  await migrateDatabase(database, context.migrationsDir);
  await database.session((client) => migrateQueue(client));
  await admitService(database, { migrated: true });
  await seedErasable(database);
});

afterAll(async () => {
  await database.close();
  await postgres.leave();
  await rm(folder, { recursive: true, force: true });
});

/** Two databases of 300 files each, which every backup and every check would copy, and from which nothing is made here. */
async function dropTemplates(superuserUrl: string): Promise<void> {
  const server = openTestDatabase(secret(superuserUrl));
  await server.query("update pg_database set datistemplate = false where datistemplate");
  for (const name of ["template0", "template1"]) await server.query(`drop database ${name}`);
  await server.close();
}

const store = () => ({ embedded: postgres, database });
const countAll = async (db: Database) =>
  db.query(
    `select (select count(*) from tieout.transaction_statuses)::int as statuses, (select count(*) from tieout.statement_lines)::int as lines,
            (select count(*) from tieout.audit_log)::int as entries`,
  );

test("the restore drill: a backup taken while others write starts by itself elsewhere, and verifies", async () => {
  const written = new AbortController();
  const writer = (async () => {
    for (let at = 0; !written.signal.aborted; at += 1)
      await database.query("insert into tieout.heartbeats values ('drill', $1, now(), now())", [String(at)]);
  })();
  const made = await makeBackup(context, store());
  written.abort();
  await writer;
  expect(made?.files).toBeGreaterThan(500);
  expect(await problemsOf(database)).toEqual([]);
  const report = await checkBackup(context, made?.path ?? "");
  expect(report.mismatches).toEqual([]);
  expect(report.statusRows).toBeGreaterThan(300);

  const restored = join(folder, "restored");
  await restoreBackup(createFolderFiles(made?.path ?? ""), restored);
  const again = await startEmbeddedPostgres(restored, { throwAway: true });
  const copy = openTestDatabase(secret(again.serviceUrl));
  try {
    expect(await countAll(copy)).toEqual(await countAll(database));
  } finally {
    await copy.close();
    await again.leave();
  }
  // Nothing is left of the check.
  expect(await readdir(context.config.dataDir)).not.toContainEqual(expect.stringContaining("restore-check"));
});

test("every secret that a data folder has beside its database is in the backup, and comes back", async () => {
  await withDataDir(async (dataDir) => {
    const env = { TIEOUT_DATA_DIR: dataDir, PORT: "0", BACKUP_DIR: join(folder, "of-a-start") };
    const running = startTieout(["up"], env);
    await running.ready();
    await openErasureKey({ ...context.config, dataDir });
    const { stdout } = await runTieout(["backup"], env);
    await running.stop();
    const entries = await readdir(dataDir, { withFileTypes: true });
    // Whoever adds a file that need not survive says so here.
    const others = new Set(["postgres.log", "tieout.pid"]);
    const secrets = entries.filter((one) => one.isFile() && !others.has(one.name)).map(({ name }) => name);
    expect(secrets).toEqual(expect.arrayContaining(["audit-key.pem", "erasure-key", "webhook-key"]));

    const restored = join(folder, "restored-start");
    await restoreBackup(createFolderFiles(stdout.trim()), restored);
    // The demonstration's aggregator as well: with another history, the restored books would be of another past.
    for (const name of [...secrets, "demo/history.json", "demo/checkouts.jsonl"])
      expect([name, await readFile(join(restored, name), "utf8").catch(() => null)]).toEqual([
        name,
        await readFile(join(dataDir, name), "utf8"),
      ]);
  });
});

test("a check that is interrupted says so and leaves neither a server nor a folder, nor does a killed one", async () => {
  const [newest] = await listBackups(createFolderFiles(context.config.backup.folder ?? ""));
  const { dataDir } = context.config;
  const left = join(dataDir, "restore-check-4194305"); // a number that no process can have
  await mkdir(left);
  const stop = new AbortController();
  const checked = checkBackup(context, newest?.path ?? "", { signal: stop.signal });
  const started = join(dataDir, `restore-check-${process.pid}`, "postgres", "postmaster.pid");
  await expect.poll(() => readFile(started, "utf8").catch(() => ""), { timeout: 60_000 }).toMatch(/ready/);
  const pid = Number((await readFile(started, "utf8")).split("\n")[0]);
  stop.abort();
  await expect(checked).rejects.toMatchObject({ code: "interrupted" });
  expect(isAlive(pid)).toBe(false);
  expect(await readdir(dataDir)).not.toContainEqual(expect.stringContaining("restore-check"));
});

test("what is damaged is said before anything is started", async () => {
  const [newest] = await listBackups(createFolderFiles(context.config.backup.folder ?? ""));
  await writeFile(join(newest?.path ?? "", "postgres", "PG_VERSION.gz"), "nothing");
  await expect(checkBackup(context, newest?.path ?? "")).rejects.toThrow("the backup is damaged: PG_VERSION");
});

test("a full disk is called that, also when a large file meets it; and nothing of the backup is left", async () => {
  // A large file that hardly packs: 4 MB, and as much of it in the log.
  await database.query(
    `create table noise as select string_agg(sha512(format('%s %s', n, m)::bytea), '') as noise
     from generate_series(1, 4000) as n, generate_series(1, 16) as m group by n`,
  );
  onTestFinished(async () => void (await database.query("drop table noise")));
  const full = join(folder, "full");
  const { stderr, status } = spawnSync(
    "sh",
    // No file may grow beyond 512 kB: only a large one meets the end of the disk, in the middle of its streams.
    ["-c", `ulimit -f 1024; trap '' XFSZ; exec "$0" dist/tieout.js backup`, process.execPath],
    {
      env: { PATH: process.env["PATH"], TIEOUT_DATA_DIR: context.config.dataDir, BACKUP_DIR: full },
      encoding: "utf8",
    },
  );
  expect(stderr).toMatch(/tieout: the folder \S+ cannot be written \(EFBIG\): free some room on its disk/);
  expect(status).toBe(1);
  expect(await readdir(full)).toEqual([]);
});

test("a place in which no folder can be made is refused at once", async () => {
  const args = ["-s", "KILL", "30", process.execPath, "dist/tieout.js", "backup"];
  const env = { TIEOUT_DATA_DIR: context.config.dataDir, BACKUP_DIR: "/proc/nowhere" };
  const { code, stderr } = await startProcess("timeout", args, env).finished;
  expect(stderr).toMatch(
    /tieout: the folder \/proc\/nowhere\S* cannot be written \(ENOENT\): make it writable\n$/,
  );
  expect(code).toBe(1);
});

test("on a terminal, a backup and its check show how far they are", async () => {
  const env = { TIEOUT_DATA_DIR: context.config.dataDir, BACKUP_DIR: join(folder, "shown") };
  const onTerminal = (command: string) =>
    startProcess("script", ["-qec", `${process.execPath} dist/tieout.js ${command}`, "/dev/null"], env)
      .finished;
  const made = await onTerminal("backup");
  expect(made).toMatchObject({ code: 0, stdout: expect.stringMatching(/Copying: \d+ %, \d+ of \d+ MB/) });
  const checked = await onTerminal("backup check");
  expect(checked).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/Restoring: 100 %, (\d+) of \1 MB/),
  });
  expect(checked.stdout).toContain("Checking: statements");
});

test("the schedule takes one when it is due, checks it, and keeps as many as are wanted", async () => {
  const stopping = new AbortController().signal;
  expect(await backUpWhenDue(context, store(), stopping)).toBeNull();
  for (const _ of [1, 2]) {
    nowMs += DAY;
    expect((await backupAge(context, store()))?.ageMs).toBeGreaterThanOrEqual(DAY);
    expect((await backUpWhenDue(context, store(), stopping))?.mismatches).toEqual([]);
  }
  const names = await readdir(context.config.backup.folder ?? "");
  expect(names).toHaveLength(2);
  expect(await backupAge(context, store())).toMatchObject({ ageMs: expect.any(Number) as number });
});

test("in a bucket, one is taken, checked, restored and thinned out; one that breaks off does not count", async () => {
  const s3 = await startS3();
  onTestFinished(() => s3.stop());
  const config = readConfig({ ...s3.env, TIEOUT_DATA_DIR: context.config.dataDir, BACKUP_KEEP: "1" });
  // Requests are signed with the time, so it has to be the right one here.
  const inBucket = { ...context, config, now: Date.now };
  const files = s3.files().within("backups");
  const broken = new AbortController();
  broken.abort();
  await expect(makeBackup(inBucket, store(), { signal: broken.signal })).rejects.toThrow("abort");
  expect(await files.list("")).toEqual([]);
  // As a process that was killed leaves it.
  await files.write("backup-2026-01-01T00-00-00Z/postgres-password", ["x"]);

  const made = await makeBackup(inBucket, store());
  expect(made?.path).toMatch(/^s3:\/\/kept\/tieout\/backups\/backup-/);
  expect(made?.removed).toEqual(["backup-2026-01-01T00-00-00Z"]);
  const report = await checkBackup(inBucket, made?.path ?? "");
  expect([report.mismatches, report.statusRows > 300]).toEqual([[], true]);
  expect((await backupAge(inBucket, store()))?.newest?.path).toBe(made?.path);
  const restored = join(folder, "from-bucket");
  await restoreBackup(backupAt(inBucket, made?.path ?? ""), restored);
  expect(await readdir(restored)).toContain("service-password");

  const next = await makeBackup(inBucket, store());
  expect(next?.removed).toEqual([basename(made?.path ?? "")]);
  // By names of files: the server of the tests may keep an empty folder where many were removed at once.
  expect(await files.list(`${basename(made?.path ?? "")}/`)).toEqual([]);
  expect((await listBackups(files)).map(({ path }) => path)).toEqual([next?.path]);
  const manifest = (await files.list("")).find((name) => name.endsWith("manifest.json"));
  const { files: kept } = JSON.parse((await readText(files, manifest ?? "")) ?? "") as { files: unknown[] };
  expect(kept.length).toBe(next?.files);
  expect(() => backupAt(inBucket, "s3://other/backups/backup-x")).toThrow(
    "is not in s3://kept/tieout/backups",
  );
});
