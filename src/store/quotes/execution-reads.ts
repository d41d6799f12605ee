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

export interface ExecutionAsked {
  days: number;
  provider: string | null;
  account: string | null;
}

/** How well each provider executed in the last days: most orders first. */
export async function listExecutionQuality(
  { database, accountIds }: AccountReader,
  { days, provider, account, limit }: ExecutionAsked & { limit: number },
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

export const executionSteps = ["week", "month"] as const;
export type ExecutionStep = (typeof executionSteps)[number];

/** A week or a month of one provider. What fewer than ten orders stand behind is `null`. */
export interface ExecutionPoint {
  provider: string | null;
  /** The first day of it, in UTC, and of the next. */
  startsOn: string;
  endsOn: string;
  orders: number;
  /** How many the completion rate is of. */
  ended: number;
  completed: number;
  completedPercent: string | null;
  medianSeconds: number | null;
  compared: number;
  quoted: number;
  slippageBps: string | null;
  costBps: string | null;
}

/** The providers with the most orders, over time; newest first. The first week or month is a whole one. */
export async function listExecutionOverTime(
  { database, accountIds }: AccountReader,
  {
    days,
    provider,
    account,
    step,
    providersMax,
  }: ExecutionAsked & { step: ExecutionStep; providersMax: number },
): Promise<ExecutionPoint[]> {
  return database.query<ExecutionPoint & Record<string, unknown>>(
    `with points as (
       select p.*, sum(p.orders) over (partition by p.provider) as of_provider
       from tieout.execution_over_time(
              array(select id from tieout.accounts
                    where ($1::int[] is null or id = any($1)) and ($2::text is null or name = $2)),
              date_trunc($5, now() - $3::int * interval '1 day', 'UTC'), now(), $5) as p
       where $4::text is null or lower(p.provider) = lower($4)
     ), ranked as (
       select p.*, dense_rank() over (order by p.of_provider desc, p.provider) as place
       from points as p
     )
     select provider, starts_on::text as "startsOn", (starts_on + ('1 ' || $5)::interval)::date::text as "endsOn", orders::int,
            ended::int, completed::int, completed_percent::text as "completedPercent", median_seconds::int as "medianSeconds",
            compared::int, quoted::int, slippage_bps::text as "slippageBps", cost_bps::text as "costBps"
     from ranked
     where place <= $6
     order by starts_on desc, place`,
    [accountIds, account, days, provider, step, providersMax],
  );
}
