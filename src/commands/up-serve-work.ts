import { listen } from "../api/listen.ts";
import { refuseWrongClock } from "../store/health/checks.ts";
import { prepareDataFolder } from "../store/embedded/data-folder.ts";
import { type DataFolderHold, holdDataFolder } from "../store/embedded/hold-data-folder.ts";
import { removeLeftFolders } from "../store/files/temporary-folder.ts";
import { refusePooled } from "../store/pooler.ts";
import type { CommandContext } from "./context.ts";
import { openStore } from "./open-store.ts";
import type { ServiceParts, Undo } from "./start-parts.ts";
import { leaveSoon, untilStopped } from "./until-stopped.ts";

export async function runService(context: CommandContext, parts: ServiceParts): Promise<void> {
  const undo: Undo = [];
  const stopped = untilStopped();
  try {
    const ready = await startService(context, parts, undo);
    context.say(ready);
    await stopped;
    context.say("Stopping …");
  } finally {
    for (const step of undo.toReversed()) {
      await step().catch((error: unknown) => context.log.error({ event: "stop_failed", err: error }));
    }
    leaveSoon();
  }
  context.say("Stopped.");
}

/**
 * In an order in which every refusal comes before what it would leave behind: the folder, the port, the database, the
 * clock, the queue. Returns the line that says where to go.
 */
async function startService(context: CommandContext, parts: ServiceParts, undo: Undo): Promise<string> {
  const { config } = context;
  const everything = parts.api && parts.workers;
  const hold = everything ? await takeDataFolder(config.dataDir, undo) : null;
  if (parts.workers && config.databaseUrl) refusePooled(config.databaseUrl, "DATABASE_URL", "tieout work");
  const port = parts.api ? config.port : config.workPort;
  const setting = parts.api ? "PORT" : "WORK_PORT";
  const listening = port === null ? null : await listen({ host: config.host, port, setting });
  if (listening) undo.push(listening.close);
  if (listening) await hold?.noteAddress(listening.url);

  await removeLeftFolders(context.now());
  // Most of the program is read while Postgres starts: together they take as long as the longer of the two.
  const loading = import("./start-parts.ts");
  const store = await openStore(context, { migrate: everything, queue: true });
  undo.push(store.close);
  await refuseWrongClock(store.database, context.now);
  const { startParts } = await loading;
  await startParts(context, parts, { store, listening }, undo);
  return parts.api && listening
    ? `Ready: open ${listening.url}  (stop with Ctrl-C)`
    : "Ready. Stop with Ctrl-C.";
}

async function takeDataFolder(dataDir: string, undo: Undo): Promise<DataFolderHold> {
  await prepareDataFolder(dataDir);
  const hold = await holdDataFolder(dataDir);
  undo.push(hold.release);
  return hold;
}
