import type { Queryable } from "../database.ts";
import { classParts } from "./classes.ts";
import { type Frame, liveFrame, withParts } from "./frame.ts";

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

/** As it stands now. */
export async function sumClasses(
  database: Queryable,
  accountId: number,
  provider: string,
  asAt: string,
): Promise<ClassSum[]> {
  return database.query<ClassSum>(
    `${withParts(classParts(liveFrame("all")))}
     ${sums}`,
    [accountId, provider, asAt, asAt],
  );
}

/** As at an instant, as known at another. */
export async function sumClassesThen(
  database: Queryable,
  subject: { accountId: number; provider: string | null; asAt: string; knownAt: string },
): Promise<ClassSum[]> {
  const frame: Frame = {
    mode: "past",
    scope: "all",
    accounts: "array[$1::int]",
    provider: subject.provider === null ? null : "$4::text",
    asAt: "$2::timestamptz",
    knownAt: "$3::timestamptz",
  };
  return database.query<ClassSum>(
    `${withParts(classParts(frame))}
     ${sums}`,
    [
      subject.accountId,
      subject.asAt,
      subject.knownAt,
      ...(subject.provider === null ? [] : [subject.provider]),
    ],
  );
}

const sums = `
     select provider, coalesce(fiat_currency, '') as currency, class, count(*)::int as transactions,
            trim_scale(coalesce(sum(fiat_amount), 0))::text as amount
     from transaction_class
     group by provider, coalesce(fiat_currency, ''), class
     order by provider, currency, class`;
