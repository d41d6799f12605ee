import { resolve } from "node:path";
import { usageError } from "../core/errors.ts";
import type { CommandContext } from "./context.ts";
import type { Files } from "../store/files/files.ts";
import { createFolderFiles } from "../store/files/folder-files.ts";
import type { S3ClientOptions } from "../store/files/s3-request.ts";
import { openFiles } from "../store/files/open-files.ts";

type Configured = Pick<CommandContext, "config" | "now">;

/** What workers write and the API hands out. */
export function exportFiles(context: Configured, options: Partial<S3ClientOptions> = {}): Files {
  return configuredFiles(context, options).within("exports");
}

/** A folder that was set for backups wins. */
export function backupFiles(context: Configured): Files {
  const { folder } = context.config.backup;
  return folder === null ? configuredFiles(context).within("backups") : createFolderFiles(resolve(folder));
}

/** One backup, by the folder or the address that it was said to be in. */
export function backupAt(context: Configured, path: string): Files {
  if (!path.startsWith("s3://")) return createFolderFiles(resolve(path));
  const files = backupFiles(context);
  const name = path.slice(files.place.length + 1).replace(/\/+$/, "");
  if (path.startsWith(`${files.place}/`) && name !== "") return files.within(name);
  throw usageError(
    `${path} is not in ${files.place}: set FILES_URL to what comes before backups/, and BACKUP_DIR to nothing`,
  );
}

/** The folder that was asked for, or the one that is set; `null`: no place for the lake is set. */
export function lakeFiles(context: Configured, asked?: string): Files | null {
  const { files, lake } = context.config;
  const folder = asked === undefined ? lake.folder : resolve(asked);
  if (folder !== null) return createFolderFiles(folder);
  return files === null ? null : configuredFiles(context).within("lake");
}

/** Without FILES_URL they are folders in the data folder. */
function configuredFiles(
  { config: { files, dataDir }, now }: Configured,
  options: Partial<S3ClientOptions> = {},
): Files {
  return openFiles(files ?? { kind: "folder", folder: dataDir }, { now, ...options });
}
