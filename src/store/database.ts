import { Pool, type PoolClient, type QueryResultRow } from "pg";
import { MINUTE, SECOND } from "../core/duration.ts";
import type { Secret } from "../core/secret.ts";
import { applicationName } from "./application-name.ts";
import { openOrm, type Orm } from "./orm.ts";
import { asDatabaseError } from "./sql-errors.ts";

/** Anything that runs a statement: the pool, or a client inside a database transaction. */
export interface Queryable {
  /** For ordinary statements; `query` is for those where the SQL is the point. Decision 0011 says which is which. */
  orm: Orm;
  /** With a `name` the statement is planned once per connection: for large statements that run all the time. */
  query<Row extends object = QueryResultRow>(text: string, values?: unknown[], name?: string): Promise<Row[]>;
}

/** One database transaction. */
export type Transaction = Queryable;

export interface Database extends Transaction {
  /** Commits when `work` returns, rolls back when it throws. The client is for what needs the session, such as COPY. */
  transaction<T>(work: TransactionWork<T>): Promise<T>;
  /** Runs every step and then rolls back, to show what would happen. */
  rehearse<T>(work: TransactionWork<T>): Promise<T>;
  /** One session for as long as `use` runs, for what belongs to a session: locks, LISTEN, COPY. */
  session<T>(use: (client: PoolClient) => Promise<T>): Promise<T>;
  close: () => Promise<void>;
}

export type TransactionWork<T> = (tx: Transaction, client: PoolClient) => Promise<T>;

export interface DatabaseOptions {
  /** Which part of the program this pool serves: pools are apart so that one cannot starve another. */
  part: string;
  connectionsMax: number;
  statementTimeoutMs: number;
  /** A process that stands still inside a transaction keeps its locks; after this long the server ends it. */
  idleInTransactionTimeoutMs?: number;
  /** Called for what goes wrong outside any statement, such as a server that ends while a client is idle. */
  onError: (error: Error) => void;
}

/**
 * A pooler in transaction mode lends a session for one transaction at a time. What belongs to a session is then lost or,
 * worse, left to the next borrower: prepared statements, settings, LISTEN. The address says that there is one:
 * `postgres://…/tieout?pooler=transaction`.
 */
export function isPooled(url: Secret): boolean {
  return URL.canParse(url.reveal()) && new URL(url.reveal()).searchParams.get("pooler") === "transaction";
}

export function openDatabase(url: Secret, options: DatabaseOptions): Database {
  const pooled = isPooled(url);
  // Without a limit there, there is none here either: to the driver 0 means that it waits.
  const answerMs = options.statementTimeoutMs && options.statementTimeoutMs + answerGraceMs;
  const pool = new Pool({
    connectionString: url.reveal(),
    application_name: applicationName(options.part),
    max: options.connectionsMax,
    ...(pooled ? {} : sessionSettings(options)),
    connectionTimeoutMillis: 10 * SECOND,
    // Longer than an interval: a new connection costs the server more than a round of an idle service.
    idleTimeoutMillis: 5 * MINUTE,
    keepAlive: true,
    keepAliveInitialDelayMillis: silentMaxMs,
  });
  // Without a listener, a server that goes away while a client is idle would end the process.
  pool.on("error", options.onError);
  // Before `session` can listen: a server that is killed may accept a client and end its session in the same packet.
  pool.on("connect", (client) => client.on("error", () => undefined));
  if (pooled) {
    withoutNames.add(pool);
    pool.on("connect", (client) => withoutNames.add(client));
  }

  async function session<T>(use: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await pool.connect().catch((error: unknown) => {
      throw asDatabaseError(error, url.reveal());
    });
    let failure: Error | undefined;
    // The pool listens to idle clients only; while this one is out, its errors are ours.
    const onError = (error: Error) => {
      failure = error;
      options.onError(error);
    };
    client.on("error", onError);
    try {
      return await use(client);
    } catch (error) {
      failure ??= error instanceof Error ? error : new Error(String(error));
      throw error;
    } finally {
      client.off("error", onError);
      // A client that failed may be in the middle of anything: the pool throws it away.
      client.release(failure);
    }
  }

  return {
    ...statementsOn(pool, { answerMs }),
    session,
    transaction: (work) => session((client) => runTransaction(client, { ...whole, answerMs }, work)),
    rehearse: (work) =>
      session((client) => runTransaction(client, { ...whole, answerMs, commit: whole.rollback }, work)),
    close: () => pool.end(),
  };
}

