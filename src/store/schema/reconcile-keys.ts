import { boolean, integer, primaryKey, smallint, text } from "drizzle-orm/pg-core";
import { tieout } from "./columns.ts";

/** What the currency words of records mean, as `core/asset` reads them: so that SQL does not read them a second way. */
export const currencyWords = tieout.table("currency_words", {
  word: text("word").primaryKey(),
  isFiat: boolean("is_fiat").notNull(),
  /** Upper case for fiat, lower case for crypto: as statement lines have it. */
  code: text("code").notNull(),
  network: text("network"),
  /** Places of the smallest amount that is compared: the minor unit, or at most the eighth place of a coin. */
  places: smallint("places").notNull(),
});

/**
 * Transactions of which two status rows may contradict each other, or whose latest row is not what it was when it came: few, and
 * only these are compared row by row.
 */
export const oddHistories = tieout.table(
  "odd_histories",
  {
    accountId: integer("account_id").notNull(),
    transactionId: text("transaction_id").notNull(),
  },
  (table) => [
    primaryKey({ name: "odd_history_is_kept_once", columns: [table.accountId, table.transactionId] }),
  ],
);

/** Chain hashes that stand on more than one transaction. */
export const sharedHashes = tieout.table(
  "shared_hashes",
  {
    accountId: integer("account_id").notNull(),
    transactionHash: text("transaction_hash").notNull(),
  },
  (table) => [
    primaryKey({ name: "shared_hash_is_kept_once", columns: [table.accountId, table.transactionHash] }),
  ],
);
