import type { Column } from "../../report.ts";

/** Columns that the reports about reconciliation share, each described once. */
export const account: Column = { name: "account", type: "text", description: "The account." };

export const provider: Column = {
  name: "provider",
  type: "text",
  description: "The provider's id, in lower case, whatever its statements or records call it.",
};

export const payoutRef: Column = {
  name: "payout_ref",
  type: "text",
  description: "The reference of the payout; empty where there is none.",
};

export const fileName: Column = {
  name: "file_name",
  type: "text",
  description: "The statement file that contains the line.",
};

export const lineNo: Column = {
  name: "line_no",
  type: "integer",
  description: "The line number in that file, counted from 1.",
};

export const transactionId: Column = {
  name: "transaction_id",
  type: "text",
  description: "The aggregator's id of the transaction; empty where there is none.",
};

export const providerTransactionId: Column = {
  name: "provider_transaction_id",
  type: "text",
  description: "The provider's own id: the first thing it will ask for.",
};

export const transactionHash: Column = {
  name: "transaction_hash",
  type: "text",
  description: "The chain's hash as received: ours, or else the line's.",
};

export const inAmount: Column = {
  name: "in_amount",
  type: "amount",
  currency: "source_currency",
  description: "What the customer gave, by our record.",
};

export const sourceCurrency: Column = {
  name: "source_currency",
  type: "text",
  description: "Currency of in_amount, as the record has it.",
};

export const outAmount: Column = {
  name: "out_amount",
  type: "amount",
  currency: "target_currency",
  description: "What the customer got, by our record.",
};

export const targetCurrency: Column = {
  name: "target_currency",
  type: "text",
  description: "Currency of out_amount, as the record has it.",
};

/** An amount in the currency of its row. */
export const amount = (name: string, description: string): Column => ({
  name,
  type: "amount",
  currency: "currency",
  description,
});

/** What a figure is in the currency in which the company keeps its books, and by which rate; empty where none is set. */
export const inFunctional: readonly Column[] = [
  {
    name: "functional_currency",
    type: "text",
    description: "The currency of the company's books: the setting functional_currency.",
  },
  {
    name: "rate",
    type: "amount",
    description: "The value of one unit of currency in functional_currency, never guessed.",
  },
  { name: "rate_date", type: "date", description: "The day of that rate: the last one stated by then." },
  { name: "rate_source", type: "text", description: "Who states it." },
  {
    name: "rate_missing",
    type: "boolean",
    description: "Whether there is no rate for that day or the week before it; then nothing is converted.",
  },
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

export const bookClass = (description: string): Column => ({ name: "class", type: "text", description });

export const codes: Column = {
  name: "codes",
  type: "text",
  description: "Codes of the open discrepancies that name it, separated by spaces.",
};

/** What reports about reconciliation have in common: any key that may see matches may read them. */
export const ofBooks = {
  version: 1,
  needsCoverage: false,
  needs: { scope: "reconcile:read" },
  account: "x.account_id",
} as const;
