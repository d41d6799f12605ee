import { sql } from "drizzle-orm";
import { boolean, check, index, integer, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { Role } from "../../core/roles.ts";
import { bigint, bytes, checks, id, tieout, time } from "./columns.ts";

/** Who works with the books. Never deleted: the audit log names them for ever. No password is kept here or anywhere. */
export const people = tieout.table(
  "people",
  {
    id: id(),
    name: text("name").notNull(),
    email: text("email").notNull(),
    roles: text("roles").array().$type<Role[]>().notNull(),
    /** `null`: every account. */
    accountIds: integer("account_ids").array(),
    state: text("state").$type<"invited" | "active" | "suspended">().notNull().default("invited"),
    createdAt: time("created_at")
      .notNull()
      .default(sql`clock_timestamp()`),
    createdBy: text("created_by").notNull(),
    /** When they first signed in. */
    activatedAt: time("activated_at"),
    suspendedAt: time("suspended_at"),
    lastSeenAt: time("last_seen_at"),
    /** When they ceased to be an active admin; kept by the database. */
    adminUntil: time("admin_until"),
  },
  (table) => [
    ...checks({
      person_has_a_name: sql`${table.name} ~ '\\S'`,
      person_has_an_email: sql`${table.email} ~ '^[^@\\s]+@[^@\\s]+$'`,
      person_has_known_roles: sql`cardinality(${table.roles}) > 0 and ${table.roles} <@ '{viewer,accountant,controller,auditor,admin}'::text[]`,
      person_state_is_known: sql`${table.state} in ('invited', 'active', 'suspended')`,
      suspended_person_says_when: sql`(${table.state} = 'suspended') = (${table.suspendedAt} is not null)`,
      limited_person_has_accounts: sql`${table.accountIds} is null or cardinality(${table.accountIds}) > 0`,
    }),
    uniqueIndex("email_belongs_to_one_person").on(sql`lower(${table.email})`),
  ],
);

/** One-time links: each makes the first person, or opens one session, and is gone. Only the hash of its token is kept. */
export const signInLinks = tieout.table(
  "sign_in_links",
  {
    tokenHash: bytes("token_hash").primaryKey(),
    purpose: text("purpose").$type<"first_person" | "invitation" | "sign_in">().notNull(),
    /** `null`: the visitor who opens it becomes the first person. */
    personId: bigint("person_id").references(() => people.id),
    createdAt: time("created_at")
      .notNull()
      .default(sql`clock_timestamp()`),
    createdBy: text("created_by").notNull(),
    /** Everyone who could have opened it besides its person, as `person:1, person:4`; `null` for the very first link. */
    vouchedBy: text("vouched_by"),
    expiresAt: time("expires_at").notNull(),
  },
  (table) => [
    check("link_token_hash_is_sha256", sql`length(${table.tokenHash}) = 32`),
    check("link_purpose_is_known", sql`${table.purpose} in ('first_person', 'invitation', 'sign_in')`),
    check("link_has_its_person", sql`(${table.purpose} = 'first_person') = (${table.personId} is null)`),
    index("sign_in_links_of_person").on(table.personId),
  ],
);

/** Who is signed in to the page. Of a session only the hash of its token is kept: a copy of this table opens nothing. */
export const sessions = tieout.table(
  "sessions",
  {
    tokenHash: bytes("token_hash").primaryKey(),
    personId: bigint("person_id")
      .notNull()
      .references(() => people.id),
    /** How they proved who they are: a row of the table of sign-in methods. */
    method: text("method").notNull(),
    /** Everyone who could have opened it besides its person, as `person:1, person:4`. */
    vouchedBy: text("vouched_by"),
    openedAt: time("opened_at")
      .notNull()
      .default(sql`clock_timestamp()`),
    lastSeenAt: time("last_seen_at")
      .notNull()
      .default(sql`clock_timestamp()`),
    expiresAt: time("expires_at").notNull(),
    endedAt: time("ended_at"),
  },
  (table) => [
    check("session_token_hash_is_sha256", sql`length(${table.tokenHash}) = 32`),
    index("sessions_of_person").on(table.personId),
    index("sessions_by_end").on(table.expiresAt),
  ],
);

/** Who tried to sign in, and whether it worked: limits go by it, in all processes together. Kept for a day. */
export const signInAttempts = tieout.table(
  "sign_in_attempts",
  {
    id: id(),
    at: time("at")
      .notNull()
      .default(sql`clock_timestamp()`),
    address: text("address").notNull(),
    method: text("method").notNull(),
    succeeded: boolean("succeeded").notNull(),
  },
  (table) => [index("sign_in_attempts_of_address").on(table.address, table.at)],
);
