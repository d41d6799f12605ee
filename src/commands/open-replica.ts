import type { ReadinessCheck } from "../api/health/readiness.ts";
import { MINUTE } from "../core/duration.ts";
import { openDatabase } from "../store/database.ts";
import { readFromReplica, type ReplicaReader } from "../store/replica.ts";
import type { CommandContext } from "./context.ts";
import type { Store } from "./open-store.ts";

/** Reads that state their age may go to a replica, where there is one that keeps up. */
export function openReplica(
  { config, log, now }: CommandContext,
  store: Pick<Store, "database">,
): ReplicaReader | null {
  if (config.readDatabaseUrl === null) return null;
  const replica = openDatabase(config.readDatabaseUrl, {
    part: "read",
    connectionsMax: 10,
    statementTimeoutMs: MINUTE,
    onError: (error) => log.warn({ event: "read_database_connection", reason: error.message }),
  });
  return readFromReplica(store.database, replica, {
    now,
    onChange: (reason) =>
      reason === null
        ? log.info({ event: "replica_asked" })
        : log.warn({ event: "replica_left_out", reason: `${reason}: reads go to DATABASE_URL` }),
  });
}

/** Where one is configured. Everything works without it, only more slowly, so that otherwise its absence goes unnoticed. */
export function replicaCheck(replica: ReplicaReader | null): ReadinessCheck[] {
  if (replica === null) return [];
  const run = async () => {
    const problem = await replica.problem();
    if (problem !== null) throw new Error(`the replica is not used, ${problem}`);
  };
  return [{ name: "replica", critical: false, run }];
}
