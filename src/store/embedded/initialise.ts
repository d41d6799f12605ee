import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chown, mkdir, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { TieoutError } from "../../core/errors.ts";
import type { Engine } from "./data-folder.ts";
import { isAlive } from "./process-alive.ts";
import { spawnAs } from "./run-as.ts";
import type { SecretFile } from "./secret-files.ts";
import { readOrDraw } from "./whole-file.ts";

/** The superuser of the embedded cluster. The service itself connects as an ordinary role. */
export const superuser = "postgres";

/**
 * Makes the cluster if there is none. It is made under another name and renamed when it is whole: a full disk or a
 * killed process leaves nothing that a later start could take for a database.
 */
export async function initialiseCluster(engine: Engine): Promise<{ made: boolean }> {
  if (await isFile(join(engine.cluster, "PG_VERSION"))) return { made: false };
  await removeAbandoned(engine.cluster);
  const password = await ensurePassword(engine.passwordFile);
  const partial = partialOf(engine.cluster);
  const passwordCopy = `${partial}.password`;
  try {
    await mkdir(partial, { recursive: true, mode: 0o700 });
    // initdb reads the password as the user who runs it, who may not read our own file.
    await writeFile(passwordCopy, `${password}\n`, { mode: 0o600 });
    if (engine.runAs) {
      await chown(partial, engine.runAs.uid, engine.runAs.gid);
      await chown(passwordCopy, engine.runAs.uid, engine.runAs.gid);
    }
    await runInitdb(engine, partial, passwordCopy);
    await rename(partial, engine.cluster);
  } catch (error) {
    await rm(partial, { recursive: true, force: true });
    // Another command made it in the same moment: its database is as good as ours.
    if (await isFile(join(engine.cluster, "PG_VERSION"))) return { made: false };
    throw asInitialiseError(error, engine.cluster);
  } finally {
    await rm(passwordCopy, { force: true });
  }
  return { made: true };
}

/** The name of a cluster until it is whole. */
export function partialOf(cluster: string): string {
  return `${cluster}.partial-${process.pid}-${randomBytes(3).toString("hex")}`;
}

/** What a killed initialisation or restore left behind, told by the process number in its name. */
export async function removeAbandoned(cluster: string): Promise<void> {
  const folder = dirname(cluster);
  for (const name of await readdir(folder)) {
    const pid = /\.partial-(\d+)-\w+(\.password)?$/.exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid)))
      await rm(join(folder, name), { recursive: true, force: true });
  }
}

/** The password is drawn once and kept beside the data, readable by its owner only. */
export function ensurePassword(file: SecretFile): Promise<string> {
  return readOrDraw(file, () => randomBytes(24).toString("base64url"));
}

export async function readPassword(file: string): Promise<string> {
  return (await readFile(file, "utf8")).trim();
}

function runInitdb(engine: Engine, folder: string, passwordFile: string): Promise<void> {
  const flags = [
    `--pgdata=${folder}`,
    `--username=${superuser}`,
    `--pwfile=${passwordFile}`,
    "--auth=scram-sha-256",
    // Without these the environment decides, and an empty one gives SQL_ASCII.
    "--encoding=UTF8",
    "--locale=C",
    ...(engine.throwAway ? ["--no-sync"] : []),
  ];
  return new Promise((resolve, reject) => {
    const child = spawn(engine.binaries.initdb, flags, {
      ...spawnAs(engine.runAs),
      stdio: ["ignore", "ignore", "pipe"],
    });
    let said = "";
    child.stderr.on("data", (chunk: Buffer) => (said = (said + chunk.toString("utf8")).slice(-2_000)));
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0 ? resolve() : reject(new Error(said.trim() || `initdb ended with ${code}`)),
    );
  });
}

export const noRoom = /No space left on device|Disk quota exceeded|File too large|ENOSPC|EDQUOT|EFBIG/;

function asInitialiseError(error: unknown, cluster: string): TieoutError {
  const said = error instanceof Error ? error.message : String(error);
  if (noRoom.test(said)) {
    return new TieoutError(
      "engine_failed",
      `no room left to make the database in ${cluster} (about 40 MB are needed): free some, or set TIEOUT_DATA_DIR to another disk`,
      { cause: error },
    );
  }
  const lastLine = said.split("\n").findLast((line) => line.trim() !== "") ?? said;
  return new TieoutError("engine_failed", `the database in ${cluster} could not be made: ${lastLine}`, {
    cause: error,
  });
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isFile(),
    () => false,
  );
}
