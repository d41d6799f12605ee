import { Client, type PoolClient, type QueryConfig } from "pg";
import type { Secret } from "../../src/core/secret.ts";
import { type Database, statementsOn, type Transaction } from "../../src/store/database.ts";
import type { Chance } from "./chance.ts";
import type { SimulatedProcess, Simulation } from "./simulation.ts";

/** A real Postgres whose clock is the simulation's. */
export interface ClockedServer {
  /** Runs one statement at this moment of simulated time, for this process. */
  run(at: Moment, statement: Statement): Promise<Record<string, unknown>[]>;
  close(): Promise<void>;
}

interface Moment {
  readonly nowMs: number;
  readonly process?: string;
}

/** As the driver takes it: Drizzle adds what it wants of the form of the rows. */
type Statement = QueryConfig;

const schema = "simulated";

/**
 * Postgres looks a function up along the search path, and its own schema comes first only as long as the path does not
 * name it. So the statements of the program run as they are, and see simulated time.
 */
export async function connectClocked(url: Secret): Promise<ClockedServer> {
  const client = new Client({
    connectionString: url.reveal(),
    options: `-c timezone=UTC -c search_path=${schema},pg_catalog,tieout,public`,
  });
  client.on("error", () => undefined);
  await client.connect();
  await client.query(`create schema if not exists ${schema}`);
  for (const name of ["now", "clock_timestamp"])
    await client.query(
      `create or replace function ${schema}.${name}() returns timestamptz
       language sql stable as $$ select current_setting('${schema}.now')::timestamptz $$`,
    );
  for (const statement of [...(await defaultsBoundAnew(client)), ...watchWindows])
    await client.query(statement);
  let set = "";
  return {
    async run({ nowMs, process = "" }, statement) {
      const wanted = `${nowMs} ${process}`;
      if (set !== wanted)
        await client.query({
          name: "set_moment",
          text: `select set_config('${schema}.now', $1, false), set_config('${schema}.process', $2, false)`,
          values: [new Date(nowMs).toISOString(), process],
        });
      // What a transaction has set is undone with it.
      set = statement.text.startsWith("rollback") ? "" : wanted;
      const { rows } = await client.query<Record<string, unknown>>(statement);
      return rows;
    },
    close: () => client.end(),
  };
}

/** Column defaults were bound to the real clock when they were made. */
async function defaultsBoundAnew(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ statement: string }>(
    `select format('alter table %s alter %I set default ${schema}.clock_timestamp()', attrelid::regclass, attname) as statement
     from pg_attrdef
     join pg_attribute on attrelid = adrelid and attnum = adnum
     join pg_class as c on c.oid = attrelid
     where c.relnamespace = 'tieout'::regnamespace
       and pg_get_expr(adbin, adrelid) ~ 'pg_catalog.(clock_timestamp|now)\\(\\)'`,
  );
  return rows.map(({ statement }) => statement);
}

/** Notes whoever writes to a window that someone else has leased, or that is done. Claiming one raises its fence. */
const watchWindows = [
  `create table if not exists ${schema}.trespasses (account_id int, window_id int, says text)`,
  `create or replace function ${schema}.note_trespass() returns trigger language plpgsql as $$
   begin
     if new.fence = old.fence
        and (   old.state in ('sealed', 'split')
             or old.state = 'walking' and old.worker <> current_setting('${schema}.process')) then
       insert into ${schema}.trespasses
       values (old.account_id, old.id,
               format('%s wrote to it when it was %s by %s', current_setting('${schema}.process'), old.state, old.worker));
     end if;
     return null;
   end $$`,
  `create or replace trigger note_trespass after update on tieout.sync_windows
   for each row execute function ${schema}.note_trespass()`,
];

export interface Line {
  readonly server: ClockedServer;
  readonly simulation: Simulation;
  readonly chance: Chance;
  readonly latencyMaxMs: number;
  /** Share of statements whose outcome their sender never hears of. */
  readonly lostShare: () => number;
  /** Called when a statement has been run: its sender may die before it hears of it. */
  readonly afterStatement: (process: SimulatedProcess) => void;
  /** The transaction under way: there is one connection, and others wait for it. */
  holder: object | null;
}

