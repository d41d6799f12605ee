import { z } from "zod";
import type { ReceiptFormat } from "../../core/receipt-line.ts";
import { createTimeReader } from "../statement/times.ts";

/** What a column of a bank's CSV may hold. */
export const csvFields = [
  "bank_account",
  "booking_date",
  "value_date",
  "time",
  "amount",
  "credit",
  "debit",
  "direction",
  "status",
  "currency",
  "charges",
  "original_amount",
  "original_currency",
  "reference",
  "end_to_end_id",
  "bank_reference",
  "hash",
  "counterparty",
  "remittance",
  "balance",
] as const;
export type CsvField = (typeof csvFields)[number];

const names = z.array(z.string().min(1).max(100)).max(20);

const bookedWords =
  "booked posted completed complete settled cleared success successful succeeded confirmed executed done processed ok gebucht".split(
    " ",
  );
const unbookedWords =
  "pending processing authorized authorised scheduled failed failure fail error declined rejected reverted cancelled canceled expired vorgemerkt".split(
    " ",
  );

/** How a bank writes its CSV: the meaning of each column, and the form of numbers and days. */
export const csvProfileSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9_-]{0,40}$/, "is not a name, such as my-bank"),
  format: z.enum(["csv", "chain_csv"]).default("csv"),
  delimiter: z.enum([",", ";", "\t", "|"]).default(","),
  /** Names of columns, as the header spells them; case and spaces do not matter. */
  columns: z.partialRecord(z.enum(csvFields), names),
  decimal: z.enum([".", ","]).default("."),
  grouping: z.enum(["", ",", ".", " ", "'"]).default(""),
  /** `iso`, `unix_s`, or a pattern such as `DD.MM.YYYY`. */
  dates: z
    .string()
    .refine((format) => dayReader(format) !== null, "is not a date format, such as DD.MM.YYYY")
    .default("YYYY-MM-DD"),
  /** Words in the column `direction`. */
  credit_words: names.default(["credit", "c", "cr", "crdt", "in", "+", "h", "haben"]),
  debit_words: names.default(["debit", "d", "dr", "dbit", "out", "-", "s", "soll"]),
  /** Words in the column `status`: the money moved; it did not, or not yet. */
  booked_words: names.default([...bookedWords]),
  unbooked_words: names.default([...unbookedWords]),
  /** Where no column says so. */
  currency: z
    .string()
    .regex(/^[A-Za-z0-9]{2,12}$/)
    .nullable()
    .default(null),
  bank_account: z.string().min(1).max(100).nullable().default(null),
});

export type CsvProfile = Omit<z.output<typeof csvProfileSchema>, "format"> & {
  readonly format: Extract<ReceiptFormat, "csv" | "chain_csv">;
};

/** Names of columns and words in them, as they are compared. */
export function folded(text: string): string {
  return text
    .replace(/^\uFEFF/, "")
    .trim()
    .toLowerCase()
    .replaceAll(/[\s_]+/g, " ");
}

export function dayReader(format: string) {
  return createTimeReader({ format, zone: "UTC" });
}

/** The usual words for each column. */
const usual: Record<CsvField, string[]> = {
  bank_account: [
    "bank_account",
    "account",
    "iban",
    "account number",
    "auftragskonto",
    "wallet",
    "to",
    "address",
  ],
  booking_date: [
    "booking_date",
    "booking date",
    "date",
    "posted",
    "posting date",
    "buchungstag",
    "transaction date",
  ],
  value_date: ["value_date", "value date", "valuta", "valutadatum", "wertstellung"],
  time: ["time", "timestamp", "block_time", "datetime", "completed_at"],
  amount: ["amount", "betrag", "value", "quantity", "importe", "montant"],
  credit: ["credit", "paid in", "money in", "deposit", "haben"],
  debit: ["debit", "paid out", "money out", "withdrawal", "soll"],
  direction: [
    "direction",
    "debit/credit",
    "credit/debit",
    "soll/haben",
    "dr/cr",
    "cr/dr",
    "d/c",
    "c/d",
    "type",
  ],
  status: ["status", "state", "booking status", "transaction status"],
  currency: ["currency", "asset", "token", "waehrung", "währung", "ccy"],
  charges: ["charges", "bank fee", "fee"],
  original_amount: ["original_amount", "original amount", "instructed amount"],
  original_currency: ["original_currency", "original currency", "instructed currency"],
  reference: ["reference", "payment reference", "customer reference", "kundenreferenz"],
  end_to_end_id: ["end_to_end_id", "end to end id", "endtoendid", "end-to-end reference"],
  bank_reference: ["bank_reference", "bank reference", "transaction id", "id", "fitid"],
  hash: ["hash", "transaction_hash", "tx_hash", "txid", "transaction hash"],
  counterparty: [
    "counterparty",
    "name",
    "payer",
    "from",
    "auftraggeber",
    "beguenstigter/zahlungspflichtiger",
  ],
  remittance: ["remittance", "description", "memo", "details", "narrative", "verwendungszweck", "text"],
  balance: ["balance", "running balance", "saldo"],
};

const profile = (given: z.input<typeof csvProfileSchema>): CsvProfile => csvProfileSchema.parse(given);

/** Read without anything being set up: plain names, in the two ways in which numbers are written. */
export const builtInCsvProfiles: readonly CsvProfile[] = [
  profile({ name: "bank", columns: usual }),
  profile({ name: "bank-us", columns: usual, dates: "MM/DD/YYYY", grouping: "," }),
  profile({ name: "bank-uk", columns: usual, dates: "DD/MM/YYYY", grouping: "," }),
  profile({
    name: "bank-eu",
    columns: usual,
    dates: "DD.MM.YYYY",
    delimiter: ";",
    decimal: ",",
    grouping: ".",
  }),
  profile({ name: "chain", format: "chain_csv", columns: { ...usual, booking_date: [] }, dates: "iso" }),
];
