import type { BookkeepingShape } from "../report.ts";
import { moneyLegs } from "./money-legs.ts";

/**
 * Two lines for each movement, one on the clearing account of the provider and one on the customers' account, so that
 * every date and currency adds up to zero.
 */
export const journal: BookkeepingShape = {
  description:
    "Journal lines of completed transactions; debits equal credits on every date and in every currency. Account codes are parameters.",
  oneCurrency: false,
  parameters: ["currency", "clearing_account", "customer_account"],
  columns: [
    { name: "date", type: "date", description: "Day of the status in the report's zone." },
    { name: "account_code", type: "text", description: "clearing_account or customer_account, as given." },
    {
      name: "debit",
      type: "amount",
      currency: "currency",
      description: "Amount debited; empty on the other side.",
    },
    {
      name: "credit",
      type: "amount",
      currency: "currency",
      description: "Amount credited; empty on the other side.",
    },
    { name: "currency", type: "text", description: "Currency of the line." },
    { name: "description", type: "text", description: "What was exchanged for what." },
    { name: "reference", type: "text", description: "The transaction's id." },
    { name: "tracking", type: "text", description: "The provider." },
  ],
  select: (scope) => `
    select leg.day as date,
         side.account_code,
         case when side.amount > 0 then trim_scale(side.amount) end as debit,
         case when side.amount < 0 then trim_scale(-side.amount) end as credit,
         leg.currency,
         leg.description,
         leg.transaction_id as reference,
         leg.provider as tracking,
         leg.at, leg.transaction_id, leg.account_id, leg.place, side.number
    from (${moneyLegs(scope)}
    ) as leg
    cross join lateral (
      values (1, ${scope.bind(scope.preset.clearing_account, "text")}, leg.amount),
             (2, ${scope.bind(scope.preset.customer_account, "text")}, -leg.amount)
    ) as side (number, account_code, amount)`,
  orderBy: "r.at, r.transaction_id, r.account_id, r.place, r.number",
};
