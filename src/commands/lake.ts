import { resolve } from "node:path";
import { TieoutError } from "../core/errors.ts";
import { writeLake } from "../report/lake/write-lake.ts";
import { auditExport } from "../store/exports/exports.ts";
import { actorName } from "./actor-name.ts";
import type { CommandContext } from "./context.ts";
import { withStore } from "./statement-store.ts";
import { untilStopped } from "./until-stopped.ts";

/** Brings a folder of Parquet files up to date with the views of the schema `reporting`. */
export async function lakeCommand(
  context: CommandContext,
  { dir, json }: { dir: string; json: boolean },
): Promise<void> {
  const stop = new AbortController();
  void untilStopped().then(() => stop.abort());
  const folder = resolve(dir);
  await withStore(context, async (database) => {
    const outcome = await writeLake({ database, folder, signal: stop.signal }).catch((error: unknown) => {
      if (stop.signal.aborted)
        throw new TieoutError("interrupted", "interrupted: the lake is as it was before");
      throw error;
    });
    const { files, rows, removed, knownAt: known_at } = outcome;
    if (files > 0) {
      await auditExport(database, {
        id: "lake",
        actor: actorName(),
        requestId: null,
        action: "lake.written",
        after: { folder, files, rows, known_at },
      });
    }
    if (json)
      process.stdout.write(
        `${JSON.stringify({ object: "lake_run", folder, files, rows, removed, known_at })}\n`,
      );
    else context.say(`${folder}: ${files} new files with ${rows} rows, known at ${known_at}`);
  });
}
