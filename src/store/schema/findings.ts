import { sql } from "drizzle-orm";
import { boolean, check, index, integer, jsonb, text, uniqueIndex } from "drizzle-orm/pg-core";
import { approvals } from "./approvals.ts";
import { amount, bigint, bytes, checks, id, tieout, time } from "./columns.ts";

/**
 * What disagrees, with two times. It **holds** from when to when it is true by the facts, which may lie ahead: what will be
 * late next Tuesday is written today. It is **known** from the run that found it to the run that found otherwise. Rows
 * are added, and their `known_to` is set once; nothing else ever changes.
 */
export const findings = tieout.table(
  "findings",
  {
    id: id(),
    accountId: integer("account_id").notNull(),
    provider: text("provider").notNull(),
    code: text("code").notNull(),
    level: text("level").notNull(),
    subjectKind: text("subject_kind").notNull(),
    fingerprint: bytes("fingerprint").notNull(),
    factsHash: bytes("facts_hash").notNull(),
    transactionId: text("transaction_id"),
    lineId: bigint("line_id"),
    payoutRef: text("payout_ref"),
    receiptLineId: bigint("receipt_line_id"),
    periodFrom: time("period_from"),
    periodTo: time("period_to"),
    expected: amount("expected"),
    actual: amount("actual"),
    currency: text("currency"),
    expectedText: text("expected_text"),
    actualText: text("actual_text"),
    value: amount("value"),
    valueCurrency: text("value_currency"),
    owed: amount("owed"),
    owedCurrency: text("owed_currency"),
    nearPeriodEdge: boolean("near_period_edge").notNull(),
    holdsFrom: time("holds_from").notNull(),
    holdsTo: time("holds_to").notNull(),
    knownFrom: time("known_from").notNull(),
    knownTo: time("known_to"),
  },
  (table) => [
    check("finding_holds_for_a_while", sql`${table.holdsFrom} < ${table.holdsTo}`),
    check("finding_is_known_for_a_while", sql`${table.knownFrom} < ${table.knownTo}`),
    check("finding_level_is_known", sql`${table.level} in ('error', 'warning')`),
    uniqueIndex("finding_is_known_once_at_a_time")
      .on(table.fingerprint, table.holdsFrom)
      .where(sql`known_to is null`),
    index("findings_of_transaction")
      .on(table.accountId, table.transactionId)
      .where(sql`transaction_id is not null`),
    index("findings_of_line")
      .on(table.lineId)
      .where(sql`line_id is not null`),
    // One for a whole period of a provider, and asked for each of its transactions.
    index("overdue_statements")
      .on(table.accountId, table.provider, table.periodFrom)
      .where(sql`code = 'statement_overdue'`),
    index("findings_of_payout")
      .on(table.accountId, table.provider, table.payoutRef)
      .where(sql`subject_kind = 'payout'`),
    index("findings_of_receipt")
      .on(table.receiptLineId)
      .where(sql`receipt_line_id is not null`),
    index("findings_of_provider").on(table.accountId, table.provider, table.holdsFrom),
  ],
);

/**
 * What a person has decided about a finding: it counts from the day it is booked, never before, for as long as the facts
 * that were decided on stay as they were, and until the decision is taken back.
 */
export const decisions = tieout.table(
  "decisions",
  {
    id: id(),
    discrepancyId: bigint("discrepancy_id").notNull(),
    fingerprint: bytes("fingerprint").notNull(),
    factsHash: bytes("facts_hash").notNull(),
    decision: text("decision").notNull(),
    bookedAt: time("booked_at").notNull(),
    reason: text("reason").notNull(),
    decidedBy: text("decided_by").notNull(),
    /** As it was then, put there by the database. */
    decidedByName: text("decided_by_name").notNull().default(""),
    /** Of a write-off above the limit: the approval of a second person. */
    approvalId: bigint("approval_id").references(() => approvals.id),
    knownFrom: time("known_from").notNull(),
    knownTo: time("known_to"),
  },
  (table) => [
    check("decision_is_known_word", sql`${table.decision} in ('resolved', 'written_off')`),
    check("decision_is_known_for_a_while", sql`${table.knownFrom} < ${table.knownTo}`),
    index("decisions_by_fingerprint").on(table.fingerprint),
    uniqueIndex("one_decision_stands_at_a_time")
      .on(table.discrepancyId)
      .where(sql`known_to is null`),
  ],
);

