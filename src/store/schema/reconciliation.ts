import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  primaryKey,
  text,
  unique,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { accounts } from "./accounts.ts";
import { amount, bytes, multirange, tieout, time } from "./columns.ts";

const id = () => bigint("id", { mode: "number" }).primaryKey().generatedAlwaysAsIdentity();

/** Runs of the matcher, so that the next one knows what it has not seen yet. */
export const reconcileRuns = tieout.table(
  "reconcile_runs",
  {
    id: id(),
    accountId: integer("account_id")
      .notNull()
      .references(() => accounts.id),
    provider: text("provider").notNull(),
    kind: text("kind").notNull(),
    knownAt: time("known_at").notNull(),
    asAt: time("as_at").notNull(),
    /** What had been read of the account then: a line that waited for its record is looked at again when this grows. */
    covered: multirange("covered").notNull().default("{}"),
    startedAt: time("started_at").notNull(),
    finishedAt: time("finished_at").notNull(),
    counts: jsonb("counts").notNull().default({}),
  },
  (table) => [
    check("run_kind_is_known", sql`${table.kind} in ('full', 'incremental')`),
    index("runs_by_provider").on(table.accountId, table.provider, table.id),
  ],
);

/** What is said of a payout: all that a run may find to have changed. */
const payoutFigures = {
  payoutDate: time("payout_date"),
  /** The last of its lines, by their dates. */
  lastLineAt: time("last_line_at"),
  lineCount: integer("line_count").notNull(),
  gross: amount("gross").notNull(),
  fees: amount("fees").notNull(),
  refunds: amount("refunds").notNull(),
  chargebacks: amount("chargebacks").notNull(),
  chargebackReversals: amount("chargeback_reversals").notNull(),
  commissions: amount("commissions").notNull(),
  adjustments: amount("adjustments").notNull(),
  reserves: amount("reserves").notNull(),
  netComputed: amount("net_computed").notNull(),
  netDeclared: amount("net_declared"),
  difference: amount("difference"),
  declaredByLineId: bigint("declared_by_line_id", { mode: "number" }),
  transactionHash: text("transaction_hash"),
  status: text("status").notNull(),
};

/** One transfer that a provider declares, and what its lines add up to. */
export const payouts = tieout.table(
  "payouts",
  {
    id: id(),
    accountId: integer("account_id").notNull(),
    provider: text("provider").notNull(),
    payoutRef: text("payout_ref").notNull(),
    currency: text("currency").notNull(),
    ...payoutFigures,
    firstSeenAt: time("first_seen_at").notNull(),
    lastChangedAt: time("last_changed_at").notNull(),
  },
  (table) => [
    unique("payout_is_kept_once").on(table.accountId, table.provider, table.payoutRef, table.currency),
    check("payout_status_is_known", sql`${table.status} in ('tied', 'not_tied', 'undeclared')`),
    check(
      "undeclared_payout_has_no_declared_net",
      sql`(${table.status} = 'undeclared') = (${table.netDeclared} is null)`,
    ),
    check(
      "payout_difference_is_declared_less_computed",
      sql`${table.difference} = ${table.netDeclared} - ${table.netComputed}`,
    ),
    check(
      "payout_waterfall_adds_up",
      sql`${table.netComputed} = ${table.gross} - ${table.fees} - ${table.refunds} - ${table.chargebacks}
        + ${table.chargebackReversals} + ${table.commissions} + ${table.adjustments} + ${table.reserves}`,
    ),
  ],
);

/** What a payout was taken to be before: its figures, and from when to when they were known. */
export const payoutHistory = tieout.table(
  "payout_history",
  {
    payoutId: bigint("payout_id", { mode: "number" }).notNull(),
    ...payoutFigures,
    knownFrom: time("known_from").notNull(),
    knownTo: time("known_to").notNull(),
  },
  (table) => [
    primaryKey({ name: "payout_is_known_once_at_a_time", columns: [table.payoutId, table.knownFrom] }),
    check("payout_is_known_for_a_while", sql`${table.knownFrom} < ${table.knownTo}`),
  ],
);

/**
 * When a provider's statement of a period is due, by its calendar. A row with a currency goes before the one without: too
 * little has come together in it for a payout, and the statement comes with a later one, or nobody knows when.
 */
export const dueDates = tieout.table(
  "due_dates",
  {
    accountId: integer("account_id").notNull(),
    provider: text("provider").notNull(),
    currency: text("currency"),
    periodFrom: time("period_from").notNull(),
    periodTo: time("period_to").notNull(),
    dueAt: time("due_at").notNull(),
    knownFrom: time("known_from").notNull(),
    knownTo: time("known_to"),
  },
  (table) => [
    uniqueIndex("period_is_due_once")
      .on(table.accountId, table.provider, table.periodFrom, sql`coalesce(currency, '')`)
      .where(sql`known_to is null`),
    index("due_dates_by_provider").on(table.accountId, table.provider),
    check("period_is_not_empty", sql`${table.periodFrom} < ${table.periodTo}`),
  ],
);

