import { boolean, date, decimal, integer, text } from "../../column.ts";
import type { Column } from "../../report.ts";

/** Columns that the reports about reconciliation share, each described once. */
export const account = text("account", "The account.");
export const provider = text(
  "provider",
  "The provider's id, in lower case, whatever its statements or records call it.",
);
export const payoutRef = text("payout_ref", "The reference of the payout; empty where there is none.");
export const fileName = text("file_name", "The statement file that contains the line.");
export const lineNo = integer("line_no", "The line number in that file, counted from 1.");
export const transactionId = text(
  "transaction_id",
  "The aggregator's id of the transaction; empty where there is none.",
);
export const providerTransactionId = text(
  "provider_transaction_id",
  "The provider's own id: the first thing it will ask for.",
);
export const transactionHash = text(
  "transaction_hash",
  "The chain's hash as received: ours, or else the line's.",
);
export const inAmount = decimal("in_amount", "What the customer gave, by our record.", {
  currency: "source_currency",
});
export const sourceCurrency = text("source_currency", "Currency of in_amount, as the record has it.");
export const outAmount = decimal("out_amount", "What the customer got, by our record.", {
  currency: "target_currency",
});
export const targetCurrency = text("target_currency", "Currency of out_amount, as the record has it.");

/** An amount in the currency of its row. */
export const amount = (name: string, description: string) =>
  decimal(name, description, { currency: "currency" });

/** What a figure is in the currency in which the company keeps its books, and by which rate; empty where none is set. */
export const inFunctional: readonly Column[] = [
  text("functional_currency", "The currency of the company's books: the setting functional_currency."),
  decimal("rate", "The value of one unit of currency in functional_currency, never guessed."),
  date("rate_date", "The day of that rate: the last one stated by then."),
  text("rate_source", "Who states it."),
  boolean(
    "rate_missing",
    "Whether there is no rate for that day or the week before it; then nothing is converted.",
  ),
];

/** Of reports that go from an opening to a closing. */
export const rolledForward = {
  period: {
    description:
      "from the opening to the closing; without a start everything is movement, and as_at is its end",
    column: null,
  },
  moment: "period_end",
} as const;

export const bookClass = (description: string) => text("class", description);

export const codes = text("codes", "Codes of the open discrepancies that name it, separated by spaces.");

/** What reports about reconciliation have in common: any key that may see matches may read them. */
export const ofBooks = {
  version: 1,
  needsCoverage: false,
  needs: { scope: "reconcile:read" },
  account: "x.account_id",
} as const;