/** What people work on: a finding that has come to hold, and what was done about it; the fold of `discrepancy_events`. */
export const discrepancies = tieout.table(
  "discrepancies",
  {
    id: id(),
    fingerprint: bytes("fingerprint").notNull().unique("discrepancy_is_raised_once"),
    fingerprintVersion: integer("fingerprint_version").notNull(),
    factsHash: bytes("facts_hash").notNull(),
    accountId: integer("account_id").notNull(),
    provider: text("provider").notNull(),
    code: text("code").notNull(),
    level: text("level").notNull(),
    subjectKind: text("subject_kind").notNull(),
    transactionId: text("transaction_id"),
    lineId: bigint("line_id"),
    payoutId: bigint("payout_id"),
    receiptLineId: bigint("receipt_line_id"),
    periodFrom: time("period_from"),
    periodTo: time("period_to"),
    expected: amount("expected"),
    actual: amount("actual"),
    delta: amount("delta"),
    currency: text("currency"),
    expectedText: text("expected_text"),
    actualText: text("actual_text"),
    value: amount("value"),
    valueCurrency: text("value_currency"),
    owed: amount("owed"),
    owedCurrency: text("owed_currency"),
    since: time("since").notNull(),
    nearPeriodEdge: boolean("near_period_edge").notNull().default(false),
    state: text("state").notNull().default("open"),
    owner: text("owner"),
    reason: text("reason"),
    resolvedBy: text("resolved_by"),
    resolvedAt: time("resolved_at"),
    firstSeenAt: time("first_seen_at").notNull(),
    lastChangedAt: time("last_changed_at").notNull(),
    version: integer("version").notNull().default(1),
  },
  (table) => [
    ...checks({
      fingerprint_is_sha256: sql`length(${table.fingerprint}) = 32 and length(${table.factsHash}) = 32`,
      discrepancy_level_is_known: sql`${table.level} in ('error', 'warning')`,
      discrepancy_state_is_known: sql`${table.state} in ('open', 'investigating', 'resolved', 'written_off')`,
      discrepancy_names_its_subject: sql`case ${table.subjectKind}
        when 'transaction' then ${table.transactionId} is not null
        when 'line' then ${table.lineId} is not null
        when 'payout' then ${table.payoutId} is not null
        when 'period' then ${table.periodFrom} < ${table.periodTo}
        when 'receipt' then ${table.receiptLineId} is not null
        else false end`,
      delta_is_actual_less_expected: sql`${table.delta} = ${table.actual} - ${table.expected}`,
      discrepancy_value_is_not_negative: sql`${table.value} >= 0`,
      closed_discrepancy_says_when_who_and_why: sql`(${table.state} in ('resolved', 'written_off')) = (${table.resolvedAt} is not null)
        and (${table.resolvedAt} is null or (${table.resolvedBy} is not null and ${table.reason} is not null))`,
    }),
    index("open_discrepancies")
      .on(table.accountId, table.provider, table.code)
      .where(sql`state in ('open', 'investigating')`),
    index("discrepancies_by_transaction")
      .on(table.accountId, table.transactionId)
      .where(sql`transaction_id is not null`),
    index("discrepancies_by_line")
      .on(table.lineId)
      .where(sql`line_id is not null`),
    index("discrepancies_by_change").on(table.lastChangedAt, table.id),
  ],
);

/** Append-only: all that ever happened to a discrepancy. */
export const discrepancyEvents = tieout.table(
  "discrepancy_events",
  {
    id: id(),
    discrepancyId: bigint("discrepancy_id").notNull(),
    at: time("at")
      .notNull()
      .default(sql`clock_timestamp()`),
    actor: text("actor").notNull(),
    /** As it was then, put there by the database. */
    actorName: text("actor_name").notNull().default(""),
    event: text("event").notNull(),
    state: text("state").notNull(),
    owner: text("owner"),
    comment: text("comment"),
    reason: text("reason"),
    facts: jsonb("facts").notNull().default({}),
    factsHash: bytes("facts_hash").notNull(),
    requestId: text("request_id"),
  },
  (table) => [
    ...checks({
      discrepancy_event_is_known: sql`${table.event} in ('raised', 'changed', 'assigned', 'commented', 'state_changed', 'resolved', 'written_off', 'reopened', 'agreed')`,
      event_state_is_known: sql`${table.state} in ('open', 'investigating', 'resolved', 'written_off')`,
      closing_gives_a_reason: sql`${table.event} not in ('resolved', 'written_off', 'agreed') or ${table.reason} is not null`,
      comment_is_not_empty: sql`${table.event} <> 'commented' or coalesce(${table.comment}, '') <> ''`,
    }),
    index("events_of_discrepancy").on(table.discrepancyId, table.id),
    index("events_by_time").on(table.at),
  ],
);
