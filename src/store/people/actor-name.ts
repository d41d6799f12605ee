import { type SQL, sql } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";

/** The name of the actor that a column holds as `person:12` or `key:3fK9ZQ2b`, as it is now. */
export function actorName<Name extends string | null = string>(column: PgColumn): SQL<Name> {
  return sql<Name>`tieout.actor_name(${column})`;
}
