import { chmod, mkdtemp, statfs } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A temporary folder that others may pass through: run by root, Postgres belongs to another user. */
export async function openFolder(prefix: string, place = tmpdir()): Promise<string> {
  const folder = await mkdtemp(join(place, prefix));
  await chmod(folder, 0o711);
  return folder;
}

const memory = "/dev/shm";
const roomWanted = 8 * 1024 ** 3;

/** In memory, where the machine has room for it: 850 files of a new database take 0.03 s there, and 0.4 s on a disk. */
export async function openQuickFolder(prefix: string): Promise<string> {
  const room = await statfs(memory).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return openFolder(prefix, room >= roomWanted ? memory : tmpdir());
}
