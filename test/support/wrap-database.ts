import type { PoolClient, QueryArrayConfig } from "pg";
import type { Database, Queryable } from "../../src/store/database.ts";
import { openOrm, type Orm } from "../../src/store/orm.ts";

type Query = Queryable["query"];
type Around = (next: Query, ...args: Parameters<Query>) => Promise<unknown[]>;

/** Whether this is a statement that keeps pages, by the name it is prepared under. */
export function isRecordPages(name: string | undefined): boolean {
  return name?.startsWith("record_pages_") ?? false;
}

/**
 * The database with something between: `around` sees every statement, inside and outside of transactions, written as SQL
 * or by Drizzle, and may change it, leave it out or fail. `next` runs it as it was.
 */
export function wrapDatabase(db: Database, around: Around): Database {
  const wrap = (runner: Queryable): Query => {
    const next: Query = (text, values, name) => runner.query(text, values, name);
    return ((text, values, name) => around(next, text, values, name)) as Query;
  };
  return {
    ...db,
    orm: wrapOrm(around, (statement) => db.session((client) => client.query(statement))),
    query: wrap(db),
    transaction: (work) =>
      db.transaction((tx, client) => {
        const orm = wrapOrm(around, (statement) => client.query(statement));
        return work({ orm, query: wrap(tx) }, client);
      }),
  };
}

function wrapOrm(around: Around, run: (statement: QueryArrayConfig) => Promise<{ rows: unknown[] }>): Orm {
  const query = async (statement: QueryArrayConfig, given: unknown[]) => {
    const next = (async (text, values = [], name) => {
      const { rows } = await run({ ...statement, text, values, ...(name === undefined ? {} : { name }) });
      return rows;
    }) as Query;
    return { rows: await around(next, statement.text, given, statement.name) };
  };
  return openOrm({ query } as unknown as PoolClient);
}
