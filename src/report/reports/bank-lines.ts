import type { BookkeepingShape, Column, Scope } from "../report.ts";
import { moneyLegs } from "./money-legs.ts";

/**
 * Statement lines as accounting programs import them. The currency of the file is a parameter and not a column, so it
 * travels beside them, for the control totals only.
 */
const amount: Column = {
  name: "Amount",
  type: "amount",
  currency: "currency",
  description: "One signed amount: positive is money in, negative money out.",
};

const line = "r.at, r.transaction_id, r.account_id, r.place";

export const xero: BookkeepingShape = {
  description:
    "Bank statement lines for Xero: completed transactions in one currency, at most 1,000 lines a file.",
  oneCurrency: true,
  linesPerFileMax: 1_000,
  parameters: ["currency"],
  columns: [
    { name: "Date", type: "text", description: "Day of the status in the report's zone, DD/MM/YYYY." },
    amount,
    { name: "Payee", type: "text", description: "The provider." },
    { name: "Description", type: "text", description: "What was exchanged for what." },
    { name: "Reference", type: "text", description: "The transaction's id." },
  ],
  select: (scope) => `
    select to_char(leg.day, 'DD/MM/YYYY') as "Date",
         trim_scale(leg.amount) as "Amount",
         leg.provider as "Payee",
         leg.description as "Description",
         leg.transaction_id as "Reference",
         leg.currency, leg.at, leg.transaction_id, leg.account_id, leg.place
    from (${moneyLegs(scope)}
    ) as leg`,
  orderBy: line,
};

export const quickbooks: BookkeepingShape = {
  description:
    "Bank lines for QuickBooks, the three-column form: completed transactions in one currency. date_format is mdy (default) or dmy.",
  oneCurrency: true,
  parameters: ["currency", "date_format"],
  columns: [
    { name: "Date", type: "text", description: "Day of the status in the report's zone." },
    {
      name: "Description",
      type: "text",
      description: "Provider, what was exchanged for what, and the transaction's id.",
    },
    amount,
  ],
  select: (scope) => `
    select to_char(leg.day, ${scope.bind(dateForm(scope), "text")}) as "Date",
         concat_ws(' ', leg.provider, leg.description, leg.transaction_id) as "Description",
         trim_scale(leg.amount) as "Amount",
         leg.currency, leg.at, leg.transaction_id, leg.account_id, leg.place
    from (${moneyLegs(scope)}
    ) as leg`,
  orderBy: line,
};

function dateForm(scope: Scope): string {
  return scope.preset.date_format === "dmy" ? "DD/MM/YYYY" : "MM/DD/YYYY";
}
