import { MINUTE } from "../core/duration.ts";
import { TieoutError } from "../core/errors.ts";
import { addressWithoutSecrets, secret, type Secret } from "../core/secret.ts";
import { type Database, isPooled, openDatabase } from "../store/database.ts";
import { hasCluster } from "../store/embedded/data-folder.ts";
import { type EmbeddedPostgres, startEmbeddedPostgres } from "../store/embedded/embedded-postgres.ts";
import { keepServerRunning } from "../store/embedded/keep-running.ts";
import { admitService, checkMigrated, migrateDatabase } from "../store/migrate.ts";
import { numberEventsByTime } from "../store/notify/number-events.ts";
import { closeToReaders } from "../store/people/readers.ts";
import { checkRoleSettings, refusePooled } from "../store/pooler.ts";
import { asDatabaseError } from "../store/sql-errors.ts";
import type { CommandContext } from "./context.ts";

export interface Store {
  url: Secret;
  database: Database;
  embedded: EmbeddedPostgres | null;
  schemaVersion: number;
  close: () => Promise<void>;
}

interface StoreNeeds {
  /** Whether this command may change tables. The embedded Postgres is always brought up to date: it has no other administrator. */
  migrate: boolean;
  /** Whether this command uses the queue. Bringing its tables up to date means loading BullMQ, a large part of the program. */
  queue?: boolean;
}

/** A command that reads would make a whole database there, only to find nothing in it. */
export function refuseEmptyFolder({
  config: { databaseUrl, dataDir },
}: Pick<CommandContext, "config">): void {
  if (databaseUrl !== null || hasCluster(dataDir)) return;
  throw new TieoutError(
    "data_folder_unusable",
    `nothing is here yet: there is no database in ${dataDir}. Run tieout up, which makes one, or say where it is with TIEOUT_DATA_DIR or DATABASE_URL`,
  );
}

/** The database, ready for use: the configured one, or the embedded one. */
export async function openStore(context: CommandContext, options: StoreNeeds): Promise<Store> {
  const { config, log, say } = context;
  const embedded =
    config.databaseUrl === null ? await startEmbeddedPostgres(config.dataDir, { onProgress: say }) : null;
  const url = config.databaseUrl ?? secret(embedded?.serviceUrl ?? "");
  const supervisor = embedded
    ? keepServerRunning(embedded, (error) => log.error({ event: "postgres_lost", err: error }))
    : null;
  const database = openDatabase(url, {
    part: "main",
    connectionsMax: 10,
    statementTimeoutMs: MINUTE,
    onError: (error) => log.warn({ event: "database_connection", reason: error.message }),
  });
  const close = async () => {
    supervisor?.stop();
    await database.close();
    await embedded?.leave();
  };
  try {
    const embeddedIn = embedded?.engine.cluster ?? null;
    if (embedded)
      say(`Postgres: embedded, ${embedded.made ? "made in" : "data in"} ${embedded.engine.cluster}`);
    else say(`Postgres: ${addressWithoutSecrets(url.reveal())}`);
    if (options.migrate) refusePooled(url, "DATABASE_URL", "tieout migrate");
    if (isPooled(url)) await checkRoleSettings(database);
    const schemaVersion = embedded
      ? await migrateEmbedded(context, embedded, options)
      : options.migrate
        ? (await migrate(context, database, { embeddedIn, ...options })).version
        : await checkMigrated(database, context.migrationsDir, embeddedIn);
    return { url, database, embedded, schemaVersion, close };
  } catch (error) {
    await close();
    throw asDatabaseError(error, url.reveal());
  }
}

async function migrateEmbedded(
  context: CommandContext,
  embedded: EmbeddedPostgres,
  options: StoreNeeds,
): Promise<number> {
  const { version, migrated } = await asEmbedded(context, embedded, "owner", (owner) =>
    migrate(context, owner, { embeddedIn: embedded.engine.cluster, ...options }),
  );
  // The owner could not, and readers may have been let in by an earlier tieout.
  if (migrated) await asEmbedded(context, embedded, "superuser", closeToReaders);
  return version;
}

/** As a role that may do what the running service may not: the owner changes tables, the superuser what is the server's. */
export async function asEmbedded<T>(
  { log }: CommandContext,
  embedded: EmbeddedPostgres,
  as: "owner" | "superuser",
  work: (database: Database) => Promise<T>,
): Promise<T> {
  const address = new URL(as === "owner" ? embedded.url : embedded.superuserUrl);
  address.pathname = new URL(embedded.url).pathname;
  const database = openDatabase(secret(address.href), {
    part: as,
    connectionsMax: 2,
    statementTimeoutMs: MINUTE,
    onError: (error) => log.warn({ event: "database_connection", reason: error.message }),
  });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

async function migrate(
  context: CommandContext,
  database: Database,
  { embeddedIn, queue = false }: StoreNeeds & { embeddedIn: string | null },
): Promise<{ version: number; migrated: boolean }> {
  const { applied, version } = await migrateDatabase(database, context.migrationsDir, embeddedIn);
  if (queue || applied.length > 0) {
    // Also with Redis: changing REDIS_URL later must not need a migration.
    const { migrateQueue } = await import("../../jobs/connection.ts");
    await database.session((client) => migrateQueue(client));
  }
  const migrated = applied.length > 0;
  await admitService(database, { migrated });
  await numberEventsByTime(database);
  const changes = applied.length === 0 ? "nothing to do" : `${applied.length} applied`;
  context.say(`Migrations: ${changes}, version ${version}`);
  return { version, migrated };
}
