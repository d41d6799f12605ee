import type { Decimal } from "../../core/decimal.ts";
import type { Database, Queryable } from "../database.ts";
import { storable } from "../storable.ts";

/** What the account trades: a pair, a way to pay and a country, with the amount of its newest order. */
export interface WantedAsk {
  transactionType: "buy" | "sell";
  sourceCurrency: string;
  targetCurrency: string;
  paymentMethod: string | null;
  country: string | null;
  amount: string;
}

export interface QuoteAnswer {
  provider: string;
  payout: Decimal | null;
  rate: Decimal | null;
  networkFee: Decimal | null;
  transactionFee: Decimal | null;
  refusal: string | null;
}

/**
 * What was traded within the last day, and has not been asked for since `notSinceMs`; what was asked for longest ago
 * comes first, so that everything has its turn however small the budget.
 */
export async function listWantedAsks(
  database: Queryable,
  accountId: number,
  { notSinceMs, limit }: { notSinceMs: number; limit: number },
): Promise<WantedAsk[]> {
  return database.query<WantedAsk & Record<string, unknown>>(
    `with traded as (
       select distinct on (transaction_type, source_currency, target_currency, payment_method, country)
              transaction_type, source_currency, target_currency, payment_method, country, in_amount, status_date
       from tieout.transactions
       where account_id = $1
         and status_date > clock_timestamp() - interval '1 day'
         and transaction_type in ('buy', 'sell')
         and in_amount > 0
         and source_currency <> ''
         and target_currency <> ''
       order by transaction_type, source_currency, target_currency, payment_method, country, status_date desc
     ), asked as (
       select transaction_type, source_currency, target_currency, payment_method, country, max(asked_at) as asked_at
       from tieout.quote_asks
       where account_id = $1 and asked_at > clock_timestamp() - interval '1 day'
       group by 1, 2, 3, 4, 5
     )
     select t.transaction_type as "transactionType", t.source_currency as "sourceCurrency",
            t.target_currency as "targetCurrency", t.payment_method as "paymentMethod", t.country,
            trim_scale(t.in_amount)::text as amount
     from traded as t
     left join asked as a
       on a.transaction_type = t.transaction_type
      and a.source_currency = t.source_currency
      and a.target_currency = t.target_currency
      and a.payment_method is not distinct from t.payment_method
      and a.country is not distinct from t.country
     where a.asked_at is null or a.asked_at < clock_timestamp() - $2::double precision * interval '1 millisecond'
     order by a.asked_at nulls first, t.status_date desc, 1, 2, 3, 4, 5
     limit $3`,
    [accountId, notSinceMs, limit],
  );
}

/**
 * How long asking may still take: a share of the time that the account's requests may take together, less what was
 * spent since. `null`: not now, because the account is paused, refused or told to wait.
 */
export async function readAskBudgetMs(
  database: Queryable,
  accountId: number,
  { share, periodMs }: { share: number; periodMs: number },
): Promise<number | null> {
  const [found] = await database.query<{ left: number | null }>(
    `select case when a.state = 'active' and (a.not_before is null or a.not_before <= clock_timestamp())
                 then $2::double precision * a.request_limit * $3::double precision - spent.ms end as left
     from tieout.accounts as a
     cross join lateral (
       select coalesce(sum(q.took_ms), 0) as ms
       from tieout.quote_asks as q
       where q.account_id = a.id
         and q.asked_at > clock_timestamp() - $3::double precision * interval '1 millisecond'
     ) as spent
     where a.id = $1`,
    [accountId, share, periodMs],
  );
  return found?.left ?? null;
}

/** The ask and all answers to it, together. `answers` that name one provider twice count as its best. */
export async function keepAsk(
  database: Database,
  accountId: number,
  ask: WantedAsk,
  outcome: { tookMs: number; error: string | null; answers: readonly QuoteAnswer[] },
): Promise<void> {
  await database.query(
    `with ask as (
       insert into tieout.quote_asks (account_id, asked_at, transaction_type, source_currency, target_currency, amount,
         payment_method, country, took_ms, error)
       values ($1, clock_timestamp(), $2, $3, $4, $5, $6, $7, $8, $9)
       returning id
     )
     insert into tieout.quotes (account_id, ask_id, provider, payout, rate, network_fee, transaction_fee, refusal)
     select distinct on (e.provider) $1, ask.id, e.provider, e.payout, e.rate, e."networkFee", e."transactionFee", e.refusal
     from ask, jsonb_to_recordset($10::jsonb) as e (provider text, payout numeric, rate numeric, "networkFee" numeric,
       "transactionFee" numeric, refusal text)
     order by e.provider, e.payout desc nulls last`,
    [
      accountId,
      ask.transactionType,
      ask.sourceCurrency,
      ask.targetCurrency,
      ask.amount,
      ask.paymentMethod,
      ask.country,
      Math.round(outcome.tookMs),
      outcome.error === null ? null : storable(outcome.error),
      JSON.stringify(outcome.answers.map(keepable)),
    ],
  );
}

function keepable(answer: QuoteAnswer): QuoteAnswer {
  const { provider, refusal } = answer;
  return { ...answer, provider: storable(provider), refusal: refusal === null ? null : storable(refusal) };
}