/** A line and a transaction that are the same event, and the rule or the person that says so. */
export const matches = tieout.table(
  "matches",
  {
    id: id(),
    accountId: integer("account_id").notNull(),
    provider: text("provider").notNull(),
    transactionId: text("transaction_id").notNull(),
    recordHash: bytes("record_hash").notNull(),
    lineId: bigint("line_id", { mode: "number" }).notNull(),
    role: text("role").notNull(),
    rule: text("rule").notNull(),
    keys: jsonb("keys").$type<Record<string, string>>().notNull().default({}),
    state: text("state").notNull(),
    madeBy: text("made_by").notNull(),
    reason: text("reason"),
    inExpected: amount("in_expected"),
    inActual: amount("in_actual"),
    inDifference: amount("in_difference"),
    outExpected: amount("out_expected"),
    outActual: amount("out_actual"),
    outDifference: amount("out_difference"),
    differenceName: text("difference_name"),
    effectiveAt: time("effective_at").notNull(),
    matchedAt: time("matched_at").notNull(),
    endedAt: time("ended_at"),
    endedBy: text("ended_by"),
    endedReason: text("ended_reason"),
    barred: boolean("barred").notNull().default(false),
  },
  (table) => [
    check("match_role_is_known", sql`${table.role} in ('settles', 'relates')`),
    check(
      "match_rule_is_known",
      sql`${table.rule} in ('provider_id', 'our_reference', 'hash', 'suggested', 'person')`,
    ),
    check("match_state_is_known", sql`${table.state} in ('active', 'suggested', 'ended')`),
    check("a_suggestion_is_never_active", sql`${table.rule} <> 'suggested' or ${table.state} <> 'active'`),
    check("a_person_gives_a_reason", sql`${table.rule} <> 'person' or ${table.reason} is not null`),
    check(
      "ended_match_says_when_who_and_why",
      sql`(${table.state} = 'ended') = (${table.endedAt} is not null)
        and (${table.endedAt} is null) = (${table.endedBy} is null)
        and (${table.endedAt} is null) = (${table.endedReason} is null)`,
    ),
    check("only_an_ended_match_bars_its_pair", sql`${table.state} = 'ended' or not ${table.barred}`),
    check(
      "difference_name_is_known",
      sql`${table.differenceName} in ('rounding', 'fee', 'quote_drift', 'other')`,
    ),
    index("matches_by_transaction").on(table.accountId, table.transactionId),
    // An active match is found by the unique indexes below; this one is for all the others.
    index("matches_by_line")
      .on(table.lineId)
      .where(sql`state <> 'active'`),
    index("matches_by_time").using("brin", table.matchedAt),
    // Few matches ever end; the daily totals find them by this.
    index("ended_matches_by_time")
      .on(table.endedAt)
      .where(sql`ended_at is not null`),
    index("barred_pairs")
      .on(table.accountId, table.transactionId, table.lineId)
      .where(sql`barred`),
    uniqueIndex("line_has_one_active_match")
      .on(table.lineId)
      .where(sql`state = 'active'`),
    uniqueIndex("transaction_is_settled_once")
      .on(table.accountId, table.transactionId)
      .where(sql`state = 'active' and role = 'settles'`),
  ],
);

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
    lineId: bigint("line_id", { mode: "number" }),
    payoutRef: text("payout_ref"),
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
    discrepancyId: bigint("discrepancy_id", { mode: "number" }).notNull(),
    fingerprint: bytes("fingerprint").notNull(),
    factsHash: bytes("facts_hash").notNull(),
    decision: text("decision").notNull(),
    bookedAt: time("booked_at").notNull(),
    reason: text("reason").notNull(),
    decidedBy: text("decided_by").notNull(),
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
    lineId: bigint("line_id", { mode: "number" }),
    payoutId: bigint("payout_id", { mode: "number" }),
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
    check(
      "fingerprint_is_sha256",
      sql`length(${table.fingerprint}) = 32 and length(${table.factsHash}) = 32`,
    ),
    check("discrepancy_level_is_known", sql`${table.level} in ('error', 'warning')`),
    check(
      "discrepancy_state_is_known",
      sql`${table.state} in ('open', 'investigating', 'resolved', 'written_off')`,
    ),
    check(
      "discrepancy_names_its_subject",
      sql`case ${table.subjectKind}
        when 'transaction' then ${table.transactionId} is not null
        when 'line' then ${table.lineId} is not null
        when 'payout' then ${table.payoutId} is not null
        when 'period' then ${table.periodFrom} < ${table.periodTo}
        else false end`,
    ),
    check("delta_is_actual_less_expected", sql`${table.delta} = ${table.actual} - ${table.expected}`),
    check("discrepancy_value_is_not_negative", sql`${table.value} >= 0`),
    check(
      "closed_discrepancy_says_when_who_and_why",
      sql`(${table.state} in ('resolved', 'written_off')) = (${table.resolvedAt} is not null)
        and (${table.resolvedAt} is null or (${table.resolvedBy} is not null and ${table.reason} is not null))`,
    ),
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
    discrepancyId: bigint("discrepancy_id", { mode: "number" }).notNull(),
    at: time("at")
      .notNull()
      .default(sql`clock_timestamp()`),
    actor: text("actor").notNull(),
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
    check(
      "discrepancy_event_is_known",
      sql`${table.event} in ('raised', 'changed', 'assigned', 'commented', 'state_changed', 'resolved', 'written_off', 'reopened', 'agreed')`,
    ),
    check(
      "event_state_is_known",
      sql`${table.state} in ('open', 'investigating', 'resolved', 'written_off')`,
    ),
    check(
      "closing_gives_a_reason",
      sql`${table.event} not in ('resolved', 'written_off', 'agreed') or ${table.reason} is not null`,
    ),
    check("comment_is_not_empty", sql`${table.event} <> 'commented' or coalesce(${table.comment}, '') <> ''`),
    index("events_of_discrepancy").on(table.discrepancyId, table.id),
    index("events_by_time").on(table.at),
  ],
);
