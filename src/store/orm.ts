import { DrizzleQueryError } from "drizzle-orm";
import { drizzle, type NodePgDatabase } from "drizzle-orm/node-postgres";
import type { Pool, PoolClient, QueryConfig, QueryResult } from "pg";

/** Drizzle for ordinary statements. Without its transactions: ours know about sessions, savepoints and rehearsals. */
export type Orm = Pick<NodePgDatabase, "select" | "selectDistinct" | "insert" | "update" | "delete"> & {
  /** Whom its statements are given to. */
  $client: OrmClient;
};

export interface OrmClient {
  query(statement: QueryConfig, values?: unknown[]): Promise<QueryResult>;
}

/**
 * Fails with the driver's own error, as `query` does. Drizzle wraps it in one that hides the SQLSTATE, by which we tell a
 * bad value from a lost connection, and whose message spells out every bound value: hashes of keys and sessions would
 * reach the log.
 */
export function openOrm(client: Pool | PoolClient | OrmClient): Orm {
  // All it does with a client, when it runs no transactions, is to hand it statements.
  const orm = drizzle({ client: client as Pool });
  const { session } = orm._;
  const prepareQuery = session.prepareQuery.bind(session);
  session.prepareQuery = (...args) => {
    const prepared = prepareQuery(...args);
    const execute = prepared.execute.bind(prepared);
    prepared.execute = async (values) => {
      try {
        return await execute(values);
      } catch (error) {
        throw error instanceof DrizzleQueryError ? error.cause : error;
      }
    };
    return prepared;
  };
  return orm;
}
