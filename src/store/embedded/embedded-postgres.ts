import { Client } from "pg";
import { applicationName, applicationPrefix } from "../application-name.ts";
import { prepareEngine, type Engine } from "./data-folder.ts";
import { ensurePassword, initialiseCluster, readPassword, superuser } from "./initialise.ts";
import { type RunningServer, startServer, stopServer } from "./server.ts";

/** A real Postgres with nothing installed: programs from a package, data in the data folder. */
export interface EmbeddedPostgres {
  /** For migrations: an ordinary role that owns the database `tieout`. */
  url: string;
  /** For the running service, which owns nothing and cannot change what is append-only. */
  serviceUrl: string;
  /** For tests and benchmarks, which make databases of their own. */
  superuserUrl: string;
  engine: Engine;
  server: RunningServer;
  /** True when the cluster was made just now. */
  made: boolean;
  /** Stops the server, unless another command still uses it. */
  leave(): Promise<void>;
}

const database = "tieout";
const owner = "tieout";
/** The migrations say what it may do. */
const service = "tieout_service";

export async function startEmbeddedPostgres(
  dataDir: string,
  options: { throwAway?: boolean; onProgress?: (line: string) => void } = {},
): Promise<EmbeddedPostgres> {
  const say = options.onProgress ?? (() => undefined);
  const engine = await prepareEngine(dataDir, { throwAway: options.throwAway ?? false });
  if (engine.movedTo) {
    say(`user ${engine.runAs?.name} cannot enter ${dataDir}: the database is kept in ${engine.movedTo}`);
  }
  const { made } = await initialiseCluster(engine);
  const server = await startServer(engine);
  const password = await readPassword(engine.passwordFile);
  const address = `127.0.0.1:${server.port}`;
  const superuserUrl = `postgres://${superuser}:${password}@${address}/postgres`;
  const passwords = {
    owner: await ensurePassword(engine.ownerPasswordFile),
    service: await ensurePassword(engine.servicePasswordFile),
  };
  await ensureDatabase(superuserUrl, passwords);
  const postgres: EmbeddedPostgres = {
    url: `postgres://${owner}:${passwords.owner}@${address}/${database}`,
    serviceUrl: `postgres://${service}:${passwords.service}@${address}/${database}`,
    superuserUrl,
    engine,
    server,
    made,
    leave: () => leaveServer(postgres),
  };
  return postgres;
}

const nothing = { owner: false, service: false, member: false, database: false };

/** Done at every start, because the process may have been killed between making the cluster and its database. */
async function ensureDatabase(
  superuserUrl: string,
  passwords: { owner: string; service: string },
): Promise<void> {
  await withClient(superuserUrl, async (client) => {
    const { rows } = await client.query<typeof nothing>(
      `select exists (select from pg_roles where rolname = $1) as owner,
              exists (select from pg_roles where rolname = $2 and rolcanlogin) as service,
              coalesce(pg_has_role(to_regrole($1), to_regrole($2), 'usage'), false) as member,
              exists (select from pg_database where datname = $3) as database`,
      [owner, service, database],
    );
    const found = rows[0] ?? nothing;
    const make = (statement: string) => client.query(statement).catch(ignoreDuplicate);
    // May make the reader's role, but is not a superuser: a hole in the service must not become one in the machine.
    if (!found.owner)
      await make(`create role ${owner} login createrole password ${client.escapeLiteral(passwords.owner)}`);
    if (!found.service)
      await make(`create role ${service} login password ${client.escapeLiteral(passwords.service)}`);
    // What the queue makes while it runs belongs to the service; without this the next upgrade could not grant it.
    if (!found.member) await make(`grant ${service} to ${owner}`);
    if (!found.database) await make(`create database ${database} owner ${owner}`);
  });
}

/** Two commands may start at once on a new folder: the second finds that the first has made it. */
function ignoreDuplicate(error: { code?: string }): void {
  if (error.code !== "42710" && error.code !== "42P04" && error.code !== "23505") throw error;
}

/**
 * The last process to leave stops the server, also if another started it: an export that began while `up` was running must not lose
 * its database when `up` ends first.
 */
async function leaveServer(postgres: EmbeddedPostgres): Promise<void> {
  const others = await withClient(postgres.superuserUrl, async (client) => {
    const { rows } = await client.query<{ others: number }>(
      `select count(*)::int as others
       from pg_stat_activity
       where pid <> pg_backend_pid()
         and application_name like $1 || ':%'
         and application_name not like '%:' || $2`,
      [applicationPrefix, String(process.pid)],
    );
    return rows[0]?.others ?? 0;
  }).catch(() => 0);
  if (others === 0) await stopServer(postgres.server);
}

async function withClient<T>(connectionString: string, use: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({
    connectionString,
    application_name: applicationName("engine"),
  });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end().catch(() => undefined);
  }
}
