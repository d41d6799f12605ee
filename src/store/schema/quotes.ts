import { sql } from "drizzle-orm";
import { check, index, integer, primaryKey, text } from "drizzle-orm/pg-core";
import { accountId } from "./accounts.ts";
import { amount, bigint, id, tieout, time } from "./columns.ts";

/** Every time the providers were asked what they would pay. Append-only. */
export const quoteAsks = tieout.table(
  "quote_asks",
  {
    id: id(),
    accountId: accountId(),
    askedAt: time("asked_at").notNull(),
    transactionType: text("transaction_type").notNull(),
    sourceCurrency: text("source_currency").notNull(),
    targetCurrency: text("target_currency").notNull(),
    amount: amount("amount").notNull(),
    paymentMethod: text("payment_method"),
    country: text("country"),
    tookMs: integer("took_ms").notNull(),
    error: text("error"),
  },
  (table) => [
    index("quote_asks_by_time").on(table.accountId, table.askedAt),
    check("ask_is_to_buy_or_to_sell", sql`${table.transactionType} in ('buy', 'sell')`),
    check("ask_has_an_amount", sql`${table.amount} > 0`),
  ],
);

/** What one provider answered: what it would pay, or why it would not. Append-only. */
export const quotes = tieout.table(
  "quotes",
  {
    accountId: integer("account_id").notNull(),
    askId: bigint("ask_id")
      .notNull()
      .references(() => quoteAsks.id),
    provider: text("provider").notNull(),
    payout: amount("payout"),
    rate: amount("rate"),
    networkFee: amount("network_fee"),
    transactionFee: amount("transaction_fee"),
    refusal: text("refusal"),
  },
  (table) => [
    primaryKey({
      name: "provider_answers_once",
      columns: [table.accountId, table.askId, table.provider],
    }),
    check("quote_pays_or_says_why_not", sql`(${table.payout} > 0) is true or ${table.refusal} is not null`),
  ],
);
