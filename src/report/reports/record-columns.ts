import type { Column } from "../report.ts";

/** Columns that several reports share, each described once. */
export const account: Column = {
  name: "account",
  type: "text",
  description: "The account the transaction was read from.",
};

export const timezone: Column = {
  name: "timezone",
  type: "text",
  description: "The zone that the dates of this report are days of.",
};

export const provider: Column = {
  name: "provider",
  type: "text",
  description: "The provider's id (the aggregator's onramp).",
};

export const transactionType: Column = {
  name: "transaction_type",
  type: "text",
  description: "buy (the customer gives fiat and gets crypto) or sell; another word as received.",
};

export const status: Column = {
  name: "status",
  type: "text",
  description: "new, pending, paid, canceled, failed or completed; a word we do not know as received.",
};

export const sourceCurrency: Column = {
  name: "source_currency",
  type: "text",
  description: "What the customer gives.",
};

export const targetCurrency: Column = {
  name: "target_currency",
  type: "text",
  description: "What the customer gets.",
};

export const inAmount: Column = {
  name: "in_amount",
  type: "amount",
  currency: "source_currency",
  description: "How much the customer gives.",
};

export const outAmount: Column = {
  name: "out_amount",
  type: "amount",
  currency: "target_currency",
  description: "How much the customer gets; before completed an estimate or 0.",
};

export const statusTimes: readonly Column[] = [
  { name: "status_at", type: "time", description: "The aggregator's time of the status, in UTC." },
  { name: "status_date", type: "date", description: "The calendar day of status_at in the report's zone." },
];

export const transactionId: Column = {
  name: "transaction_id",
  type: "text",
  description: "The aggregator's id of the transaction; opaque.",
};

/** What a record says, in the order of the transactions report. */
export const recordColumns: readonly Column[] = [
  transactionType,
  provider,
  {
    name: "provider_transaction_id",
    type: "text",
    description: "The provider's own id; may be empty early.",
  },
  { name: "payment_method", type: "text", description: "Payment method id, as received." },
  { name: "country", type: "text", description: "Country code, as received." },
  sourceCurrency,
  inAmount,
  targetCurrency,
  outAmount,
  {
    name: "transaction_hash",
    type: "text",
    description: "The chain's hash as received; empty until one exists.",
  },
  {
    name: "wallet_address",
    type: "text",
    wallets: "masked",
    description: "The customer's address; first and last four characters only without wallets:read.",
  },
  {
    name: "api_key",
    type: "text",
    description: "Key identifier of the owning account, as the record states it.",
  },
  {
    name: "partner_context",
    type: "text",
    description: "The client's own order reference, where the aggregator passes it on.",
  },
];

/** The same, in SQL, of a table that is called `t`. */
export const recordSql = `
         t.transaction_type,
         t.provider,
         t.provider_transaction_id,
         t.payment_method,
         t.country,
         t.source_currency,
         t.in_amount,
         t.target_currency,
         t.out_amount,
         t.transaction_hash,
         t.wallet_address,
         t.api_key,
         t.extra ->> 'partnerContext' as partner_context`;

export const recordHash: Column = {
  name: "record_hash",
  type: "text",
  description: "Our SHA-256 of the record, in hexadecimal: the key of this status row.",
};

/** Filters of a table of records that is called `t`. */
export const recordFilters = {
  provider: "t.provider",
  status: "t.status",
  transaction_type: "t.transaction_type",
  source_currency: "lower(t.source_currency)",
  target_currency: "lower(t.target_currency)",
  payment_method: "t.payment_method",
  country: "t.country",
} as const;

export const statusPeriod = {
  description: "the time of the status (status_at)",
  column: "t.status_date",
} as const;
