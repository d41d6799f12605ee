import { sql } from "drizzle-orm";
import { boolean, integer, text } from "drizzle-orm/pg-core";
import { checks, tieout, time } from "./columns.ts";

/** People who ask in SQL: a login each, with the accounts it sees. */
export const readerRoles = tieout.table(
  "reader_roles",
  {
    roleName: text("role_name").primaryKey(),
    accountIds: integer("account_ids").array(),
    wallets: boolean("wallets").notNull(),
    createdAt: time("created_at")
      .notNull()
      .default(sql`clock_timestamp()`),
    createdBy: text("created_by").notNull(),
  },
  (table) => [
    ...checks({
      reader_role_has_its_form: sql`${table.roleName} ~ '^tieout_reader_[a-z][a-z0-9_]{0,40}$'`,
      limited_reader_has_accounts: sql`${table.accountIds} is null or cardinality(${table.accountIds}) > 0`,
    }),
  ],
);
