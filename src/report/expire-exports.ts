import { expireDueExports, liveExports, waitingExports } from "../store/exports/export-runs.ts";
import type { ExportRow } from "../store/exports/exports.ts";
import type { ExportDeps } from "./run-export.ts";

/**
 * Takes back what has been on offer long enough, and removes every file that belongs to no export: of expired ones, of
 * cancelled ones, and of workers that were killed.
 */
export async function expireExports(
  deps: Pick<ExportDeps, "database" | "files" | "log">,
): Promise<{ expired: number; removed: number }> {
  const expired = await expireDueExports(deps.database);
  // Files first, rows second: a file of an export that begins in between is then not seen, and not taken for a stray.
  const found = await deps.files.list("exp_");
  const live = await liveExports(deps.database);
  const strays = found.filter((name) => !live.some((one) => belongsTo(one, name)));
  for (const name of strays) await deps.files.remove(name);
  if (expired + strays.length > 0)
    deps.log.info({ event: "exports_expired", expired, files_removed: strays.length });
  return { expired, removed: strays.length };
}

/** What the schedule does every minute. Returns the exports that wait for a worker. */
export async function sweepExports(deps: ExportDeps): Promise<string[]> {
  await expireExports(deps);
  return waitingExports(deps.database);
}

/** One that is being written has no list of files yet, so all with its id are taken for its own. */
function belongsTo({ id, files }: Pick<ExportRow, "id" | "files">, name: string): boolean {
  return files?.length ? files.some(({ storedAs }) => storedAs === name) : name.startsWith(`${id}-`);
}
