import { randomUUID } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { TieoutError } from "../../core/errors.ts";
import { isAlive, processStart } from "./process-alive.ts";
import { createWhole } from "./whole-file.ts";

/** Held by the one process that runs everything on a data folder. */
export interface DataFolderHold {
  /** Notes where the service answers. Commands that print links read it, because PORT may be set for this process alone. */
  noteAddress: (url: string) => Promise<void>;
  release: () => Promise<void>;
}

interface Holder {
  pid: number;
  started: string | null;
  token: string;
  url?: string;
}

/**
 * Refuses a second `up` on the same folder by name of the first. A hold whose process is gone (kill -9, power loss) is
 * taken over; a process number that was given to someone else is told apart by its start time.
 */
export async function holdDataFolder(dataDir: string): Promise<DataFolderHold> {
  const file = join(dataDir, "tieout.pid");
  const own: Holder = { pid: process.pid, started: processStart(process.pid), token: randomUUID() };
  for (let tries = 0; tries < 3; tries++) {
    if (await createWhole(file, JSON.stringify(own))) {
      return {
        noteAddress: async (url) => {
          const draft = `${file}.${own.token}`;
          await writeFile(draft, JSON.stringify({ ...own, url }), { mode: 0o600 });
          await rename(draft, file);
        },
        release: () => releaseHold(file, own),
      };
    }
    const holder = await readHolder(file);
    if (holder && isRunning(holder)) {
      throw new TieoutError(
        "data_folder_held",
        `the data folder ${dataDir} is in use by process ${holder.pid}: stop that one, or set TIEOUT_DATA_DIR to another folder`,
      );
    }
    await removeStale(file, holder);
  }
  throw new TieoutError(
    "data_folder_held",
    `the data folder ${dataDir} is being taken by another process: try again`,
  );
}

/** Where the process that holds a data folder answers; `null` when none does. */
export async function heldAddress(dataDir: string): Promise<string | null> {
  const holder = await readHolder(join(dataDir, "tieout.pid"));
  return holder !== null && isRunning(holder) ? (holder.url ?? null) : null;
}

async function readHolder(file: string): Promise<Holder | null> {
  try {
    return JSON.parse(await readFile(file, "utf8")) as Holder;
  } catch {
    return null; // gone in the meantime, or cut off while it was written
  }
}

function isRunning(holder: Holder): boolean {
  return isAlive(holder.pid) && (holder.started === null || processStart(holder.pid) === holder.started);
}

/** Moved away before it is deleted: of two starters only one can move it, so neither deletes the other's new hold. */
async function removeStale(file: string, stale: Holder | null): Promise<void> {
  const aside = `${file}.${process.pid}`;
  try {
    await rename(file, aside);
  } catch {
    return;
  }
  const moved = await readHolder(aside);
  if (moved && moved.token !== stale?.token) {
    await rename(aside, file);
    return;
  }
  await rm(aside, { force: true });
}

async function releaseHold(file: string, own: Holder): Promise<void> {
  const holder = await readHolder(file);
  if (holder?.token === own.token) await rm(file, { force: true });
}
