import { expireExports } from "../report/expire-exports.ts";
import type { Database } from "../store/database.ts";
import type { CommandContext } from "./context.ts";
import { exportFiles } from "./file-places.ts";

/** An erasure has marked them as expired; their files go now, and not with the next round of the workers. */
export async function removeExports(context: CommandContext, database: Database): Promise<void> {
  await expireExports({ database, log: context.log, files: exportFiles(context) });
}
