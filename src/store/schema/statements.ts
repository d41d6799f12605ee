import { sql } from "drizzle-orm";
import { check, index, integer, jsonb, primaryKey, text, unique, uniqueIndex } from "drizzle-orm/pg-core";
import { accountId } from "./accounts.ts";
import { amount, bigint, bytes, checks, id, tieout, time } from "./columns.ts";

/** Provider statements that were taken in, each a file with its sha256, its counts and its control totals. */
export const statements = tieout.table(
  "statements",
  {
    id: id(),
    accountId: accountId(),
    provider: text("provider").notNull(),
    fileName: text("file_name").notNull(),
    sha256: bytes("sha256").notNull(),
    byteCount: bigint("byte_count").notNull(),
    profile: text("profile").notNull(),
    profileVersion: integer("profile_version").notNull(),
    /** The profile as it was used: a later version must not change how this file was read. */
    profileUsed: jsonb("profile_used").notNull(),
    parserVersion: integer("parser_version").notNull(),
    encoding: text("encoding").notNull(),
    delimiter: text("delimiter").notNull(),
    generatedAt: time("generated_at").notNull(),
    generatedAtFrom: text("generated_at_from").notNull(),
    periodFrom: time("period_from"),
    periodTo: time("period_to"),
    periodBasis: text("period_basis").notNull(),
    state: text("state").notNull().default("imported"),
    preambleRows: integer("preamble_rows").notNull().default(0),
    headerRows: integer("header_rows").notNull().default(0),
    blankRows: integer("blank_rows").notNull().default(0),
    skippedRows: integer("skipped_rows").notNull().default(0),
    trailerRows: integer("trailer_rows").notNull().default(0),
    rowsOfFile: integer("rows_of_file").notNull().default(0),
    rowsRead: integer("rows_read").notNull().default(0),
    rowsAccepted: integer("rows_accepted").notNull().default(0),
    rowsRestated: integer("rows_restated").notNull().default(0),
    rowsDuplicate: integer("rows_duplicate").notNull().default(0),
    rowsRejected: integer("rows_rejected").notNull().default(0),
    totals: jsonb("totals").notNull().default([]),
    stated: jsonb("stated"),
    warnings: jsonb("warnings").notNull().default([]),
    importedAt: time("imported_at").notNull(),
    /** What decides between two files with the same line: the stated time of making, else the import. */
    madeAt: time("made_at")
      .notNull()
      .generatedAlwaysAs(
        sql`case when generated_at_from in ('rows', 'import') then imported_at else generated_at end`,
      ),
    importedBy: text("imported_by").notNull(),
    acceptedCodes: text("accepted_codes").array(),
    acceptedReason: text("accepted_reason"),
    replacesId: bigint("replaces_id"),
    withdrawnAt: time("withdrawn_at"),
    withdrawnBy: text("withdrawn_by"),
    withdrawnReason: text("withdrawn_reason"),
  },
  (table) => [
    ...checks({
      statement_sha256_is_sha256: sql`length(${table.sha256}) = 32`,
      statement_state_is_known: sql`${table.state} in ('imported', 'withdrawn')`,
      statement_period_is_not_empty: sql`(${table.periodFrom} is null) = (${table.periodTo} is null) and ${table.periodFrom} < ${table.periodTo}`,
      statement_period_basis_is_known: sql`${table.periodBasis} in ('activity', 'settlement', 'summary')`,
      generated_at_comes_from_somewhere: sql`${table.generatedAtFrom} in ('command', 'file', 'file_name', 'rows', 'import')`,
      withdrawn_statement_says_when_who_and_why: sql`(${table.state} = 'withdrawn') = (${table.withdrawnAt} is not null)
        and (${table.withdrawnAt} is null) = (${table.withdrawnBy} is null)
        and (${table.withdrawnAt} is null) = (${table.withdrawnReason} is null)`,
      rows_read_are_all_accounted_for: sql`${table.rowsRead} = ${table.rowsAccepted} + ${table.rowsDuplicate} + ${table.rowsRejected}
        and ${table.rowsRestated} <= ${table.rowsAccepted}`,
      rows_of_file_are_all_accounted_for: sql`${table.rowsOfFile} = ${table.preambleRows} + ${table.headerRows} + ${table.blankRows} + ${table.skippedRows}
        + ${table.trailerRows} + ${table.rowsRead}`,
      what_was_accepted_has_a_reason: sql`(${table.acceptedCodes} is null) = (${table.acceptedReason} is null)`,
    }),
    index("statements_by_period").on(table.accountId, table.provider, table.periodFrom),
    index("statements_by_import").on(table.importedAt),
    uniqueIndex("file_is_imported_once")
      .on(table.accountId, table.provider, table.sha256)
      .where(sql`state = 'imported'`),
  ],
);

