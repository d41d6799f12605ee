import { access, constants } from "node:fs/promises";
import { join, resolve } from "node:path";
import { TieoutError } from "../core/errors.ts";
import { makeFolder } from "../store/files/make-folder.ts";
import { holdDataFolder } from "../store/embedded/hold-data-folder.ts";

export interface SandboxFolder {
  readonly path: string;
  release(): Promise<void>;
}

/**
 * The folder with this instance's checkouts. Two instances in one folder would not see each other's, so each holds its
 * own: the one that was asked for, or the first of `sandbox`, `sandbox-2`, … in the data folder that is free.
 */
export async function holdSandboxFolder(where: {
  dataDir: string;
  chosen: string | undefined;
}): Promise<SandboxFolder> {
  if (where.chosen !== undefined) {
    const folder = await tryHold(resolve(where.chosen));
    if (folder) return folder;
    throw new TieoutError(
      "data_folder_held",
      `another sandbox uses ${resolve(where.chosen)}: stop that one, or choose another folder with --data-dir`,
    );
  }
  for (let number = 1; number <= instancesMax; number++) {
    const folder = await tryHold(join(where.dataDir, number === 1 ? "sandbox" : `sandbox-${number}`));
    if (folder) return folder;
  }
  throw new TieoutError(
    "data_folder_held",
    `${instancesMax} sandboxes use ${where.dataDir}: stop some, or choose another folder with --data-dir`,
  );
}

const instancesMax = 100;

async function tryHold(path: string): Promise<SandboxFolder | null> {
  try {
    await makeFolder(path, 0o700);
    await access(path, constants.W_OK | constants.X_OK);
    const hold = await holdDataFolder(path);
    return { path, release: hold.release };
  } catch (cause) {
    if (cause instanceof TieoutError && cause.code === "data_folder_held") return null;
    const { code } = cause as NodeJS.ErrnoException;
    throw new TieoutError(
      "data_folder_unusable",
      `the data folder ${path} cannot be written (${code}): make it writable, or choose another with --data-dir`,
      { cause },
    );
  }
}
