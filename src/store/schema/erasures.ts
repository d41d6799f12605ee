import { sql } from "drizzle-orm";
import { check, index, integer, jsonb, primaryKey, text } from "drizzle-orm/pg-core";
import { accountId } from "./accounts.ts";
import { approvals } from "./approvals.ts";
import { bigint, bytes, id, tieout, time } from "./columns.ts";
import { statements } from "./statements.ts";

/** Personal data that was erased: who asked, who agreed, and how much went. Never what it was. */
export const erasures = tieout.table(
  "erasures",
  {
    id: id(),
    accountId: accountId(),
    kind: text("kind").notNull(),
    digest: bytes("digest").notNull(),
    keyId: text("key_id").notNull(),
    approvalId: bigint("approval_id")
      .notNull()
      .unique("approval_erases_once")
      .references(() => approvals.id),
    reason: text("reason").notNull(),
    proposedBy: text("proposed_by").notNull(),
    approvedBy: text("approved_by").notNull(),
    erasedAt: time("erased_at")
      .notNull()
      .default(sql`clock_timestamp()`),
    madeIn: text("made_in")
      .notNull()
      .default(sql`pg_current_xact_id()::text`),
    counts: jsonb("counts").notNull(),
  },
  (table) => [
    check("erasure_kind_is_known", sql`${table.kind} in ('wallet', 'transaction')`),
    check("erasure_has_a_reason", sql`${table.reason} <> ''`),
    check("erasure_is_approved_by_another", sql`lower(${table.proposedBy}) <> lower(${table.approvedBy})`),
    index("erasures_by_transaction").on(table.madeIn),
  ],
);

/** What an erasure that waits for a second person is about: sealed with the erasure key, and gone once it is decided. */
export const erasureRequests = tieout.table("erasure_requests", {
  approvalId: bigint("approval_id")
    .primaryKey()
    .references(() => approvals.id),
  sealed: bytes("sealed").notNull(),
});

/** What must not come back, as keyed digests: the service compares what arrives with these. */
export const erasedSubjects = tieout.table(
  "erased_subjects",
  {
    accountId: integer("account_id").notNull(),
    kind: text("kind").notNull(),
    digest: bytes("digest").notNull(),
    erasureId: bigint("erasure_id")
      .notNull()
      .references(() => erasures.id),
  },
  (table) => [
    primaryKey({ name: "subject_is_erased_once", columns: [table.accountId, table.kind, table.digest] }),
    check("erased_subject_kind_is_known", sql`${table.kind} in ('wallet', 'transaction', 'name')`),
  ],
);

/** Rows that an erasure changed though they are kept for ever: what they were, as a commitment, and what they are now. */
export const erasureSeals = tieout.table(
  "erasure_seals",
  {
    erasureId: bigint("erasure_id")
      .notNull()
      .references(() => erasures.id),
    relation: text("relation").notNull(),
    rowKey: text("row_key").notNull(),
    commitment: bytes("commitment").notNull(),
    seal: bytes("seal"),
  },
  (table) => [
    primaryKey({ name: "row_is_sealed_once", columns: [table.erasureId, table.relation, table.rowKey] }),
    index("seals_by_row").on(table.relation, table.rowKey),
  ],
);

/** Files whose bytes were kept long enough. Their rows and lines stay. */
export const forgottenFiles = tieout.table("forgotten_files", {
  statementId: bigint("statement_id")
    .primaryKey()
    .references(() => statements.id),
  forgottenAt: time("forgotten_at")
    .notNull()
    .default(sql`clock_timestamp()`),
  madeIn: text("made_in")
    .notNull()
    .default(sql`pg_current_xact_id()::text`),
});
