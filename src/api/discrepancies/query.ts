import type { z } from "@hono/zod-openapi";
import { compareDecimals } from "../../core/decimal.ts";
import { discrepancyCodes, discrepancyLevels, discrepancyStates } from "../../core/discrepancy-codes.ts";
import { quote } from "../../core/quote.ts";
import { type DiscrepancyFilters, discrepancySorts } from "../../store/books/discrepancy-reads.ts";
import {
  accountFilter,
  amountParameter,
  choice,
  choices,
  oneOf,
  providerFilter,
  type Refusal,
  several,
  single,
  textParameter,
} from "../parameters.ts";
import { problem } from "../problem.ts";
import { refuseReversed } from "../reversed-range.ts";
import { referenceParameter } from "../references.ts";

const codes = Object.keys(discrepancyCodes);

const days = (description: string) =>
  single({ type: "integer", description, example: 30, minimum: 0 }, (text): number | Refusal =>
    /^\d{1,5}$/.test(text)
      ? Number(text)
      : { refused: `is ${quote(text)}, and must be a number of days`, code: "invalid_integer" },
  );

/** What may be asked of the list and of the workbook. */
export const discrepancyQuery = {
  account: accountFilter,
  provider: providerFilter,
  code: several({ description: "Only these codes.", example: "missing_from_statement" }, oneOf(codes)),
  level: choices("Errors, or warnings.", discrepancyLevels),
  state: choices("Its state; all if left out.", discrepancyStates),
  owner: textParameter("Only with this owner; `none`: without an owner.", "Ada"),
  transaction_id: several({ description: "Only of these transactions.", example: "01K6FJ4Z7M0001" }),
  payout: referenceParameter("payout", "Only of this payout."),
  statement: referenceParameter("statement", "Only about lines of this statement."),
  "age_days[gte]": days("At least this many days old."),
  "age_days[lte]": days("At most this many days old."),
  "value[gte]": amountParameter("At least this much is at stake; needs `value_currency`."),
  "value[lte]": amountParameter("At most this much is at stake; needs `value_currency`."),
  value_currency: textParameter("Only of values in this currency.", "EUR"),
  sort: choice(
    "The longest waiting first (`since`), currency by currency the largest first (`-value`), by provider, or the last changed.",
    discrepancySorts,
    { default: "since" },
  ),
};

export function discrepancyFilters(
  query: z.output<z.ZodObject<typeof discrepancyQuery>>,
): DiscrepancyFilters {
  const { owner, payout, statement, sort, value_currency: currency } = query;
  const { "value[gte]": min, "value[lte]": max } = query;
  if ((min ?? max) !== undefined && currency === undefined) {
    throw problem("invalid_parameter", "value[gte] and value[lte] also need value_currency.", {
      param: "value_currency",
    });
  }
  const ends = <Value>(parameter: string, value: Value | undefined) =>
    value === undefined ? [] : [{ parameter, value }];
  refuseReversed(
    { starts: ends("value[gte]", min), ends: ends("value[lte]", max) },
    (a, b) => compareDecimals(a, b) > 0,
  );
  const { "age_days[gte]": ageMin, "age_days[lte]": ageMax } = query;
  refuseReversed(
    { starts: ends("age_days[gte]", ageMin), ends: ends("age_days[lte]", ageMax) },
    (a, b) => a > b,
  );
  const { account, provider, code, level, state } = query;
  return {
    account,
    provider,
    code,
    level,
    state,
    owner: owner === "none" ? null : owner,
    transactionId: query.transaction_id,
    payoutId: payout,
    statementId: statement,
    ageDaysMin: ageMin,
    ageDaysMax: ageMax,
    value: currency === undefined ? undefined : { currency, min, max },
    sort: sort ?? "since",
  };
}
