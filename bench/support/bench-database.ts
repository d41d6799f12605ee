import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { secret } from "../../src/core/secret.ts";
import { type Database, openDatabase } from "../../src/store/database.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../../src/store/embedded/embedded-postgres.ts";
import { migrateDatabase } from "../../src/store/migrate.ts";

export interface BenchDatabase {
  folder: string;
  postgres: EmbeddedPostgres;
  database: Database;
  remove(): Promise<void>;
}

/** An embedded Postgres of its own, with fsync on, migrated; gone afterwards. */
export async function openBenchDatabase(connectionsMax = 20): Promise<BenchDatabase> {
  const folder = await mkdtemp(join(tmpdir(), "tieout-bench-"));
  await chmod(folder, 0o711);
  const postgres = await startEmbeddedPostgres(join(folder, "data"));
  const database = openDatabase(secret(postgres.url), {
    part: "bench",
    connectionsMax,
    statementTimeoutMs: 3_600_000,
    onError: () => undefined,
  });
  await migrateDatabase(database, resolve("migrations"));
  return {
    folder,
    postgres,
    database,
    remove: async () => {
      await database.close();
      await postgres.leave();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
