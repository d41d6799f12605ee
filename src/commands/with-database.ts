import type { Database } from "../store/database.ts";
import type { CommandContext } from "./context.ts";
import { openStore } from "./open-store.ts";

/** For commands that look something up or change a row, and say nothing of how they came to the database. */
export async function withDatabase(
  context: CommandContext,
  use: (database: Database) => Promise<void>,
): Promise<void> {
  const store = await openStore({ ...context, say: () => undefined }, { migrate: false });
  try {
    await use(store.database);
  } finally {
    await store.close();
  }
}
