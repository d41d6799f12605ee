import { counted } from "../core/counted.ts";
import { TieoutError, usageError } from "../core/errors.ts";
import { type LakeDeps, type LakeOutcome, writeLake } from "../report/lake/write-lake.ts";
import type { Database } from "../store/database.ts";
import { auditExport } from "../store/exports/exports.ts";
import { actorName } from "./actor-name.ts";
import type { CommandContext } from "./context.ts";
import { lakeFiles } from "./file-places.ts";
import { writeOut } from "./write-out.ts";
import { withExistingStore } from "./with-store.ts";
import { createRunningLine } from "./running-line.ts";
import { untilStopped } from "./until-stopped.ts";

/** Brings a folder of Parquet files up to date with the views of the schema `reporting`. */
export async function lakeCommand(
  context: CommandContext,
  { dir, json }: { dir: string | undefined; json: boolean },
): Promise<void> {
  const files = lakeFiles(context, dir);
  if (files === null)
    throw usageError("say where the lake is: --dir /data/lake, or set LAKE_DIR or FILES_URL");
  const folder = files.place;
  const stop = new AbortController();
  void untilStopped().then(() => stop.abort());
  await withExistingStore(context, async ({ database }) => {
    const line = createRunningLine(context);
    const outcome = await keepLake(database, {
      files,
      actor: actorName(),
      signal: stop.signal,
      onProgress: (step) => line.show(`${folder}: ${step}`),
    })
      .catch((error: unknown) => {
        if (stop.signal.aborted)
          throw new TieoutError("interrupted", "interrupted: the lake is as it was before");
        throw error;
      })
      .finally(line.end);
    const { files: count, rows, removed, knownAt: known_at } = outcome;
    if (json)
      writeOut(`${JSON.stringify({ object: "lake_run", folder, files: count, rows, removed, known_at })}\n`);
    else
      context.say(
        `${folder}: ${counted(count, "new file")} with ${counted(rows, "row")}, known at ${known_at}`,
      );
  });
}

/** The same as a job of the workers. */
export async function keepConfiguredLake(
  context: CommandContext,
  database: Database,
  stopping: AbortSignal,
): Promise<void> {
  const files = lakeFiles(context);
  // The schedule is everyone's, so the job may come to a worker that was started without the setting.
  if (files === null)
    throw new TieoutError(
      "lake_unusable",
      "LAKE_DIR or FILES_URL is set for other workers, and not for this one",
      { retry: true },
    );
  try {
    const outcome = await keepLake(database, { files, actor: "service", signal: stopping });
    const { files: count, rows, removed } = outcome;
    if (count + removed > 0)
      context.log.info({ event: "lake_written", folder: files.place, files: count, rows, removed });
  } catch (error) {
    // The next run writes what this one has not.
    if (!stopping.aborted) throw error;
  }
}

async function keepLake(
  database: Database,
  { actor, ...deps }: Omit<LakeDeps, "database"> & { actor: string },
): Promise<LakeOutcome> {
  const { files } = deps;
  const outcome = await writeLake({ database, ...deps });
  const { files: count, rows, knownAt: known_at } = outcome;
  if (count > 0) {
    await auditExport(database, {
      id: "lake",
      actor,
      requestId: null,
      action: "lake.written",
      after: { folder: files.place, files: count, rows, known_at },
    });
  }
  return outcome;
}
