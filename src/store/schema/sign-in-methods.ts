import { sql } from "drizzle-orm";
import { check, index, jsonb, primaryKey, text } from "drizzle-orm/pg-core";
import { bigint, bytes, tieout, time } from "./columns.ts";
import { people } from "./people.ts";

/** Keys that a person's own devices hold; only their public halves are here. */
export const passkeys = tieout.table(
  "passkeys",
  {
    id: text("id").primaryKey(),
    personId: bigint("person_id")
      .notNull()
      .references(() => people.id),
    name: text("name").notNull(),
    publicKey: bytes("public_key").notNull(),
    /** How often the device says it was used; one that goes backwards is a copy. */
    counter: bigint("counter").notNull(),
    transports: text("transports").array().notNull(),
    createdAt: time("created_at")
      .notNull()
      .default(sql`clock_timestamp()`),
    lastUsedAt: time("last_used_at"),
    /** Who could have opened the session that it was added in, and so may hold it: as in that session. */
    vouchedBy: text("vouched_by"),
  },
  (table) => [
    index("passkeys_of_person").on(table.personId),
    check("passkey_has_a_name", sql`${table.name} ~ '\\S'`),
  ],
);

/** Who a person is at the company's own sign-in service: by its word for them, which never changes, not by e-mail. */
export const personIdentities = tieout.table(
  "person_identities",
  {
    issuer: text("issuer").notNull(),
    subject: text("subject").notNull(),
    personId: bigint("person_id")
      .notNull()
      .references(() => people.id),
    linkedAt: time("linked_at")
      .notNull()
      .default(sql`clock_timestamp()`),
  },
  (table) => [
    primaryKey({ name: "identity_is_of_one_person", columns: [table.issuer, table.subject] }),
    index("identities_of_person").on(table.personId),
  ],
);

/** What was asked of a browser that is on its way to prove who it is: good once, for a few minutes. */
export const signInStates = tieout.table("sign_in_states", {
  tokenHash: bytes("token_hash").primaryKey(),
  method: text("method").notNull(),
  asked: jsonb("asked").$type<Record<string, string>>().notNull(),
  expiresAt: time("expires_at").notNull(),
});
