import { createReadStream } from "node:fs";
import { open, readdir, rm, stat } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { TieoutError } from "../../core/errors.ts";
import { checkName, type Files } from "./files.ts";
import { makeFolder } from "./make-folder.ts";
import { writeWholeFile } from "./whole-file.ts";

const readAheadBytes = 256 * 1024;

/** Files in a folder, which is made when the first one is written. Only their owner can read them. */
export function createFolderFiles(folder: string): Files {
  const pathOf = (name: string) => join(folder, checkName(name));
  return {
    place: folder,
    write: async (name, body, signal) => {
      const path = pathOf(name);
      try {
        await makeFolder(dirname(path), 0o700);
        return await writeWholeFile(path, body, signal);
      } catch (error) {
        throw explain(error, folder);
      }
    },
    read: async (name) => {
      const handle = await unlessAbsent(open(pathOf(name)));
      if (handle === null) return null;
      const { size } = await handle.stat();
      // This much memory is set aside for each file, so a small file requests only its size.
      const highWaterMark = Math.min(readAheadBytes, Math.max(size, 1));
      return { bytes: size, body: createReadStream("", { fd: handle, highWaterMark }) };
    },
    sizeOf: async (name) => (await unlessAbsent(stat(pathOf(name))))?.size ?? null,
    list: async (prefix) => {
      // Only the part of the tree that can hold such names is walked.
      const top = join(folder, prefix.slice(0, prefix.lastIndexOf("/") + 1));
      const found = (await unlessAbsent(readdir(top, { recursive: true, withFileTypes: true }))) ?? [];
      return found
        .filter((one) => one.isFile())
        .map((one) => relative(folder, join(one.parentPath, one.name)).replaceAll(sep, "/"))
        .filter((name) => name.startsWith(prefix))
        .toSorted();
    },
    folders: async () => {
      const found = (await unlessAbsent(readdir(folder, { withFileTypes: true }))) ?? [];
      return found.flatMap((one) => (one.isDirectory() ? [one.name] : [])).toSorted();
    },
    removeFolder: (name) => rm(pathOf(name), { recursive: true, force: true }),
    remove: (name) => rm(pathOf(name), { force: true }),
    within: (inner) => createFolderFiles(pathOf(inner)),
  };
}

async function unlessAbsent<T>(asked: Promise<T>): Promise<T | null> {
  return asked.catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ENOTDIR") return null;
    throw error;
  });
}

/** What the disk has against it; whatever else went wrong is someone else's to explain. */
function explain(error: unknown, folder: string): unknown {
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  if (error instanceof TieoutError || typeof syscall !== "string" || syscall === "read") return error;
  const isFull = code === "ENOSPC" || code === "EDQUOT" || code === "EFBIG";
  const advice = isFull ? "free some room on its disk" : "make it writable";
  return new TieoutError(
    "files_unusable",
    `the folder ${folder} cannot be written (${String(code)}): ${advice}`,
    {
      cause: error,
    },
  );
}
