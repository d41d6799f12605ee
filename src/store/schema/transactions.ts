import { sql } from "drizzle-orm";
import {
  bigint,
  boolean,
  check,
  index,
  integer,
  jsonb,
  primaryKey,
  smallint,
  text,
} from "drizzle-orm/pg-core";
import { amount, bytes, tieout, time } from "./columns.ts";

/** What a record says, in both tables alike. */
const record = {
  // No foreign key: rows are written from a window, whose row is locked meanwhile and does refer to its account; checking
  // every row again would cost a tenth of the speed.
  accountId: integer("account_id").notNull(),
  transactionId: text("transaction_id").notNull(),
  recordHash: bytes("record_hash").notNull(),
  hashVersion: smallint("hash_version").notNull(),
  status: text("status").notNull(),
  statusRank: smallint("status_rank").notNull(),
  statusDate: time("status_date").notNull(),
  transactionType: text("transaction_type"),
  provider: text("provider"),
  providerTransactionId: text("provider_transaction_id"),
  paymentMethod: text("payment_method"),
  country: text("country"),
  sourceCurrency: text("source_currency"),
  inAmount: amount("in_amount"),
  targetCurrency: text("target_currency"),
  outAmount: amount("out_amount"),
  transactionHash: text("transaction_hash"),
  walletAddress: text("wallet_address"),
  apiKey: text("api_key"),
  extra: jsonb("extra"),
};

/** Append-only: every distinct record ever seen. */
export const transactionStatuses = tieout.table(
  "transaction_statuses",
  {
    ...record,
    receivedStatus: text("received_status"),
    windowId: bigint("window_id", { mode: "number" }).notNull(),
    firstSeenAt: time("first_seen_at").notNull(),
  },
  (table) => [
    primaryKey({
      name: "status_row_is_kept_once",
      columns: [table.accountId, table.transactionId, table.recordHash],
    }),
    index("status_rows_by_date").on(table.accountId, table.statusDate),
    // Rows are added in order of time, so a summary per block finds the new ones and costs recording next to nothing.
    index("status_rows_by_arrival").using("brin", table.firstSeenAt).with({ pages_per_range: 16 }),
    check("record_hash_is_sha256", sql`length(${table.recordHash}) = 32`),
  ],
);

/** The latest status row of each transaction; made again from `transaction_statuses` by `tieout rebuild`. */
export const transactions = tieout.table(
  "transactions",
  {
    ...record,
    isFinal: boolean("is_final").notNull(),
    firstSeenAt: time("first_seen_at").notNull(),
    lastChangedAt: time("last_changed_at").notNull(),
    missingSince: time("missing_since"),
  },
  (table) => [
    primaryKey({ name: "transaction_is_kept_once", columns: [table.accountId, table.transactionId] }),
    index("transactions_by_date").on(table.statusDate, table.transactionId, table.accountId),
    index("transactions_by_change").on(table.lastChangedAt, table.transactionId, table.accountId),
    // `text_pattern_ops` for searches by prefix: in a database that sorts by the rules of a language, the default
    // operator class finds whole values only. This one finds both.
    index("transactions_by_provider_id").on(table.providerTransactionId.op("text_pattern_ops")),
    index("transactions_by_hash")
      .on(table.transactionHash.op("text_pattern_ops"))
      .where(sql`transaction_hash <> ''`),
    index("transactions_by_wallet")
      .on(table.walletAddress.op("text_pattern_ops"))
      .where(sql`wallet_address <> ''`),
    index("transactions_open")
      .on(table.accountId, table.transactionId)
      .where(sql`not is_final`),
  ],
);

/** What could not be understood, once per distinct text. */
export const quarantinedRecords = tieout.table(
  "quarantined_records",
  {
    accountId: integer("account_id").notNull(),
    rawHash: bytes("raw_hash").notNull(),
    raw: text("raw").notNull(),
    reason: text("reason").notNull(),
    field: text("field"),
    windowId: bigint("window_id", { mode: "number" }).notNull(),
    firstSeenAt: time("first_seen_at").notNull(),
    lastSeenAt: time("last_seen_at").notNull(),
  },
  (table) => [
    primaryKey({ name: "quarantined_record_is_kept_once", columns: [table.accountId, table.rawHash] }),
  ],
);
