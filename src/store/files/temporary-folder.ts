import { lstat, mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DAY, HOUR } from "../../core/duration.ts";
import { isAlive, processStart } from "../embedded/process-alive.ts";

type Kind = "upload" | "pack";

/** A folder for the time of one task, gone with everything in it afterwards. Its name says which process made it. */
export async function withTemporaryFolder<T>(kind: Kind, use: (folder: string) => Promise<T>): Promise<T> {
  const maker = `${process.pid}.${processStart(process.pid) ?? "unknown"}`;
  const folder = await mkdtemp(join(tmpdir(), `tieout-${kind}-${maker}-`));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/**
 * Containers may share the folder, and do not see each other's processes: what is in use there looks like that of a dead
 * process. No upload and no pack takes this long.
 */
const youngMs = 1 * HOUR;
/** For folders of earlier versions, whose names do not say which process made them. */
const youngOfUnknownMs = 1 * DAY;

/** Removes what killed processes left behind: statements and bank files should not stay there. Returns how many. */
export async function removeLeftFolders(nowMs: number): Promise<number> {
  let removed = 0;
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const found = nameForm.exec(name);
    if (found === null) continue;
    const folder = join(tmpdir(), name);
    const { pid, started } = found.groups ?? {};
    const dead = pid !== undefined && !isRunning(Number(pid), started ?? "");
    if (pid !== undefined && !dead) continue;
    if (!(await isOursAndOlder(folder, nowMs - (dead ? youngMs : youngOfUnknownMs)))) continue;
    // Another process that starts may be removing it, or it holds what we may not remove: the next start tries again.
    await rm(folder, { recursive: true, force: true }).then(
      () => removed++,
      () => undefined,
    );
  }
  return removed;
}

const nameForm = /^tieout-(?:upload|pack)-(?:(?<pid>\d{1,10})\.(?<started>\d+|unknown)-)?\w{6}$/;

function isRunning(pid: number, started: string): boolean {
  return isAlive(pid) && (started === "unknown" || processStart(pid) === started);
}

/** A symbolic link is never ours, wherever it leads. */
async function isOursAndOlder(folder: string, thanMs: number): Promise<boolean> {
  const found = await lstat(folder).catch(() => null);
  return found?.isDirectory() === true && found.uid === process.getuid?.() && found.mtimeMs < thanMs;
}
