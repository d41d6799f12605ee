import { basename } from "node:path";
import { secret } from "../../src/core/secret.ts";
import { builtInProfiles } from "../../src/reconcile/profiles/built-in.ts";
import { importStatement, type ImportRequest } from "../../src/reconcile/statement/import-statement.ts";
import { fileSource } from "../../src/reconcile/statement/source.ts";
import { openDatabase } from "../../src/store/database.ts";

export interface ImportFigures {
  seconds: number;
  peakBytes: number;
}

/** Imports one file, tells how long it took and how much memory at most, and ends. */
const [url = "", file = ""] = process.argv.slice(2);
const database = openDatabase(secret(url), {
  part: "bench-import",
  connectionsMax: 4,
  statementTimeoutMs: 600_000,
  onError: () => undefined,
});
const [account] = await database.query<{ id: number }>(
  `insert into tieout.accounts (name, base_url, sync_start)
   values ('bench', 'http://127.0.0.1', '2026-01-01')
   on conflict (name) do update set base_url = excluded.base_url
   returning id`,
);
const request: ImportRequest = {
  account: { id: account?.id ?? 0, name: "bench" },
  provider: null,
  profileName: null,
  generatedAt: null,
  periodFrom: null,
  periodTo: null,
  replaces: null,
  acceptReason: null,
  actor: "bench",
};

let peakBytes = 0;
const timer = setInterval(() => {
  peakBytes = Math.max(peakBytes, process.memoryUsage.rss());
}, 50);
const begun = performance.now();
await importStatement({ database, profiles: builtInProfiles }, fileSource(file, basename(file)), request);
const figures: ImportFigures = { seconds: (performance.now() - begun) / 1_000, peakBytes };
clearInterval(timer);
await database.close();
process.send?.(figures, () => process.disconnect());
