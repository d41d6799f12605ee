import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { access, chmod, constants, mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { TieoutError } from "../../core/errors.ts";
import { type Binaries, copyBinaries, findBinaries } from "./binaries.ts";
import { canEnter, canRun, chooseRunAs, type RunAs } from "./run-as.ts";
import { makeFolder } from "../files/make-folder.ts";
import { type SecretFile, secretFile } from "./secret-files.ts";

/** Everything that is needed to run the embedded Postgres of one data folder. */
export interface Engine {
  binaries: Binaries;
  runAs: RunAs | null;
  /** The Postgres data directory. */
  cluster: string;
  /** Of the superuser. */
  passwordFile: SecretFile;
  /** Of the role that owns the tables. */
  ownerPasswordFile: SecretFile;
  /** Of the role that the running service connects as: with it alone, no other role can be used. */
  servicePasswordFile: SecretFile;
  logFile: string;
  /** Set when the data had to be kept outside the data folder; printed at start, so that nobody has to search for it. */
  movedTo: string | null;
  /** For tests and benchmarks that say so: nothing is synced to disk, and nothing survives a crash of the machine. */
  throwAway: boolean;
}

/** Where root keeps what the `postgres` user must reach while the data folder itself is closed to that user. */
const systemStateFolder = "/var/lib/tieout";

export async function prepareEngine(dataDir: string, options = { throwAway: false }): Promise<Engine> {
  await prepareDataFolder(dataDir);
  const runAs = await chooseRunAs();
  const installed = await findBinaries();
  const inside = {
    passwordFile: secretFile(dataDir, "superuserPassword"),
    ownerPasswordFile: secretFile(dataDir, "ownerPassword"),
    servicePasswordFile: secretFile(dataDir, "servicePassword"),
    logFile: join(dataDir, "postgres.log"),
    runAs,
    throwAway: options.throwAway,
  };
  const cluster = join(dataDir, "postgres");
  if (runAs === null) return { ...inside, binaries: installed, cluster, movedTo: null };

  // Named after the folder, so that the next start finds it; and once the data is there, it stays there.
  const state = stateFolder(dataDir);
  const entered = canRun(installed.postgres, runAs) && canEnter(dataDir, runAs);
  if (entered && !existsSync(join(state, "postgres"))) {
    return { ...inside, binaries: installed, cluster, movedTo: null };
  }
  if (existsSync(cluster)) throw cannotEnter(dataDir, runAs);

  // A private home folder: root can read it, the user who runs Postgres cannot. Data and programs go where both can.
  try {
    await mkdir(state, { recursive: true, mode: 0o755 });
    const binaries = canRun(installed.postgres, runAs)
      ? installed
      : await copyBinaries(installed, systemStateFolder);
    if (canRun(binaries.postgres, runAs) && canEnter(state, runAs)) {
      return { ...inside, binaries, cluster: join(state, "postgres"), movedTo: state };
    }
  } catch (cause) {
    throw cannotEnter(dataDir, runAs, cause);
  }
  throw cannotEnter(dataDir, runAs);
}

/** Whether a database was made for this data folder, in it or where root keeps it. */
export function hasCluster(dataDir: string): boolean {
  return [dataDir, stateFolder(dataDir)].some((folder) => existsSync(join(folder, "postgres")));
}

function stateFolder(dataDir: string): string {
  return join(systemStateFolder, createHash("sha256").update(dataDir).digest("hex").slice(0, 12));
}

/** With what root keeps of it elsewhere. */
export async function removeDataFolder(dataDir: string): Promise<void> {
  for (const folder of [dataDir, stateFolder(dataDir)])
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** Made private, except that as root the user who runs Postgres must be able to pass through. */
export async function prepareDataFolder(dataDir: string): Promise<void> {
  const asRoot = process.getuid?.() === 0;
  try {
    await makeFolder(dataDir, asRoot ? 0o711 : 0o700);
    if (asRoot) await chmod(dataDir, 0o711);
    await access(dataDir, constants.W_OK | constants.X_OK);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new TieoutError(
      "data_folder_unusable",
      `the data folder ${dataDir} cannot be written (${code}): make it writable, or set TIEOUT_DATA_DIR to another folder`,
      { cause },
    );
  }
}

function cannotEnter(dataDir: string, runAs: RunAs, cause?: unknown): TieoutError {
  return new TieoutError(
    "data_folder_unusable",
    `Postgres must run as user ${runAs.name}, who cannot enter ${dataDir} nor ${systemStateFolder}: ` +
      "set TIEOUT_DATA_DIR to a folder that user can enter, start as an ordinary user, or set DATABASE_URL",
    { cause },
  );
}