/**
 * A machine that is switched off, or cut off from us, ends no statement and closes no connection: a request would wait for
 * the network to give up, which takes a quarter of an hour, and a session that listens would be deaf for two hours. So an
 * answer may come this much later than the server's own limit, and a silent connection is asked whether it still is one.
 */
const answerGraceMs = 5 * SECOND;
const silentMaxMs = 10 * SECOND;

function sessionSettings(options: DatabaseOptions) {
  return {
    statement_timeout: options.statementTimeoutMs,
    ...(options.idleInTransactionTimeoutMs === undefined
      ? {}
      : { idle_in_transaction_session_timeout: options.idleInTransactionTimeoutMs }),
    options: "-c timezone=UTC -c search_path=tieout,public",
  };
}

/** Behind a pooler the session that knows the name may be another one's by now. */
const withoutNames = new WeakSet<object>();

/**
 * The database as work inside one of its transactions sees it: what is written through this is written together with
 * all the rest, or not at all. A transaction within it is a savepoint.
 */
export function joinTransaction(tx: Transaction, client: PoolClient): Database {
  return {
    ...tx,
    session: (use) => use(client),
    transaction: (work) => runTransaction(client, part, work),
    rehearse: (work) => runTransaction(client, { ...part, commit: part.rollback }, work),
    close: async () => undefined,
  };
}

const whole = { begin: "begin", commit: "commit", rollback: "rollback" };
const part = {
  begin: "savepoint part",
  commit: "release savepoint part",
  rollback: "rollback to savepoint part; release savepoint part",
};

async function runTransaction<T>(
  client: PoolClient,
  words: typeof whole & { answerMs?: number },
  work: TransactionWork<T>,
): Promise<T> {
  // What follows may set limits of its own; a connection that is dead already shows here.
  await client.query({ text: words.begin, ...answeredWithin(words.answerMs) });
  try {
    const result = await work(statementsOn(client), client);
    await client.query(words.commit);
    return result;
  } catch (error) {
    // When the connection is gone the server has rolled back by itself.
    await client.query(words.rollback).catch(() => undefined);
    throw error;
  }
}

/** For a session that runs its transactions itself, and for single statements, which may have a limit on this side too. */
export function statementsOn(client: Pool | PoolClient, limit: { answerMs?: number } = {}): Queryable {
  const own = answeredWithin(limit.answerMs);
  return {
    orm: ormOf(client, own),
    query: async <Row extends object>(text: string, values: unknown[] = [], name?: string) => {
      const named = name !== undefined && !withoutNames.has(client);
      const { rows } = await client.query({ text, values, ...(named ? { name } : {}), ...own });
      return rows as Row[];
    },
  };
}

/** One per connection. One per transaction took 7 % of a process's own time in the simulated worlds, whose transactions are small. */
function ormOf(client: Pool | PoolClient, own: { query_timeout?: number }): Orm {
  const known = orms.get(client);
  if (known !== undefined) return known;
  const orm = openOrm({ query: (statement, values) => client.query({ ...statement, ...own }, values) });
  orms.set(client, orm);
  return orm;
}

const orms = new WeakMap<Pool | PoolClient, Orm>();

function answeredWithin(answerMs: number | undefined): { query_timeout?: number } {
  return answerMs === undefined ? {} : { query_timeout: answerMs };
}
