import type { ProfileSource } from "../statement/profile.ts";

/** What the names of the providers' interfaces have nothing for, and exports add: kind of line, and payout. */
export const payoutColumns = {
  line_type: ["lineType", "line_type"],
  payout_ref: ["payoutId", "payout_id", "payout_ref"],
  payout_currency: ["payoutCurrency", "payout_currency"],
  payout_amount: ["payoutAmount", "payout_amount"],
} satisfies ProfileSource["columns"];

/** What exports that name the fiat and the coin cannot do without. */
export const fiatAndCoin = [
  "status",
  "fiat_currency",
  "fiat_amount",
  "asset",
  "crypto_amount",
] satisfies ProfileSource["required"];

/** The same of exports that name what was given and what was received. */
export const bothLegs = [
  "status",
  "from_currency",
  "from_amount",
  "to_currency",
  "to_amount",
] satisfies ProfileSource["required"];

/** Our own words for line types, in both spellings of those above. */
export const lineTypeWords = {
  charge: "charge",
  refund: "refund",
  chargeback: "chargeback",
  chargeback_reversal: "chargeback_reversal",
  chargebackReversal: "chargeback_reversal",
  fee: "fee",
  commission: "commission",
  adjustment: "adjustment",
  reserve: "reserve",
  payout: "payout",
} satisfies ProfileSource["line_types"];

/** One row per order: its id and what kind of row it is. */
export const orderIdentity = {
  mode: "unique",
  columns: ["line_type", "provider_transaction_id"],
} satisfies ProfileSource["identity"];

export const buyAndSell = { buy: "buy", sell: "sell" } as const;
