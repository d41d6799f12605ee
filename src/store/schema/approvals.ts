import { sql } from "drizzle-orm";
import { index, integer, jsonb, primaryKey, text, uniqueIndex } from "drizzle-orm/pg-core";
import type { Role } from "../../core/roles.ts";
import type { ApprovalKind, ApprovalState } from "../../core/approvals.ts";
import { amount, bigint, checks, id, tieout, time } from "./columns.ts";
import { people } from "./people.ts";

/** What one person proposes and another decides. The database checks that they are two; only the state ever changes. */
export const approvals = tieout.table(
  "approvals",
  {
    id: id(),
    kind: text("kind").$type<ApprovalKind>().notNull(),
    /** What it is about, as the API names it: `dis_31`, `per_4`. */
    subject: text("subject").notNull(),
    /** `null`: it concerns no single account. */
    accountId: integer("account_id"),
    /** What is done when it is approved. */
    details: jsonb("details").$type<Record<string, unknown>>().notNull(),
    proposedBy: bigint("proposed_by")
      .notNull()
      .references(() => people.id),
    proposedAt: time("proposed_at")
      .notNull()
      .default(sql`clock_timestamp()`),
    reason: text("reason").notNull(),
    /** Who could have proposed it in the proposer's name, as in their session; they cannot decide it either. */
    proposedVouchedBy: text("proposed_vouched_by"),
    state: text("state").$type<ApprovalState>().notNull().default("proposed"),
    decidedBy: bigint("decided_by").references(() => people.id),
    decidedAt: time("decided_at"),
    decisionReason: text("decision_reason"),
    /** Who could have decided it in the decider's name. */
    decidedVouchedBy: text("decided_vouched_by"),
  },
  (table) => [
    ...checks({
      approval_kind_is_known: sql`${table.kind} in ('write_off', 'admin_key', 'settings', 'reopen', 'erase')`,
      approval_state_is_known: sql`${table.state} in ('proposed', 'approved', 'rejected', 'withdrawn', 'lapsed')`,
      approval_has_a_reason: sql`${table.reason} ~ '\\S'`,
      decided_approval_says_who_and_when: sql`(${table.state} in ('proposed', 'lapsed')) = (${table.decidedBy} is null) and (${table.state} = 'proposed') = (${table.decidedAt} is null)`,
      two_people_decide: sql`case ${table.state}
        when 'withdrawn' then ${table.decidedBy} = ${table.proposedBy}
        when 'proposed' then true
        when 'lapsed' then true
        else ${table.decidedBy} <> ${table.proposedBy} end`,
    }),
    uniqueIndex("one_proposal_waits_at_a_time")
      .on(table.kind, table.subject)
      .where(sql`state = 'proposed'`),
    index("approvals_by_state").on(table.state, table.id),
  ],
);

/** Append-only: who proposed and who decided, with their names as they were then. Written by the database. */
export const approvalEvents = tieout.table(
  "approval_events",
  {
    id: id(),
    approvalId: bigint("approval_id")
      .notNull()
      .references(() => approvals.id),
    at: time("at")
      .notNull()
      .default(sql`clock_timestamp()`),
    state: text("state").$type<ApprovalState>().notNull(),
    /** `null` if it lapsed without a decision. */
    personId: bigint("person_id"),
    personName: text("person_name").notNull(),
    reason: text("reason"),
  },
  (table) => [index("events_of_approval").on(table.approvalId)],
);

/** Up to how much a role writes off alone. `*` is every currency that is not named. */
export const writeOffLimits = tieout.table(
  "write_off_limits",
  {
    role: text("role").$type<Role>().notNull(),
    currency: text("currency").notNull(),
    amount: amount("amount").notNull(),
    setBy: text("set_by").notNull(),
    setAt: time("set_at")
      .notNull()
      .default(sql`clock_timestamp()`),
  },
  (table) => [
    primaryKey({ name: "role_has_one_limit_a_currency", columns: [table.role, table.currency] }),
    ...checks({
      limit_is_of_a_role_that_decides: sql`${table.role} in ('accountant', 'controller')`,
      limit_is_not_negative: sql`${table.amount} >= 0`,
      limit_currency_is_upper_case: sql`${table.currency} = upper(${table.currency}) and ${table.currency} <> ''`,
    }),
  ],
);