/** The bytes of a file as they came, cut into parts so that no file is ever held whole. */
export const statementFiles = tieout.table(
  "statement_files",
  {
    statementId: bigint("statement_id")
      .notNull()
      .references(() => statements.id),
    part: integer("part").notNull(),
    content: bytes("content").notNull(),
  },
  (table) => [
    primaryKey({ name: "file_part_is_kept_once", columns: [table.statementId, table.part] }),
    check("file_parts_count_from_1", sql`${table.part} >= 1`),
  ],
);

/** What became of each row of a file. No foreign keys: a file may have a million rows, all written by one import. */
export const statementRows = tieout.table(
  "statement_rows",
  {
    statementId: bigint("statement_id").notNull(),
    lineNo: integer("line_no").notNull(),
    outcome: text("outcome").notNull(),
    code: text("code"),
    field: text("field"),
    reason: text("reason"),
    originalText: text("original_text").notNull(),
    lineId: bigint("line_id"),
  },
  (table) => [
    primaryKey({ name: "row_has_one_outcome", columns: [table.statementId, table.lineNo] }),
    ...checks({
      row_outcome_is_known: sql`${table.outcome} in ('preamble', 'header', 'blank', 'skipped', 'trailer', 'accepted', 'duplicate', 'rejected')`,
      rejected_row_has_a_code_and_a_reason: sql`${table.outcome} <> 'rejected' or (${table.code} is not null and ${table.reason} is not null)`,
      row_taken_in_names_its_line: sql`(${table.outcome} in ('accepted', 'duplicate')) = (${table.lineId} is not null)`,
    }),
    index("statement_rows_by_line")
      .on(table.lineId)
      .where(sql`line_id is not null`),
    index("statement_rows_set_aside")
      .on(table.statementId, table.lineNo)
      .where(sql`outcome = 'rejected' or code is not null`),
  ],
);

