import type { Column, Report } from "../report.ts";
import * as shared from "./record-columns.ts";

const count = (name: string, description: string): Column => ({ name, type: "integer", description });
const figure = (name: string, description: string): Column => ({ name, type: "amount", description });

/** What is said about prices comes from quotes that were asked for around the start of each order: see docs/execution.md. */
export const executionQuality: Report = {
  name: "execution-quality",
  version: 1,
  title: "Execution quality",
  purpose:
    "How good each provider is: what it quoted and what it paid, what the best would have paid, how many orders it completed and how fast.",
  grain: "One row per account, provider, type, pair of currencies and payment method.",
  period: { description: "The time of the latest status.", column: null },
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
    { name: "payment_method", type: "text", description: "Payment method id, as received." },
    count("orders", "How many transactions have their latest status in the period."),
    count("completed", "How many of them are completed."),
    count("failed", "How many have failed."),
    count("canceled", "How many were canceled."),
    count("open", "How many may still change."),
    {
      name: "failure_reasons",
      type: "text",
      description:
        "What the aggregator called the end of those that failed or were canceled, with the number of each.",
    },
    figure(
      "completed_percent",
      "Completed ones among those that are final, in percent with two decimals; empty when none is.",
    ),
    count("median_seconds", "Seconds from the first status to completed: half of them took no longer."),
    count("slow_seconds", "The same: nine of ten took no longer."),
    count(
      "compared",
      "How many completed orders have quotes of their moment beside them. With fewer than 10 nothing is said about prices.",
    ),
    count(
      "quoted",
      "How many of those the chosen provider itself had quoted for. With fewer than 10 slippage and place stay empty.",
    ),
    figure(
      "slippage_bps",
      "Mean of (quoted - executed) / quoted in basis points: positive when customers got less than quoted.",
    ),
    figure(
      "cost_bps",
      "Mean of (middle of all quotes - executed) / middle in basis points: the cost against the market of that moment.",
    ),
    figure("mean_place", "Mean place of the provider among the quotes when it was chosen; 1 is the best."),
    figure("mean_quotes", "Mean number of quotes it was chosen from."),
    count("times_best", "How often it was the best."),
    {
      name: "forgone",
      type: "amount",
      description: "What customers would have got more from the best quote, over the compared orders.",
      currency: "target_currency",
    },
  ],
  select: (scope) => `
    select a.name as account, e.*
    from tieout.execution_quality(${scope.accounts()}, ${scope.from() ?? "'-infinity'::timestamptz"}, ${scope.to() ?? "'infinity'::timestamptz"}) as e
    join tieout.accounts as a on a.id = e.account_id
    where ${scope.where}`,
  orderBy:
    "r.account, r.transaction_type, r.source_currency, r.target_currency, r.payment_method, r.provider",
};
