import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  index,
  integer,
  jsonb,
  primaryKey,
  smallint,
  text,
  unique,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { accountId } from "./accounts.ts";
import { amount, bigint, bytes, checks, id, multirange, tieout, time } from "./columns.ts";

/** Runs of the matcher, so that the next one knows what it has not seen yet. */
export const reconcileRuns = tieout.table(
  "reconcile_runs",
  {
    id: id(),
    accountId: accountId(),
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

/** The facts of a payout that a run may find changed. */
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
  declaredByLineId: bigint("declared_by_line_id"),
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
    ...checks({
      payout_status_is_known: sql`${table.status} in ('tied', 'not_tied', 'undeclared')`,
      undeclared_payout_has_no_declared_net: sql`(${table.status} = 'undeclared') = (${table.netDeclared} is null)`,
      payout_difference_is_declared_less_computed: sql`${table.difference} = ${table.netDeclared} - ${table.netComputed}`,
      payout_waterfall_adds_up: sql`${table.netComputed} = ${table.gross} - ${table.fees} - ${table.refunds} - ${table.chargebacks}
        + ${table.chargebackReversals} + ${table.commissions} + ${table.adjustments} + ${table.reserves}`,
    }),
  ],
);

/** What a payout was taken to be before: its figures, and from when to when they were known. */
export const payoutHistory = tieout.table(
  "payout_history",
  {
    payoutId: bigint("payout_id").notNull(),
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
    lineId: bigint("line_id").notNull(),
    /**
     * A line that a person split has several matches, numbered from 0; any other has one, number 0. So one unique index
     * lets a line have either a match of the whole or the parts of a split, never both.
     */
    partNo: smallint("part_no").notNull().default(0),
    /** Of the line's fiat amount, without its sign: what belongs to this transaction. Null is all of it. */
    partAmount: amount("part_amount"),
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
    ...checks({
      match_role_is_known: sql`${table.role} in ('settles', 'relates')`,
      match_rule_is_known: sql`${table.rule} in ('provider_id', 'our_reference', 'hash', 'suggested', 'person')`,
      match_state_is_known: sql`${table.state} in ('active', 'suggested', 'ended')`,
      a_suggestion_is_never_active: sql`${table.rule} <> 'suggested' or ${table.state} <> 'active'`,
      a_person_gives_a_reason: sql`${table.rule} <> 'person' or ${table.reason} is not null`,
      ended_match_says_when_who_and_why: sql`(${table.state} = 'ended') = (${table.endedAt} is not null)
        and (${table.endedAt} is null) = (${table.endedBy} is null)
        and (${table.endedAt} is null) = (${table.endedReason} is null)`,
      only_an_ended_match_bars_its_pair: sql`${table.state} = 'ended' or not ${table.barred}`,
      difference_name_is_known: sql`${table.differenceName} in ('rounding', 'fee', 'quote_drift', 'other')`,
      a_part_is_positive: sql`${table.partAmount} > 0`,
      only_a_part_has_a_number: sql`${table.partNo} = 0 or ${table.partNo} > 0 and ${table.partAmount} is not null`,
      a_person_splits: sql`${table.partAmount} is null or ${table.rule} = 'person'`,
    }),
    // What is suggested now is little, and every run asks for it.
    index("suggested_matches")
      .on(table.lineId)
      .where(sql`state = 'suggested'`),
    index("matches_by_time").using("brin", table.matchedAt),
    // Few matches ever end; the daily totals find them by this.
    index("ended_matches_by_time")
      .on(table.endedAt)
      .where(sql`ended_at is not null`),
    // What people have said of a pair, that it is one or that it is none: little, and every run asks for it.
    index("pairs_by_persons")
      .on(table.accountId, table.transactionId, table.lineId)
      .where(sql`barred or rule = 'person'`),
    // Both hold every match there ever was, because how things stood at some time is asked of all of them: those that count
    // now with a 0, which lets there be one, the others with their own number. Each is the rule and the look-up in one: two
    // indexes for either took a third of the time of writing matches.
    uniqueIndex("line_is_matched_once").on(
      table.lineId,
      table.partNo,
      sql`(case when state = 'active' then 0 else id end)`,
    ),
    uniqueIndex("transaction_is_settled_once").on(
      table.accountId,
      table.transactionId,
      sql`(case when state = 'active' and role = 'settles' then 0 else id end)`,
    ),
    // Splits are few, and every question about lines asks for them.
    index("matches_of_splits")
      .on(table.lineId, table.partNo)
      .where(sql`part_amount is not null`),
    uniqueIndex("a_split_names_a_transaction_once")
      .on(table.lineId, table.transactionId)
      .where(sql`state = 'active' and part_amount is not null`),
  ],
);
