import type { Queryable } from "../database.ts";

export const classes = ["matched", "pending", "discrepant", "excluded"] as const;
export type Class = (typeof classes)[number];

/** How much of what was completed is in which class, in the fiat leg, never across currencies. */
export interface ClassSum {
  provider: string;
  currency: string;
  class: Class;
  transactions: number;
  amount: string;
}

/** As at an instant, by what was known at another. */
export async function sumClasses(
  database: Queryable,
  asked: { accountId: number; provider: string | null; asAt: string; knownAt: string },
): Promise<ClassSum[]> {
  return database.query<ClassSum>(
    `select provider, coalesce(fiat_currency, '') as currency, class, count(*)::int as transactions,
            trim_scale(coalesce(sum(fiat_amount), 0))::text as amount
     from tieout.transaction_classes(array[$1::int], $2, $3)
     where ($4::text is null or provider = $4)
     group by provider, coalesce(fiat_currency, ''), class
     order by provider, currency, class`,
    [asked.accountId, asked.asAt, asked.knownAt, asked.provider],
  );
}
