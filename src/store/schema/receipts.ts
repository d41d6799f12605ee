import { sql } from "drizzle-orm";
import {
  boolean,
  check,
  date,
  index,
  integer,
  jsonb,
  primaryKey,
  text,
  unique,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import { accountId } from "./accounts.ts";
import { amount, bigint, bytes, checks, id, tieout, time } from "./columns.ts";

/** Files of banks and wallets that were imported: what arrived, as the bank tells it. */
export const receiptFiles = tieout.table(
  "receipt_files",
  {
    id: id(),
    accountId: accountId(),
    fileName: text("file_name").notNull(),
    sha256: bytes("sha256").notNull(),
    byteCount: bigint("byte_count").notNull(),
    format: text("format").notNull(),
    /** Of a CSV file: how its columns were read, kept as it was used. */
    profile: jsonb("profile"),
    encoding: text("encoding").notNull(),
    parserVersion: integer("parser_version").notNull(),
    /** Empty where the file tells of several. */
    bankAccount: text("bank_account"),
    /** What was given for a file that does not name its account or currency; and in which zone its days begin, where that is not UTC. */
    given: jsonb("given")
      .$type<{ bank_account: string | null; currency: string | null; zone?: string }>()
      .notNull(),
    state: text("state").notNull().default("imported"),
    /** The statements in the file: account, currency, balances, and whether the lines add up. */
    balances: jsonb("balances").$type<readonly StatedBalance[]>().notNull().default([]),
    periodFrom: date("period_from", { mode: "string" }),
    periodTo: date("period_to", { mode: "string" }),
    rowsOfFile: integer("rows_of_file").notNull(),
    rowsOther: integer("rows_other").notNull(),
    rowsRead: integer("rows_read").notNull(),
    rowsAccepted: integer("rows_accepted").notNull(),
    rowsRestated: integer("rows_restated").notNull(),
    rowsDuplicate: integer("rows_duplicate").notNull(),
    rowsRejected: integer("rows_rejected").notNull(),
    /** When the bank made it, where the file says so; else the import. Decides between two files with the same line. */
    madeAt: time("made_at").notNull(),
    importedAt: time("imported_at").notNull(),
    importedBy: text("imported_by").notNull(),
    acceptedCodes: text("accepted_codes").array(),
    acceptedReason: text("accepted_reason"),
    withdrawnAt: time("withdrawn_at"),
    withdrawnBy: text("withdrawn_by"),
    withdrawnReason: text("withdrawn_reason"),
  },
  (table) => [
    ...checks({
      receipt_sha256_is_sha256: sql`length(${table.sha256}) = 32`,
      receipt_file_state_is_known: sql`${table.state} in ('imported', 'withdrawn')`,
      receipt_format_is_known: sql`${table.format} in ('camt053', 'mt940', 'bai2', 'ofx', 'csv', 'chain_csv')`,
      withdrawn_receipts_say_when_who_and_why: sql`(${table.state} = 'withdrawn') = (${table.withdrawnAt} is not null)
        and (${table.withdrawnAt} is null) = (${table.withdrawnBy} is null)
        and (${table.withdrawnAt} is null) = (${table.withdrawnReason} is null)`,
      receipt_rows_are_all_accounted_for: sql`${table.rowsRead} = ${table.rowsAccepted} + ${table.rowsDuplicate} + ${table.rowsRejected}
        and ${table.rowsOfFile} = ${table.rowsOther} + ${table.rowsRead}
        and ${table.rowsRestated} <= ${table.rowsAccepted}`,
      receipts_accepted_have_a_reason: sql`(${table.acceptedCodes} is null) = (${table.acceptedReason} is null)`,
    }),
    uniqueIndex("receipt_file_is_imported_once")
      .on(table.accountId, table.sha256)
      .where(sql`state = 'imported'`),
    index("receipt_files_by_import").on(table.accountId, table.importedAt),
  ],
);

export interface StatedBalance {
  readonly bank_account: string;
  readonly currency: string | null;
  readonly statement: string | null;
  /** Its first and last day; files of earlier versions do not say. */
  readonly from?: string | null;
  readonly to?: string | null;
  readonly opening: string | null;
  readonly lines: string;
  readonly line_count: number;
  readonly closing: string | null;
  /** `null` where the file does not state both balances. */
  readonly adds_up: boolean | null;
}

/** The bytes of a file as they came, compressed, cut into parts so that no file is ever held whole. */
export const receiptFileBytes = tieout.table(
  "receipt_file_bytes",
  {
    fileId: bigint("file_id").notNull(),
    part: integer("part").notNull(),
    content: bytes("content").notNull(),
  },
  (table) => [primaryKey({ name: "receipt_part_is_kept_once", columns: [table.fileId, table.part] })],
);

/** What became of each row of a file. No foreign keys: all are written by one import. */
export const receiptRows = tieout.table(
  "receipt_rows",
  {
    fileId: bigint("file_id").notNull(),
    /** Counted within the file: several rows may stand in one physical line. */
    rowNo: integer("row_no").notNull(),
    lineNo: integer("line_no").notNull(),
    outcome: text("outcome").notNull(),
    code: text("code"),
    field: text("field"),
    reason: text("reason"),
    originalText: text("original_text").notNull(),
    lineId: bigint("line_id"),
  },
  (table) => [
    primaryKey({ name: "receipt_row_has_one_outcome", columns: [table.fileId, table.rowNo] }),
    ...checks({
      receipt_row_outcome_is_known: sql`${table.outcome} in ('preamble', 'header', 'blank', 'skipped', 'trailer', 'accepted', 'duplicate', 'rejected')`,
      rejected_receipt_row_has_a_code_and_a_reason: sql`${table.outcome} <> 'rejected' or (${table.code} is not null and ${table.reason} is not null)`,
      receipt_row_taken_in_names_its_line: sql`(${table.outcome} in ('accepted', 'duplicate')) = (${table.lineId} is not null)`,
    }),
    index("receipt_rows_by_line")
      .on(table.lineId)
      .where(sql`line_id is not null`),
  ],
);

/** Append-only versions of bank lines and on-chain transfers. Amounts are never negative: the direction says which way. */
export const receiptLines = tieout.table(
  "receipt_lines",
  {
    id: id(),
    accountId: integer("account_id").notNull(),
    lineKey: text("line_key").notNull(),
    occurrence: integer("occurrence").notNull(),
    version: integer("version").notNull(),
    contentHash: bytes("content_hash").notNull(),
    fileId: bigint("file_id").notNull(),
    rowNo: integer("row_no").notNull(),
    importedAt: time("imported_at").notNull(),
    bankAccount: text("bank_account").notNull(),
    valueDate: date("value_date", { mode: "string" }).notNull(),
    bookingDate: date("booking_date", { mode: "string" }),
    /** The booking's time or day, else the value date: from when the money is there. */
    effectiveAt: time("effective_at").notNull(),
    amount: amount("amount").notNull(),
    currency: text("currency").notNull(),
    direction: text("direction").notNull(),
    isReversal: boolean("is_reversal").notNull(),
    reference: text("reference"),
    endToEndId: text("end_to_end_id"),
    bankReference: text("bank_reference"),
    hash: text("hash"),
    remittance: text("remittance"),
    counterparty: text("counterparty"),
    /** Charges of the bank that are stated with the line and already taken off its amount. */
    charges: amount("charges").notNull(),
    originalAmount: amount("original_amount"),
    originalCurrency: text("original_currency"),
    /** Every name in comparable form by which a payout may be found. */
    keys: text("keys").array().notNull(),
  },
  (table) => [
    unique("receipt_line_version_is_kept_once").on(
      table.accountId,
      table.lineKey,
      table.occurrence,
      table.version,
    ),
    ...checks({
      receipt_content_hash_is_sha256: sql`length(${table.contentHash}) = 32`,
      receipt_direction_is_known: sql`${table.direction} in ('credit', 'debit')`,
      receipt_amount_is_not_negative: sql`${table.amount} >= 0 and ${table.charges} >= 0`,
      original_amount_names_its_currency: sql`(${table.originalAmount} is null) = (${table.originalCurrency} is null)`,
    }),
    index("receipt_lines_by_time").on(table.accountId, table.effectiveAt, table.id),
    index("receipt_lines_by_file").on(table.fileId, table.rowNo),
    index("receipt_lines_by_key").using("gin", table.keys),
  ],
);

/** When a version of a bank line does not count: a newer one stands in its place, or every file with it is withdrawn. */
export const receiptRetirements = tieout.table(
  "receipt_retirements",
  {
    lineId: bigint("line_id").notNull(),
    retiredAt: time("retired_at").notNull(),
    restoredAt: time("restored_at"),
    reason: text("reason").notNull(),
    fileId: bigint("file_id").notNull(),
  },
  (table) => [
    primaryKey({ name: "receipt_retires_once_at_a_time", columns: [table.lineId, table.retiredAt] }),
    uniqueIndex("receipt_is_retired_once_at_a_time")
      .on(table.lineId)
      .where(sql`restored_at is null`),
    check("receipt_retirement_reason_is_known", sql`${table.reason} in ('superseded', 'withdrawn')`),
    check("receipt_retirement_ends_after_it_begins", sql`${table.restoredAt} >= ${table.retiredAt}`),
  ],
);

/**
 * Which bank line brought the money of which payout, and how much of it. Holds from `effective_at`; known from `matched_at`
 * to `ended_at`. A match never changes: when anything about it does, it ends and another begins.
 */
export const receiptMatches = tieout.table(
  "receipt_matches",
  {
    id: id(),
    accountId: integer("account_id").notNull(),
    receiptLineId: bigint("receipt_line_id").notNull(),
    payoutId: bigint("payout_id").notNull(),
    rule: text("rule").notNull(),
    /** What agreed. */
    key: text("key"),
    /** Signed, in the payout's currency: negative where money went back. */
    amount: amount("amount").notNull(),
    currency: text("currency").notNull(),
    /** What the bank kept of it. */
    bankFee: amount("bank_fee").notNull(),
    /** What is left of a minor unit. */
    rounding: amount("rounding").notNull(),
    state: text("state").notNull(),
    madeBy: text("made_by").notNull(),
    reason: text("reason"),
    effectiveAt: time("effective_at").notNull(),
    matchedAt: time("matched_at").notNull(),
    endedAt: time("ended_at"),
    endedBy: text("ended_by"),
    endedReason: text("ended_reason"),
    barred: boolean("barred").notNull().default(false),
  },
  (table) => [
    ...checks({
      receipt_match_rule_is_known: sql`${table.rule} in ('reference', 'end_to_end_id', 'hash', 'person')`,
      receipt_match_state_is_known: sql`${table.state} in ('active', 'ended')`,
      receipt_match_by_person_has_a_reason: sql`${table.rule} <> 'person' or ${table.reason} is not null`,
      ended_receipt_match_says_when_who_and_why: sql`(${table.state} = 'ended') = (${table.endedAt} is not null)
        and (${table.endedAt} is null) = (${table.endedBy} is null)
        and (${table.endedAt} is null) = (${table.endedReason} is null)`,
      only_an_ended_receipt_match_is_barred: sql`${table.state} = 'ended' or not ${table.barred}`,
    }),
    uniqueIndex("receipt_settles_a_payout_once")
      .on(table.accountId, table.receiptLineId, table.payoutId)
      .where(sql`state = 'active'`),
    index("receipt_matches_by_line").on(table.receiptLineId),
    index("receipt_matches_by_payout").on(table.payoutId),
  ],
);
