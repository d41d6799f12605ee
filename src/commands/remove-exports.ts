import { join } from "node:path";
import { expireExports } from "../report/expire-exports.ts";
import type { Database } from "../store/database.ts";
import type { CommandContext } from "./context.ts";
import { workerName } from "./sync-deps.ts";

/** An erasure has marked them as expired; their files go now, and not with the next round of the workers. */
export async function removeExports({ config, log }: CommandContext, database: Database): Promise<void> {
  await expireExports({ database, log, folder: join(config.dataDir, "exports"), worker: workerName() });
}
