import { sql } from "drizzle-orm";
import { index, integer, primaryKey, text } from "drizzle-orm/pg-core";
import type { KeyRole } from "../../core/roles.ts";
import { approvals } from "./approvals.ts";
import { bigint, bytes, checks, tieout, time } from "./columns.ts";
import { people } from "./people.ts";

/** Who may do what. Of a key only its hash is kept: a copy of this table opens nothing. */
export const apiKeys = tieout.table(
  "api_keys",
  {
    id: text("id").primaryKey(),
    name: text("name").notNull(),
    role: text("role").$type<KeyRole>().notNull(),
    /** Beyond what the role allows. */
    scopes: text("scopes").array().notNull().default([]),
    /** `null`: every account. */
    accountIds: integer("account_ids").array(),
    secretHash: bytes("secret_hash").notNull(),
    lastFour: text("last_four").notNull(),
    createdAt: time("created_at")
      .notNull()
      .default(sql`clock_timestamp()`),
    createdBy: text("created_by").notNull(),
    /** Who could have opened the session that it was made in, and so may hold it: as in that session. */
    vouchedBy: text("vouched_by"),
    /** The person who answers for it; `null` for keys made on the command line without naming one. */
    ownerId: bigint("owner_id").references(() => people.id),
    /** Of an admin key: works once a second person has approved it. `null`: needs no approval. */
    approvalId: bigint("approval_id").references(() => approvals.id),
    expiresAt: time("expires_at").notNull(),
    lastUsedAt: time("last_used_at"),
    revokedAt: time("revoked_at"),
    replaces: text("replaces"),
  },
  (table) => [
    ...checks({
      key_has_a_name: sql`${table.name} <> ''`,
      key_id_has_its_form: sql`${table.id} ~ '^[0-9A-Za-z]{8}$'`,
      key_role_is_known: sql`${table.role} in ('viewer', 'accountant', 'controller', 'auditor', 'admin', 'custom')`,
      secret_hash_is_sha256: sql`length(${table.secretHash}) = 32`,
      limited_key_has_accounts: sql`${table.accountIds} is null or cardinality(${table.accountIds}) > 0`,
    }),
  ],
);

/** The first answer to a request that may be sent again, kept for a day. */
export const idempotencyKeys = tieout.table(
  "idempotency_keys",
  {
    /** Who sent it: two callers may choose the same key. */
    actor: text("actor").notNull(),
    key: text("key").notNull(),
    fingerprint: bytes("fingerprint").notNull(),
    startedAt: time("started_at").notNull(),
    /** `null` while the first request is still being answered. */
    status: integer("status"),
    contentType: text("content_type"),
    body: text("body"),
  },
  (table) => [
    primaryKey({ name: "idempotency_key_is_used_once", columns: [table.actor, table.key] }),
    index("idempotency_keys_by_age").on(table.startedAt),
  ],
);
