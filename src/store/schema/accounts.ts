import { sql } from "drizzle-orm";
import { integer, text } from "drizzle-orm/pg-core";
import { checks, multirange, tieout, time } from "./columns.ts";

export const accounts = tieout.table(
  "accounts",
  {
    id: integer("id").primaryKey().generatedAlwaysAsIdentity(),
    name: text("name").notNull().unique("account_name_is_unique"),
    baseUrl: text("base_url").notNull(),
    syncStart: time("sync_start").notNull(),
    state: text("state").notNull().default("active"),
    pausedReason: text("paused_reason"),
    pausedAt: time("paused_at"),
    /** Which credentials were refused, as a short fingerprint: a process with other credentials may ask. */
    refusedCredentials: text("refused_credentials"),
    /** No requests with the refused credentials before this time. */
    probeAt: time("probe_at"),
    /** Since when no request for records has been answered; empty while they are. */
    failingSince: time("failing_since"),
    lastError: text("last_error"),
    /** Requests in flight that the aggregator has been found to bear; shared by all workers. */
    requestLimit: integer("request_limit").notNull().default(4),
    /** No requests before this time: the aggregator told us to wait. */
    notBefore: time("not_before"),
    lastSuccessAt: time("last_success_at"),
    covered: multirange("covered").notNull().default("{}"),
    catalogueReadAt: time("catalogue_read_at"),
    createdAt: time("created_at")
      .notNull()
      .default(sql`clock_timestamp()`),
  },
  (table) => [
    ...checks({
      account_has_a_name: sql`${table.name} <> ''`,
      account_state_is_known: sql`${table.state} in ('active', 'paused', 'refused')`,
      failing_account_has_an_error: sql`${table.failingSince} is null or ${table.lastError} is not null`,
      paused_account_has_a_reason: sql`${table.state} = 'active' or ${table.pausedReason} is not null`,
      account_may_ask: sql`${table.requestLimit} >= 1`,
    }),
  ],
);

export const accountId = () =>
  integer("account_id")
    .notNull()
    .references(() => accounts.id);
