import { sql } from "drizzle-orm";
import {
  bigint as exactBigint,
  boolean,
  check,
  date,
  index,
  integer,
  jsonb,
  primaryKey,
  smallint,
  text,
} from "drizzle-orm/pg-core";
import { amount, bigint, bytes, tieout, time } from "./columns.ts";

/** What a record says, in both tables alike. */
const record = {
  // No foreign key: rows are written from a window, whose row is locked meanwhile and does refer to its account; checking
  // every row again would cost a tenth of the speed.
  accountId: integer("account_id").notNull(),
  transactionId: text("transaction_id").notNull(),
  hashVersion: smallint("hash_version").notNull(),
  transactionType: text("transaction_type"),
  provider: text("provider"),
  providerTransactionId: text("provider_transaction_id"),
  paymentMethod: text("payment_method"),
  country: text("country"),
  sourceCurrency: text("source_currency"),
  inAmount: amount("in_amount"),
  targetCurrency: text("target_currency"),
  walletAddress: text("wallet_address"),
  apiKey: text("api_key"),
  extra: jsonb("extra"),
  // From here on what a new status normally changes. An update logs only what lies between the first and the last byte
  // that differ, so these stand together, at the end.
  outAmount: amount("out_amount"),
  transactionHash: text("transaction_hash"),
  recordHash: bytes("record_hash").notNull(),
  status: text("status").notNull(),
  statusRank: smallint("status_rank").notNull(),
  statusDate: time("status_date").notNull(),
};

/**
 * As full as pages become by themselves where keys come in no order. Built fuller, after a restore, nearly every page would
 * have to be split soon, and each one that is touched after a checkpoint goes to the log with all it holds.
 */
const randomKeysFillPercent = 70;

/** Append-only: every distinct record ever seen. Partitioned by month of `status_date`. */
export const transactionStatuses = tieout.table(
  "transaction_statuses",
  {
    ...record,
    receivedStatus: text("received_status"),
    windowId: bigint("window_id").notNull(),
    firstSeenAt: time("first_seen_at").notNull(),
  },
  (table) => [
    // By time, so that new rows go to the end of the index: by id, each would touch a page of its own, which is logged whole
    // after a checkpoint. The hash covers the transaction's id, so the key need not have it.
    primaryKey({
      name: "status_row_is_kept_once",
      columns: [table.accountId, table.statusDate, table.recordHash],
    }),
    index("status_rows_of_transaction")
      .on(table.accountId, table.transactionId)
      .with({ fillfactor: randomKeysFillPercent }),
    // Rows are added in order of time, so a summary per block finds the new ones and costs recording next to nothing.
    index("status_rows_by_arrival").using("brin", table.firstSeenAt).with({ pages_per_range: 16 }),
    check("record_hash_is_sha256", sql`length(${table.recordHash}) = 32`),
  ],
);

/** The latest status row of each transaction; made again from `transaction_statuses` by `tieout rebuild`. */
export const transactions = tieout.table(
  "transactions",
  {
    firstSeenAt: time("first_seen_at").notNull(),
    missingSince: time("missing_since"),
    ...record,
    isFinal: boolean("is_final").notNull(),
    lastChangedAt: time("last_changed_at").notNull(),
  },
  // Every status moves a row, and with it an entry of every index: these are all it has. Whatever else a transaction may
  // be looked up by is in `transaction_keys`.
  (table) => [
    primaryKey({ name: "transaction_is_kept_once", columns: [table.accountId, table.transactionId] }),
    index("transactions_by_date").on(table.statusDate),
    index("transactions_by_change").on(table.lastChangedAt),
    // By a hash of the id, because all that is wanted is some order that stays: ids would take three times the room.
    index("transactions_open")
      .on(table.accountId, sql`hashtext(transaction_id)`)
      .where(sql`not is_final`),
  ],
);

/**
 * Every name by which a transaction may be known, in the form in which names are compared; written when a status row first
 * brings it, and never taken back. Partitioned by month, and found by a hash of the name, so that writing touches few
 * pages: an index over the names themselves would be three times as large.
 */
export const transactionKeys = tieout.table(
  "transaction_keys",
  {
    accountId: integer("account_id").notNull(),
    month: date("month").notNull(),
    nameHash: exactBigint("name_hash", { mode: "bigint" })
      .notNull()
      .generatedAlwaysAs(
        // As tieout.name_hash() computes it, which does not exist yet when the tables are made.
        sql`(hashtext("left"(key, 8))::bigint << 32) | (hashtextextended(kind || key, account_id) & 4294967295)`,
      ),
    kind: text("kind").notNull(),
    key: text("key").notNull(),
    transactionId: text("transaction_id").notNull(),
  },
  (table) => [
    index("keys_by_name").on(table.nameHash).with({ fillfactor: randomKeysFillPercent }),
    check("key_kind_is_known", sql`${table.kind} in ('provider_id', 'reference', 'hash', 'wallet')`),
  ],
);

/** The providers that an account's records name, in lower case: few, and asked for all the time. */
export const accountProviders = tieout.table(
  "account_providers",
  {
    accountId: integer("account_id").notNull(),
    provider: text("provider").notNull(),
    settledTo: time("settled_to")
      .notNull()
      .default(sql`'-infinity'`),
    accusedTo: time("accused_to")
      .notNull()
      .default(sql`'-infinity'`),
  },
  (table) => [primaryKey({ name: "provider_is_noted_once", columns: [table.accountId, table.provider] })],
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
    windowId: bigint("window_id").notNull(),
    firstSeenAt: time("first_seen_at").notNull(),
    lastSeenAt: time("last_seen_at").notNull(),
  },
  (table) => [
    primaryKey({ name: "quarantined_record_is_kept_once", columns: [table.accountId, table.rawHash] }),
  ],
);
