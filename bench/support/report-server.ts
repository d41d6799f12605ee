import { randomBytes } from "node:crypto";
import { createApi } from "../../src/api/app.ts";
import { listen } from "../../src/api/listen.ts";
import { reportRoutes } from "../../src/api/reports/routes.ts";
import { secret } from "../../src/core/secret.ts";
import { createKey } from "../../src/store/people/api-keys.ts";
import { openDatabase } from "../../src/store/database.ts";
import { readFromReplica } from "../../src/store/replica.ts";

/**
 * The API with its reports, in a process of its own whose memory can be asked for; with a second address it reads there. No
 * limits of rows or requests: these are what is measured.
 */
const open = (url: string) =>
  openDatabase(secret(url), {
    part: "bench-server",
    connectionsMax: 10,
    statementTimeoutMs: 0,
    onError: () => undefined,
  });
const [, , databaseUrl = "", readUrl] = process.argv;
const database = open(databaseUrl);
const wanted = { name: "bench", role: "viewer", scopes: [], accountIds: null, expiresInMs: null } as const;
const { key } = await createKey(database, randomBytes, wanted, { actor: "bench" });
const copying = { ...wanted, role: "accountant", accountIds: [1] } as const;
const { key: copyingKey } = await createKey(database, randomBytes, copying, { actor: "bench" });
const unlimited = { quota: 1_000_000_000, windowSeconds: 60 };
const { app } = createApi({
  now: Date.now,
  newRequestId: () => "bench",
  version: {},
  readiness: [],
  database,
  ...(readUrl === undefined
    ? {}
    : {
        readDatabase: readFromReplica(database, open(readUrl), { now: Date.now, onChange: () => undefined }),
      }),
  rateLimits: { default: unlimited, mirror: unlimited },
  extensions: [reportRoutes({ database, rowsMax: 100_000_000 })],
  metrics: { observeRequest: () => undefined, render: async () => ({ contentType: "text/plain", body: "" }) },
  log: { info: () => undefined, error: (fields) => process.stderr.write(`${JSON.stringify(fields)}\n`) },
});
const listening = await listen({ host: "127.0.0.1", port: 0 });
listening.serve(app.fetch);

let peak = 0;
const rss = () => process.memoryUsage.rss();
setInterval(() => {
  peak = Math.max(peak, rss());
}, 20).unref();
process.on("message", (what) => {
  if (what === "reset") {
    globalThis.gc?.();
    peak = rss();
  }
  process.send?.(what === "before" ? rss() : peak);
});
process.send?.({ url: listening.url, key, copyingKey });
