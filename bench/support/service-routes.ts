import { generateKeyPairSync, randomBytes } from "node:crypto";
import { createApi } from "../../src/api/app.ts";
import { periodRoutes } from "../../src/api/periods/routes.ts";
import { exportRoutes } from "../../src/api/exports/routes.ts";
import { createFolderFiles } from "../../src/store/files/folder-files.ts";
import { reportRoutes } from "../../src/api/reports/routes.ts";
import { upstreamEventRoutes } from "../../src/api/upstream-events/routes.ts";
import { webhookRoutes } from "../../src/api/webhooks/routes.ts";
import type { Database } from "../../src/store/database.ts";
import { webRoutes } from "../../src/web/routes.tsx";

/** Every route that the program serves, but for those that would sign out whoever sends the rest. */
export function routesOfService(database: Database): string[] {
  const nothing = async () => undefined;
  const { access } = createApi({
    now: Date.now,
    newRequestId: () => "bench",
    version: {},
    readiness: [],
    database,
    extensions: [
      reportRoutes({ database }),
      exportRoutes({ database, files: createFolderFiles("/nowhere"), randomBytes, enqueue: nothing }),
      periodRoutes({ database, signingKey: generateKeyPairSync("ed25519").privateKey }),
      webRoutes({ randomBytes }),
      webhookRoutes({ signingKey: "", randomBytes, checkUrl: () => null }),
      upstreamEventRoutes({ secrets: new Map(), transactionOf: () => null, wakeSync: nothing }),
    ],
    metrics: { observeRequest: () => undefined, render: async () => ({ contentType: "", body: "" }) },
    log: { info: () => undefined, error: () => undefined },
  });
  return [...access.keys()].filter((route) => !route.includes("sign-out"));
}
