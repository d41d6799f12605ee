import type { AccountReader } from "../conditions.ts";
import { estimateCost } from "./bounded.ts";
import { transactionsFor } from "./class-of-transactions.ts";
import { transactionConditions, type TransactionFilters } from "./transaction-reads.ts";

export interface CurrencyTotal {
  currency: string | null;
  transactions: number;
  /** Exact; `null` when none of them has an amount. */
  amount: string | null;
}

export interface TransactionTotals {
  transactions: number;
  /** What customers gave and what they got, by currency. Nothing is added across currencies. */
  given: CurrencyTotal[];
  got: CurrencyTotal[];
}

/** How much adding up may cost: transactions, and work as the planner counts it. */
export interface TotalsBudget {
  transactionsMax: number;
  costMax: number;
}

interface LegRow {
  leg: "all" | "given" | "got";
  currency: string | null;
  transactions: number;
  amount: string | null;
}

/**
 * Exact totals of all transactions that pass the filters; `null` when that is beyond the budget, because the sum of a part
 * is not a figure, and the sum of millions is a report.
 */
export async function totalTransactions(
  reader: AccountReader,
  filters: TransactionFilters,
  budget: TotalsBudget | null,
): Promise<TransactionTotals | null> {
  const conditions = transactionConditions(reader, filters);
  const limit = budget === null ? "" : `limit ${conditions.bind(budget.transactionsMax + 1)}`;
  const statement = `select case when grouping(source_currency) = 0 then 'given' when grouping(target_currency) = 0 then 'got' else 'all' end as leg,
            coalesce(source_currency, target_currency) as currency,
            count(*)::int as transactions,
            trim_scale(case when grouping(source_currency) = 0 then sum(in_amount) else sum(out_amount) end)::text as amount
     from (
       select t.source_currency, t.in_amount, t.target_currency, t.out_amount
       from ${transactionsFor(filters)}
       where ${conditions.toSql()}
       ${limit}
     ) as picked
     group by grouping sets ((source_currency), (target_currency), ())
     order by leg, transactions desc, currency`;
  if (budget !== null) {
    const cost = await estimateCost(reader.database, statement, conditions.values);
    if (cost > budget.costMax) return null;
  }
  const rows = await reader.database.query<LegRow & Record<string, unknown>>(statement, conditions.values);
  const transactions = rows.find(({ leg }) => leg === "all")?.transactions ?? 0;
  if (budget !== null && transactions > budget.transactionsMax) return null;
  const of = (wanted: "given" | "got"): CurrencyTotal[] =>
    rows
      .filter(({ leg }) => leg === wanted)
      .map(({ currency, transactions: count, amount }) => ({ currency, transactions: count, amount }));
  return { transactions, given: of("given"), got: of("got") };
}