export function openLine(parts: Omit<Line, "holder">): Line {
  return { ...parts, holder: null };
}

class ConnectionLost extends Error {
  readonly code = "08006";
}

/** Whether an error is one that the simulation has made up. */
export function isMadeUp(error: unknown): boolean {
  return error instanceof ConnectionLost;
}

/** The database as one process sees it. Every statement is an event; a transaction is done before another begins. */
export function connectProcess(line: Line, process: SimulatedProcess): Database {
  async function transaction<T>(
    work: (tx: Transaction, client: PoolClient) => Promise<T>,
    end: "commit" | "rollback" = "commit",
  ): Promise<T> {
    const own = {};
    const { tx, client } = runnerOf(line, process, own);
    process.onDeath.push(() => {
      if (line.holder === own) void rollBackFor(line, own);
    });
    await tx.query("begin");
    try {
      const result = await work(tx, client);
      await tx.query(end);
      return result;
    } catch (error) {
      if (line.holder === own) await tx.query("rollback");
      throw error;
    }
  }

  const { tx, client } = runnerOf(line, process, null);
  return {
    ...tx,
    transaction: (work) => transaction(work),
    rehearse: (work) => transaction(work, "rollback"),
    session: (use) => use(client),
    close: async () => undefined,
  };
}

function runnerOf(
  line: Line,
  process: SimulatedProcess,
  transaction: object | null,
): { tx: Transaction; client: PoolClient } {
  // What the store and Drizzle need of a client, and no more.
  const query = async (given: string | Statement, values?: unknown[]) => {
    const statement = typeof given === "string" ? { text: given } : given;
    const rows = await send(line, process, values ? { ...statement, values } : statement, transaction);
    return { rows };
  };
  const client = { query } as unknown as PoolClient;
  return { client, tx: statementsOn(client) };
}

async function send(
  line: Line,
  process: SimulatedProcess,
  statement: Statement,
  transaction: object | null,
): Promise<Record<string, unknown>[]> {
  const { simulation, chance, server } = line;
  const { text } = statement;
  // Tables of this size need no statistics, and whether they are due depends on the worlds before.
  if (statement.name === "stale_tables") return [];
  const begins = text === "begin";
  const ends = transaction !== null && (text === "commit" || text === "rollback");
  const arrivesAlone = transaction === null || text === "commit";
  const fate =
    arrivesAlone && chance.happens(line.lostShare()) ? chance.pick(["before", "after"] as const) : null;
  return simulation.happen({
    process,
    label: labelOf(statement),
    afterMs: chance.whole(0, line.latencyMaxMs),
    isReady: () => line.holder === (begins ? null : transaction),
    outlivesSender: arrivesAlone,
    act: async () => {
      if (begins) line.holder = transaction;
      try {
        const moment = { nowMs: simulation.nowMs, process: process.name };
        if (fate === "before" && ends) await server.run(moment, { text: "rollback" });
        const rows = fate === "before" ? [] : await server.run(moment, statement);
        if (ends) line.holder = null;
        line.afterStatement(process);
        if (fate) throw new ConnectionLost(`connection lost ${fate} ${labelOf(statement)}`);
        return rows;
      } finally {
        if (ends) line.holder = null;
      }
    },
  });
}

/** The server notices that the connection is gone. A commit that is still on its way comes first. */
async function rollBackFor(line: Line, own: object): Promise<void> {
  await line.simulation.happen({
    process: { name: "postgres", dead: false, pausedUntilMs: 0, onDeath: [] },
    label: "the connection of a dead process is closed",
    afterMs: 2 * line.latencyMaxMs + 1,
    act: async () => {
      if (line.holder !== own) return;
      await line.server.run(line.simulation, { text: "rollback" });
      line.holder = null;
    },
  });
}

function labelOf({ name, text }: Statement): string {
  return name ?? text.replaceAll(/\s+/g, " ").trim().slice(0, 60);
}
