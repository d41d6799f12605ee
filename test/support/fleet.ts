import { rm } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { formatInstant } from "../../src/core/instant.ts";
import { secret } from "../../src/core/secret.ts";
import type { RunningSandbox } from "../../src/sandbox/server.ts";
import type { Database } from "../../src/store/database.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../src/store/embedded/embedded-postgres.ts";
import { isAlive } from "../../src/store/embedded/process-alive.ts";
import { startServer } from "../../src/store/embedded/server.ts";
import { compareWithLedger, readLedger, tiedOut } from "./ledger-oracle.ts";
import { openFolder } from "./open-folder.ts";
import { startReplica, type TestReplica } from "./replica.ts";
import { type Running, runTieout, startTieout } from "./run-tieout.ts";
import { startTcpProxy, type TcpProxy } from "./tcp-proxy.ts";
import { openTestDatabase } from "./test-database.ts";
import { waitFor } from "./wait-for.ts";

/** A primary, the address that leads to it, a replica, and whatever is started on them. */
export interface Fleet {
  readonly folder: string;
  readonly postgres: EmbeddedPostgres;
  readonly replica: TestReplica;
  /** Where `DATABASE_URL` leads; the primary, until a test moves it. */
  readonly address: TcpProxy;
  /** Through that address, with every right. */
  readonly db: Database;
  /** The same database, by that address. */
  through(url: string): string;
  start(command: "serve" | "work", env: Record<string, string>): Running;
  /** At once, as by `pg_ctl stop -m immediate`: what is under way is lost, and the next start has to recover. */
  crashPrimary(): Promise<void>;
  /** Again, on the port that it had. */
  startPrimary(): Promise<void>;
  stop(): Promise<void>;
}

/** Migrated, and nothing else has been done to it. `throwAway`: no crash is part of the test, so nothing has to reach the disk. */
export async function startFleet({ throwAway }: { throwAway: boolean }): Promise<Fleet> {
  const folder = await openFolder("tieout-fleet-");
  const postgres = await startEmbeddedPostgres(join(folder, "data"), { throwAway });
  const migrated = await runTieout(["migrate"], { DATABASE_URL: postgres.url });
  if (migrated.code !== 0) throw new Error(migrated.stderr);
  const replica = await startReplica(postgres, folder);
  const address = await startTcpProxy(postgres.server.port);
  const through = (url: string) => Object.assign(new URL(url), { port: new URL(address.url).port }).href;
  const asSuperuser = Object.assign(new URL(postgres.superuserUrl), { pathname: "/tieout" }).href;
  const db = openTestDatabase(secret(through(asSuperuser)));
  const running: Running[] = [];
  return {
    folder,
    postgres,
    replica,
    address,
    db,
    through,
    start: (command, env) => {
      const TIEOUT_DATA_DIR = join(folder, `${command}-${running.length}`);
      const started = startTieout([command], { TIEOUT_DATA_DIR, ...env });
      running.push(started);
      return started;
    },
    crashPrimary: async () => {
      process.kill(postgres.server.pid, "SIGQUIT");
      await waitFor("the primary is gone", () => !isAlive(postgres.server.pid));
    },
    startPrimary: async () => {
      postgres.server = await startServer(postgres.engine, { port: postgres.server.port });
    },
    stop: async () => {
      await Promise.all(running.map((each) => each.stop()));
      await db.close();
      await address.close();
      await replica.stop();
      await postgres.leave();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** What a worker needs to read this sandbox from its first day. */
export function readsFrom(sandbox: RunningSandbox, fromMs: number): Record<string, string> {
  return {
    UPSTREAM_BASE_URL: sandbox.url,
    UPSTREAM_API_KEY: "pk_sandbox",
    UPSTREAM_API_SECRET: "sk_sandbox",
    SYNC_START: formatInstant(fromMs),
    SYNC_INTERVAL: "5s",
    SYNC_CONCURRENCY: "2",
  };
}

/** Windows are planned all the time: there is an end when for a moment none is left. */
export async function untilTiedOut(db: Database, sandbox: RunningSandbox): Promise<void> {
  const expected = await readLedger(sandbox);
  const [account] = await db.query<{ id: number }>("select id from tieout.accounts");
  const tiesOut = async () =>
    isDeepStrictEqual(await compareWithLedger(db, account?.id ?? 0, expected), tiedOut);
  await waitFor("everything is read and ties out", tiesOut, { timeoutMs: 240_000, everyMs: 250 });
}

export async function countStatusRows(db: Database): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    "select count(*)::int as count from tieout.transaction_statuses",
  );
  return row?.count ?? 0;
}
