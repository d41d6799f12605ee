import type { Database } from "../store/database.ts";
import type { CommandContext } from "./context.ts";
import { openStore, refuseEmptyFolder, type Store } from "./open-store.ts";

/** Closes the store again, however the work ends. */
export async function withStore<T>(context: CommandContext, work: (store: Store) => Promise<T>): Promise<T> {
  const store = await openStore(context, { migrate: false });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

/** For commands that can do nothing without what is there already: in an empty folder they say so, and make no database. */
export function withExistingStore<T>(
  context: CommandContext,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  refuseEmptyFolder(context);
  return withStore(context, work);
}

/** For commands that look something up or change a row: they do not report how the database was opened. */
export function withDatabase(
  context: CommandContext,
  use: (database: Database) => Promise<void>,
): Promise<void> {
  return withStore({ ...context, say: () => undefined }, ({ database }) => use(database));
}

/** The same, for those that find nothing in an empty folder. */
export function withExistingDatabase(
  context: CommandContext,
  use: (database: Database) => Promise<void>,
): Promise<void> {
  refuseEmptyFolder(context);
  return withDatabase(context, use);
}
