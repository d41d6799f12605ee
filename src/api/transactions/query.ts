import { z } from "@hono/zod-openapi";
import { compareDecimals } from "../../core/decimal.ts";
import { instantAt } from "../../core/period.ts";
import { utc } from "../../core/zone.ts";
import {
  type Range,
  type TransactionFilters,
  type TransactionSort,
  transactionSorts,
} from "../../store/transactions/transaction-reads.ts";
import type { Caller } from "../../access/caller.ts";
import {
  accountFilter,
  amountParameter,
  booleanParameter,
  choice,
  choices,
  listParameters,
  several,
  textParameter,
} from "../parameters.ts";
import { problem } from "../problem.ts";
import { refuseReversed } from "../reversed-range.ts";
import { timeParameter, timeRange, timeRanges, zoneParameter } from "../time-parameters.ts";

const sorts = Object.keys(transactionSorts) as TransactionSort[];

const operators = { gte: ">=", gt: ">", lte: "<=", lt: "<" } as const;
type Comparison = keyof typeof operators;
const comparisons = Object.keys(operators) as Comparison[];

export const expandParameter = choices("Adds what belongs to an object.", ["statuses"]);

/** Filters of transactions, which their sums take as well. */
export const recordFilters = {
  account: accountFilter,
  provider: several({ description: "Only of these providers.", example: "moonpay" }),
  status: several({ description: "Statuses.", example: "completed" }),
  transaction_type: several({ description: "buy or sell.", example: "buy" }),
  source_currency: several({ description: "What the customer gives.", example: "eur" }),
  target_currency: several({ description: "What the customer gets.", example: "btc" }),
};

/** At least, more than, at most and less than an amount, of the currency that another filter fixes. */
function amountRange<Name extends string>(name: Name, currency: string) {
  const parameter = (words: string) =>
    amountParameter(`${words} this much of ${currency}, which must be given.`);
  return {
    [`${name}[gte]`]: parameter("At least"),
    [`${name}[gt]`]: parameter("More than"),
    [`${name}[lte]`]: parameter("At most"),
    [`${name}[lt]`]: parameter("Less than"),
  } as Record<`${Name}[${Comparison}]`, ReturnType<typeof amountParameter>>;
}

export const transactionQuery = z.strictObject({
  ...listParameters,
  starting_after: textParameter(
    "Starts after the transaction with this id; use instead of `cursor`.",
    "01HD670DNG2MNSDS4XGJ1EESV7",
  ),
  sort: choice(
    "`-status_date`: newest first, for people. `last_changed_at`: for programs that follow changes.",
    sorts,
    { default: "-status_date" },
  ),
  changed_since: timeParameter(
    "Short for sort=last_changed_at and last_changed_at[gte]: what changed since then, in that order.",
  ),
  ...recordFilters,
  payment_method: several({ description: "Payment methods, as received.", example: "creditcard" }),
  country: several({ description: "Countries, as received.", example: "de" }),
  is_final: booleanParameter("Only those whose status normally no longer changes, or only the others."),
  ...timeRange("status_date", "Status date"),
  ...timeRange("first_seen_at", "First seen"),
  ...timeRange("last_changed_at", "Last changed here"),
  tz: zoneParameter,
  ...amountRange("in_amount", "source_currency"),
  ...amountRange("out_amount", "target_currency"),
  q: textParameter(
    "Any id, hash, reference or, with wallets:read, wallet address: whole, or its first 8 or more characters.",
    "01HD670D",
  ),
  "expand[]": expandParameter,
  include: choice("`total` counts the objects, up to 10 000.", ["total"]),
});

type TransactionQuery = z.output<typeof transactionQuery>;

export interface TransactionQuestion {
  filters: TransactionFilters;
  sort: TransactionSort;
}

/** What concerns several parameters together, and what the store understands. */
export function readQuestion(query: TransactionQuery, caller: Caller): TransactionQuestion {
  refuseContradictions(query);
  const zone = query.tz ?? utc;
  const ranges: Range[] = [
    ...(["status_date", "first_seen_at", "last_changed_at"] as const).flatMap((column) =>
      timeRanges(column, query, zone),
    ),
    ...amountRanges(query),
  ];
  if (query.changed_since !== undefined) {
    ranges.push({ column: "last_changed_at", operator: ">=", value: instantAt(query.changed_since, zone) });
  }
  const sort = query.sort ?? (query.changed_since === undefined ? "-status_date" : "last_changed_at");
  const { account, status, provider, transaction_type, source_currency, target_currency } = query;
  const { payment_method, country, is_final } = query;
  const filters: TransactionFilters = {
    account,
    status,
    provider,
    transaction_type,
    source_currency,
    target_currency,
    payment_method,
    country,
    is_final,
    ranges,
    q: query.q === undefined ? undefined : { text: query.q, wallets: caller.scopes.has("wallets:read") },
  };
  return { filters, sort };
}

function refuseContradictions(query: TransactionQuery): void {
  const errors: { path: string; code: string; message: string }[] = [];
  const refuse = (path: string, code: string, message: string) =>
    errors.push({ path, code, message: `${path} ${message}` });
  if (query.cursor !== undefined && query.starting_after !== undefined)
    refuse("starting_after", "conflict", "and cursor exclude each other; keep one.");
  if (query.changed_since !== undefined && query.sort === "-status_date")
    refuse("changed_since", "conflict", "sorts by last_changed_at; leave sort out.");
  for (const [amount, currency] of [
    ["in_amount", "source_currency"],
    ["out_amount", "target_currency"],
  ] as const) {
    const path = comparisons
      .map((name) => `${amount}[${name}]` as const)
      .find((name) => query[name] !== undefined);
    if (path !== undefined && query[currency]?.length !== 1)
      refuse(
        path,
        "currency_required",
        `needs one ${currency}: amounts of different currencies cannot be compared.`,
      );
  }
  const [first] = errors;
  if (first) throw problem("invalid_parameter", first.message, { param: first.path, errors });
}

function amountRanges(query: TransactionQuery): Range[] {
  return (["in_amount", "out_amount"] as const).flatMap((column) => {
    const given = comparisons.flatMap((name) => {
      const parameter = `${column}[${name}]` as const;
      const value = query[parameter];
      return value === undefined ? [] : [{ parameter, operator: operators[name], value }];
    });
    const [starts, ends] = [">", "<"].map((sign) =>
      given.filter(({ operator }) => operator.startsWith(sign)),
    );
    refuseReversed({ starts: starts ?? [], ends: ends ?? [] }, (a, b) => compareDecimals(a, b) > 0);
    return given.map(({ operator, value }): Range => ({ column, operator, value }));
  });
}
