import type { Database, Queryable } from "../../src/store/database.ts";

type Query = Queryable["query"];

/** The statement that keeps a page, by the name it is prepared under. */
export const recordPageName = "record_pages";

/**
 * The database with something between: `around` sees every statement, inside and outside of transactions, and may change
 * it, leave it out or fail. `next` runs it as it was.
 */
export function wrapDatabase(
  db: Database,
  around: (next: Query, ...args: Parameters<Query>) => Promise<unknown[]>,
): Database {
  const wrap = (runner: Queryable): Query => {
    const next: Query = (text, values, name) => runner.query(text, values, name);
    return ((text, values, name) => around(next, text, values, name)) as Query;
  };
  return {
    ...db,
    query: wrap(db),
    transaction: (work) => db.transaction((tx, client) => work({ ...tx, query: wrap(tx) }, client)),
  };
}
