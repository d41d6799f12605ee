import { spawnSync } from "node:child_process";
import { readFile } from "node:fs/promises";

/** The user that Postgres runs as: `null` means the one who started us. */
export interface RunAs {
  name: string;
  uid: number;
  gid: number;
}

/**
 * Postgres refuses to run as root. As root we run it as `postgres`, made if it is missing; where no user can be made
 * (a read-only system, no tools), as `nobody`, who exists on every Unix and owns nothing else here.
 */
export async function chooseRunAs(): Promise<RunAs | null> {
  if (process.getuid?.() !== 0) return null;
  const found = await findUser("postgres");
  if (found) return found;
  spawnSync("useradd", ["--system", "--no-create-home", "--shell", "/bin/false", "postgres"], {
    stdio: "ignore",
  });
  const made = await findUser("postgres");
  if (made) return made;
  // BusyBox systems have no useradd.
  spawnSync("adduser", ["-S", "-H", "-D", "-s", "/bin/false", "postgres"], { stdio: "ignore" });
  return (await findUser("postgres")) ?? (await findUser("nobody"));
}

/** What `spawn` needs to run a program as that user, and in a folder that the user can stand in. */
export function spawnAs(runAs: RunAs | null): { uid?: number; gid?: number; cwd?: string } {
  return runAs ? { uid: runAs.uid, gid: runAs.gid, cwd: "/" } : {};
}

/** Asks the kernel, by trying: reading modes and owners of every folder above would be a guess at the same answer. */
export function canRun(program: string, runAs: RunAs): boolean {
  return spawnSync(program, ["--version"], { ...spawnAs(runAs), stdio: "ignore" }).status === 0;
}

export function canEnter(folder: string, runAs: RunAs): boolean {
  return (
    spawnSync("/bin/sh", ["-c", 'cd "$1"', "sh", folder], { ...spawnAs(runAs), stdio: "ignore" }).status === 0
  );
}

async function findUser(name: string): Promise<RunAs | null> {
  const passwd = await readFile("/etc/passwd", "utf8").catch(() => "");
  const line = passwd.split("\n").find((one) => one.startsWith(`${name}:`));
  if (!line) return null;
  const [, , uid, gid] = line.split(":");
  return { name, uid: Number(uid), gid: Number(gid) };
}
