import { spawnSync } from "node:child_process";
import { chown, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "pg";
import type { Engine } from "../../src/store/embedded/data-folder.ts";
import type { EmbeddedPostgres } from "../../src/store/embedded/embedded-postgres.ts";
import { startServer, stopServer } from "../../src/store/embedded/server.ts";

export interface TestReplica {
  /** The address of the primary's database, at the replica. */
  urlFor(primaryUrl: string): string;
  stop(): Promise<void>;
  /** Again, on the port that it had. */
  start(): Promise<void>;
}

/** A second server that follows the first, made by Postgres's own protocol: copy the files, then play the log. */
export async function startReplica(primary: EmbeddedPostgres, folder: string): Promise<TestReplica> {
  const cluster = join(folder, "replica");
  const engine: Engine = { ...primary.engine, cluster, logFile: join(folder, "replica.log") };
  const label = await copyCluster(primary, cluster);
  const { port, username, password } = new URL(primary.superuserUrl);
  const files = {
    backup_label: label,
    "standby.signal": "",
    "postgresql.auto.conf": `primary_conninfo = 'host=127.0.0.1 port=${port} user=${username} password=${password}'\n`,
  };
  for (const [name, text] of Object.entries(files)) {
    await writeFile(join(cluster, name), text);
    if (engine.runAs) await chown(join(cluster, name), engine.runAs.uid, engine.runAs.gid);
  }
  await rm(join(cluster, "postmaster.pid"));
  let server = await startServer(engine);
  const own = String(server.port);
  return {
    urlFor: (primaryUrl) => Object.assign(new URL(primaryUrl), { port: own }).href,
    stop: () => stopServer(server),
    start: async () => {
      server = await startServer(engine, { port: Number(own) });
    },
  };
}

/** Returns what Postgres wants to stand beside the copy. */
async function copyCluster(primary: EmbeddedPostgres, target: string): Promise<string> {
  const client = new Client({ connectionString: primary.superuserUrl });
  await client.connect();
  try {
    await client.query("select pg_backup_start('replica', true)");
    // With owners and modes: run by root, Postgres belongs to another user.
    spawnSync("cp", ["--archive", primary.engine.cluster, target]);
    const { rows } = await client.query<{ label: string }>(
      "select labelfile as label from pg_backup_stop(false)",
    );
    return rows[0]?.label ?? "";
  } finally {
    await client.end();
  }
}
