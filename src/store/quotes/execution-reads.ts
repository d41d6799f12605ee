import type { AccountReader } from "../conditions.ts";

/** One row of `tieout.execution_quality`; figures are text, because they are exact. */
export interface ExecutionRow {
  account: string;
  provider: string | null;
  transactionType: string | null;
  sourceCurrency: string | null;
  targetCurrency: string | null;
  paymentMethod: string | null;
  orders: number;
  completed: number;
  failureReasons: string | null;
  completedPercent: string | null;
  medianSeconds: number | null;
  slowSeconds: number | null;
  compared: number;
  quoted: number;
  slippageBps: string | null;
  costBps: string | null;
  meanPlace: string | null;
  meanQuotes: string | null;
  timesBest: number | null;
  forgone: string | null;
}

/** How well each provider executed in the last days: most orders first. */
export async function listExecutionQuality(
  { database, accountIds }: AccountReader,
  {
    days,
    provider,
    account,
    limit,
  }: { days: number; provider: string | null; account: string | null; limit: number },
): Promise<ExecutionRow[]> {
  return database.query<ExecutionRow & Record<string, unknown>>(
    `select a.name as account, e.provider, e.transaction_type as "transactionType",
            e.source_currency as "sourceCurrency", e.target_currency as "targetCurrency",
            e.payment_method as "paymentMethod", e.orders::int, e.completed::int, e.failure_reasons as "failureReasons",
            e.completed_percent::text as "completedPercent", e.median_seconds::int as "medianSeconds",
            e.slow_seconds::int as "slowSeconds", e.compared::int, e.quoted::int, e.slippage_bps::text as "slippageBps",
            e.cost_bps::text as "costBps", e.mean_place::text as "meanPlace", e.mean_quotes::text as "meanQuotes",
            e.times_best::int as "timesBest", e.forgone::text as forgone
     from tieout.execution_quality(
            array(select id from tieout.accounts
                  where ($1::int[] is null or id = any($1)) and ($2::text is null or name = $2)),
            now() - $3::int * interval '1 day', now()) as e
     join tieout.accounts as a on a.id = e.account_id
     where $4::text is null or lower(e.provider) = lower($4)
     order by e.orders desc, a.name, e.provider, e.transaction_type, e.source_currency, e.target_currency, e.payment_method
     limit $5`,
    [accountIds, account, days, provider, limit],
  );
}
