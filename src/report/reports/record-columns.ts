import { date, text, time } from "../column.ts";
import { type DetailField, detailFields, recordFields } from "../../core/record-fields.ts";
import type { Column } from "../report.ts";

/** Columns that several reports share, each described once. */
export const account = text("account", "The account the transaction was read from.");

export const timezone = text("timezone", "The time zone of this report's dates.");

/** What each field of a record means to the reader of a report. Times are dated in the report's zone, and so stand below. */
const meanings: Record<TextField, Omit<Column, "name" | "type">> = {
  transactionId: { description: "The aggregator's id of the transaction; opaque." },
  status: {
    description: "new, pending, paid, canceled, failed or completed; a word we do not know as received.",
  },
  transactionType: {
    description: "buy (the customer gives fiat and gets crypto) or sell; another word as received.",
  },
  provider: { description: "The provider's id (the aggregator's onramp)." },
  providerTransactionId: { description: "The provider's own id; may be empty early." },
  paymentMethod: { description: "Payment method id, as received." },
  country: { description: "Country code, as received." },
  sourceCurrency: { description: "What the customer gives." },
  inAmount: { currency: "source_currency", description: "How much the customer gives." },
  targetCurrency: { description: "What the customer gets." },
  outAmount: {
    currency: "target_currency",
    description: "How much the customer gets; before completed an estimate or 0.",
  },
  transactionHash: { description: "The chain's hash as received; empty until one exists." },
  walletAddress: {
    wallets: "masked",
    description: "The customer's address; first and last four characters only without wallets:read.",
  },
  apiKey: { description: "Key identifier of the owning account, as the record states it." },
};

type TextField = "transactionId" | "status" | DetailField;

function columnOf(field: TextField): Column {
  const { column, type } = recordFields[field];
  return { name: column, type: type === "decimal" ? "amount" : type, ...meanings[field] };
}

export const transactionId = columnOf("transactionId");
export const status = columnOf("status");
export const transactionType = columnOf("transactionType");
export const provider = columnOf("provider");
export const sourceCurrency = columnOf("sourceCurrency");
export const inAmount = columnOf("inAmount");
export const targetCurrency = columnOf("targetCurrency");
export const outAmount = columnOf("outAmount");

export const statusTimes: readonly Column[] = [
  time("status_at", "The aggregator's time of the status, in UTC."),
  date("status_date", "The calendar day of status_at in the report's zone."),
];

/** What a record says, in the order of the transactions report. */
export const recordColumns: readonly Column[] = [
  ...detailFields.map(columnOf),
  text("partner_context", "The client's own order reference, where the aggregator passes it on."),
];

/** The same, in SQL, of a table that is called `t`. */
export const recordSql = [
  ...detailFields.map((field) => `t.${recordFields[field].column}`),
  "t.extra ->> 'partnerContext' as partner_context",
]
  .map((expression) => `\n         ${expression}`)
  .join(",");

export const recordHash = text(
  "record_hash",
  "Our SHA-256 of the record, in hexadecimal: the key of this status row.",
);

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

/** Of reports that add up a period: a month's figures stay when an order of it changes in the next. */
export const statusPeriodAsItEnded = {
  ...statusPeriod,
  description:
    "the time of the status (status_at), which is the latest at the end of the period unless as_at says otherwise",
} as const;
