import { decimal, text } from "../column.ts";
import type { Column, Report } from "../report.ts";
import * as shared from "./record-columns.ts";

const count = (name: string, description: string): Column => ({ name, type: "integer", description });
const figure = (name: string, description: string): Column => ({ name, type: "amount", description });

/** Prices are compared with quotes requested around the start of each order: see docs/execution.md. */
export const executionQuality: Report = {
  name: "execution-quality",
  version: 1,
  title: "Execution quality",
  purpose:
    "How well each provider executes: what it quoted and what it paid, what the best quote would have paid, and how many orders it completed and how fast.",
  grain: "One row per account, provider, type, pair of currencies and payment method.",
  period: { description: "the time of the latest status", column: null },
  needsCoverage: true,
  account: "e.account_id",
  filters: {
    provider: "e.provider",
    transaction_type: "e.transaction_type",
    source_currency: "lower(e.source_currency)",
    target_currency: "lower(e.target_currency)",
    payment_method: "e.payment_method",
  },
  columns: [
    shared.account,
    shared.provider,
    shared.transactionType,
    shared.sourceCurrency,
    shared.targetCurrency,
    text("payment_method", "Payment method id, as received."),
    count("orders", "How many transactions have their latest status in the period."),
    count("completed", "How many of them were completed."),
    count("failed", "How many failed."),
    count("canceled", "How many were canceled."),
    count("open", "How many are still open."),
    text(
      "failure_reasons",
      "How orders that were not completed ended, in the aggregator's words, with the number of each.",
    ),
    figure(
      "completed_percent",
      "Completed orders as a percentage of orders that have ended, with two decimals; empty when none has.",
    ),
    count("median_seconds", "Median seconds from the first status to completed."),
    count("slow_seconds", "90th percentile of that time: nine in ten took no longer."),
    count(
      "compared",
      "How many completed orders could be compared with quotes from when they were placed. Below 10, all price figures stay empty.",
    ),
    count(
      "quoted",
      "For how many of those the provider itself had quoted. Below 10, slippage and rank stay empty.",
    ),
    figure(
      "slippage_bps",
      "Mean of (quoted - executed) / quoted in basis points: positive when customers received less than quoted.",
    ),
    figure(
      "cost_bps",
      "Mean of (median quote - executed) / median quote in basis points: what orders cost against the market at that moment.",
    ),
    figure("mean_place", "Mean rank of the provider among the quotes at that moment; 1 is the best."),
    figure("mean_quotes", "Mean number of quotes it was ranked among."),
    count("times_best", "How often its quote was the best."),
    decimal(
      "forgone",
      "How much more customers would have received at the best quote, over the compared orders.",
      { currency: "target_currency" },
    ),
  ],
  select: (scope) => `
    select a.name as account, e.*
    from tieout.execution_quality(${scope.accounts()}, ${scope.from() ?? "'-infinity'::timestamptz"}, ${scope.to() ?? "'infinity'::timestamptz"}) as e
    join tieout.accounts as a on a.id = e.account_id
    where ${scope.where}`,
  orderBy:
    "r.account, r.transaction_type, r.source_currency, r.target_currency, r.payment_method, r.provider",
};