/** Append-only versions of lines. Which version is in force follows from the statements: see `line_retirements`. */
export const statementLines = tieout.table(
  "statement_lines",
  {
    id: id(),
    accountId: integer("account_id").notNull(),
    provider: text("provider").notNull(),
    lineKey: text("line_key").notNull(),
    occurrence: integer("occurrence").notNull(),
    version: integer("version").notNull(),
    contentHash: bytes("content_hash").notNull(),
    statementId: bigint("statement_id").notNull(),
    lineNo: integer("line_no").notNull(),
    lineType: text("line_type").notNull(),
    side: text("side"),
    providerStatus: text("provider_status"),
    status: text("status").notNull(),
    providerTransactionId: text("provider_transaction_id"),
    ourReference: text("our_reference"),
    payoutRef: text("payout_ref"),
    fiatCurrency: text("fiat_currency"),
    fiatGross: amount("fiat_gross"),
    fiatNet: amount("fiat_net"),
    asset: text("asset"),
    network: text("network"),
    cryptoAmount: amount("crypto_amount"),
    feeTotal: amount("fee_total"),
    feeProcessing: amount("fee_processing"),
    feeNetwork: amount("fee_network"),
    feePartner: amount("fee_partner"),
    feeCurrency: text("fee_currency"),
    rate: amount("rate"),
    rateBasis: text("rate_basis"),
    rateAppliesTo: text("rate_applies_to"),
    netAmount: amount("net_amount").notNull(),
    netCurrency: text("net_currency"),
    category: text("category"),
    transactionHash: text("transaction_hash"),
    walletAddress: text("wallet_address"),
    addressTag: text("address_tag"),
    createdAt: time("created_at"),
    effectiveAt: time("effective_at").notNull(),
    extra: jsonb("extra"),
    importedAt: time("imported_at").notNull(),
  },
  (table) => [
    // Led by the key, as all indexes here are led by what they look up: an account or a provider alone is not a search, and
    // a planner without statistics must not be able to choose it.
    unique("line_version_is_kept_once").on(
      table.lineKey,
      table.occurrence,
      table.accountId,
      table.provider,
      table.version,
    ),
    ...checks({
      content_hash_is_sha256: sql`length(${table.contentHash}) = 32`,
      occurrences_count_from_1: sql`${table.occurrence} >= 1 and ${table.version} >= 1`,
      line_type_is_known: sql`${table.lineType} in ('charge', 'refund', 'chargeback', 'chargeback_reversal', 'fee', 'commission', 'adjustment', 'reserve', 'payout', 'balance', 'commission_total')`,
      line_side_is_known: sql`${table.side} in ('buy', 'sell')`,
      line_status_is_known: sql`${table.status} in ('created', 'awaiting_payment', 'processing', 'captured', 'delivering', 'settled', 'canceled', 'expired', 'failed', 'on_hold', 'refunded', 'charged_back', 'unknown')`,
      rate_basis_is_known: sql`${table.rateBasis} in ('crypto_per_fiat', 'fiat_per_crypto', 'payout_per_line', 'line_per_payout')
        and ${table.rateAppliesTo} in ('net', 'gross', 'market')`,
      money_names_its_currency: sql`(${table.netCurrency} is not null or ${table.netAmount} = 0)
        and (${table.fiatCurrency} is not null or (${table.fiatGross} is null and ${table.fiatNet} is null))
        and (${table.asset} is not null or ${table.cryptoAmount} is null)`,
    }),
    // Lines of one statement lie together, so a summary per block finds them, and costs an import next to nothing.
    index("lines_by_statement").using("brin", table.statementId),
    index("lines_by_payout")
      .on(table.payoutRef, table.accountId, table.provider)
      .where(sql`payout_ref is not null`),
    index("lines_by_time").on(table.accountId, table.provider, table.effectiveAt),
    // What is owed and in no payout yet.
    index("lines_unpaid")
      .on(table.accountId, table.provider, table.effectiveAt)
      .where(sql`payout_ref is null and net_amount <> 0 and line_type <> 'payout'`),
    // The payouts that a file declares: few of its lines.
    index("payout_lines_by_statement")
      .on(table.statementId, table.netCurrency)
      .where(sql`line_type = 'payout'`),
    // The balances that a provider states: few lines, each compared with the one before it.
    index("balance_lines")
      .on(table.accountId, table.provider, table.netCurrency, table.effectiveAt)
      .where(sql`line_type = 'balance'`),
    // What a provider says that its commissions come to: few lines again.
    index("commission_totals")
      .on(table.accountId, table.provider)
      .where(sql`line_type = 'commission_total'`),
  ],
);

/** The file and line number that a line is traced to: the newest file in force that carries it. Made in `0001_rules.sql`. */
export const lineFiles = tieout
  .view("line_files", {
    lineId: bigint("line_id").notNull(),
    statementId: bigint("statement_id").notNull(),
    lineNo: integer("line_no").notNull(),
  })
  .existing();
