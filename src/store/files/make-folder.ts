import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";

/**
 * With the folders that it is in. Node's own way of doing this never ends where a folder can be seen and nothing can be made in it,
 * as in /proc: it goes from the folder to its parent and back for ever.
 */
export async function makeFolder(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== "ENOENT" || dirname(path) === path) return throwUnlessFolder(path, error);
    await makeFolder(dirname(path), mode);
    await makeLast(path, mode);
  }
}

async function makeLast(path: string, mode: number): Promise<void> {
  try {
    await mkdir(path, { mode });
  } catch (error) {
    await throwUnlessFolder(path, error);
  }
}

/** Another process may have been quicker; and a folder that is there may be refused in other words, such as EROFS. */
async function throwUnlessFolder(path: string, error: unknown): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory() !== true) throw error;
}
