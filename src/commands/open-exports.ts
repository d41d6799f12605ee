import { type KeyObject, randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Enqueue } from "../../jobs/handler.ts";
import type { ApiDeps } from "../api/deps.ts";
import { periodRoutes } from "../api/periods/routes.ts";
import { exportRoutes } from "../api/exports/routes.ts";
import { reportRoutes } from "../api/reports/routes.ts";
import { MINUTE, SECOND } from "../core/duration.ts";
import { sweepExports } from "../report/expire-exports.ts";
import { type ExportDeps, runExports } from "../report/run-export.ts";
import { type Database, openDatabase } from "../store/database.ts";
import type { CommandContext } from "./context.ts";
import { exportFiles } from "./file-places.ts";
import type { Store } from "./open-store.ts";
import { workerName } from "./sync-deps.ts";

/** Reports: for the API that takes requests, and for the workers that write them. */
export interface OpenExports {
  database: Database;
  jobs: {
    run(exportId: string, stopping: AbortSignal): Promise<void>;
    sweep(): Promise<string[]>;
  };
  extensions(enqueue: Enqueue): NonNullable<ApiDeps["extensions"]>;
  close: () => Promise<void>;
}

/** Downloads and exports hold a connection for as long as they last, so they have a pool of their own. */
const connectionsMax = 16;
const closeTimeoutMs = 1 * SECOND;

export function openExports(context: CommandContext, store: Store, signingKey: KeyObject): OpenExports {
  const { config, log } = context;
  const database = openDatabase(store.url, {
    part: "exports",
    connectionsMax,
    statementTimeoutMs: MINUTE,
    onError: (error) => log.warn({ event: "database_connection", reason: error.message }),
  });
  const files = exportFiles(context);
  const deps: ExportDeps = {
    database,
    files,
    worker: workerName(),
    log,
    keepMs: config.retention.exportsMs,
  };
  return {
    database,
    jobs: {
      run: async (exportId, stopping) => void (await runExports(deps, exportId, stopping)),
      sweep: () => sweepExports(deps),
    },
    extensions: (enqueue) => [
      reportRoutes({ database }),
      exportRoutes({
        database,
        files,
        randomBytes,
        enqueue: (exportId) => enqueue("export", { exportId }),
      }),
      periodRoutes({ database, signingKey }),
    ],
    // A download that is under way keeps its connection until the server closes its sockets, which comes later.
    close: () => Promise.race([database.close(), sleep(closeTimeoutMs, undefined, { ref: false })]),
  };
}
