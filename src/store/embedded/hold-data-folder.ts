import { createHash, randomUUID } from "node:crypto";
import { readFile, realpath, rename, rm, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { TieoutError } from "../../core/errors.ts";
import { isAlive, processStart } from "./process-alive.ts";

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
  await oneAtATime(dataDir, async () => {
    const holder = await readHolder(file);
    if (holder && isRunning(holder)) {
      throw new TieoutError(
        "data_folder_held",
        `the data folder ${dataDir} is in use by process ${holder.pid}: stop that one, or set TIEOUT_DATA_DIR to another folder`,
      );
    }
    await writeHolder(file, own);
  });
  return {
    noteAddress: (url) => writeHolder(file, { ...own, url }),
    release: () => releaseHold(file, own),
  };
}

/** Whole or not at all: a command may read it at any moment. */
async function writeHolder(file: string, holder: Holder): Promise<void> {
  const draft = `${file}.${holder.token}`;
  await writeFile(draft, JSON.stringify(holder), { mode: 0o600 });
  await rename(draft, file);
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

/**
 * Between seeing that a hold is stale and taking it, someone else may have taken it. A name in Linux's own list of sockets
 * belongs to one process at a time, and is free again the moment that process is gone, however it went.
 */
async function oneAtATime(dataDir: string, work: () => Promise<void>): Promise<void> {
  const folder = createHash("sha256")
    .update(await realpath(dataDir))
    .digest("hex");
  const socket = createServer();
  for (
    const begun = performance.now();
    !(await listens(socket, `\0tieout-${folder}`));
    await sleep(retryMs)
  ) {
    if (performance.now() - begun > waitMsMax) {
      throw new TieoutError(
        "data_folder_held",
        `the data folder ${dataDir} is being taken by another process: try again`,
      );
    }
  }
  try {
    await work();
  } finally {
    socket.close();
  }
}

const retryMs = 20;
const waitMsMax = 5_000;

function listens(socket: Server, path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void) => {
      socket.removeAllListeners();
      act();
    };
    socket.once("listening", () => settle(() => resolve(true)));
    socket.once("error", (error: NodeJS.ErrnoException) =>
      settle(() => (error.code === "EADDRINUSE" ? resolve(false) : reject(error))),
    );
    socket.listen({ path, exclusive: true });
  });
}

async function releaseHold(file: string, own: Holder): Promise<void> {
  const holder = await readHolder(file);
  if (holder?.token === own.token) await rm(file, { force: true });
}
