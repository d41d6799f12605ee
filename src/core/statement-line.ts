import type { Decimal } from "./decimal.ts";
import type { Instant } from "./instant.ts";

/**
 * What a line is: a charge settles one transaction, a payout is the transfer itself, a balance states what is owed at its
 * time and a commission total what was earned in its month, and neither moves anything; the others may relate to a
 * transaction.
 */
export const lineTypes = [
  "charge",
  "refund",
  "chargeback",
  "chargeback_reversal",
  "fee",
  "commission",
  "adjustment",
  "reserve",
  "payout",
  "balance",
  "commission_total",
] as const;
export type LineType = (typeof lineTypes)[number];

/** Whether a line only states a figure that the other lines must come to. */
export function isStated(type: LineType | null): boolean {
  return type === "balance" || type === "commission_total";
}

/** Whether a line tells of something that happened to what is owed: a payout settles it, and others only state it. */
export function isActivity(type: LineType): boolean {
  return type !== "payout" && !isStated(type);
}

/** The providers' words, folded: each provider has its own, and a word that no map has is `unknown`, never an error. */
export const lineStatuses = [
  "created",
  "awaiting_payment",
  "processing",
  "captured",
  "delivering",
  "settled",
  "canceled",
  "expired",
  "failed",
  "on_hold",
  "refunded",
  "charged_back",
  "unknown",
] as const;
export type LineStatus = (typeof lineStatuses)[number];

/** Whether a line with this status says that money moved, as `tieout.moved_money` has it. */
export function movedMoney(status: LineStatus): boolean {
  return !still.has(status);
}

const still: ReadonlySet<LineStatus> = new Set([
  "created",
  "awaiting_payment",
  "processing",
  "canceled",
  "expired",
  "failed",
]);

/** One row of a provider's statement, read: typed, in major units, in UTC, in our words. */
export interface StatementLine {
  readonly lineType: LineType;
  readonly side: "buy" | "sell" | null;
  readonly providerStatus: string | null;
  readonly status: LineStatus;
  readonly providerTransactionId: string | null;
  readonly ourReference: string | null;
  readonly payoutRef: string | null;
  /** ISO 4217, upper case. */
  readonly fiatCurrency: string | null;
  /** Before fees: what the customer of a buy pays. */
  readonly fiatGross: Decimal | null;
  /** After fees: what the customer of a sell gets. `null` when the file does not tell. */
  readonly fiatNet: Decimal | null;
  /** Lower case. */
  readonly asset: string | null;
  readonly network: string | null;
  readonly cryptoAmount: Decimal | null;
  readonly feeTotal: Decimal | null;
  readonly feeProcessing: Decimal | null;
  readonly feeNetwork: Decimal | null;
  readonly feePartner: Decimal | null;
  readonly feeCurrency: string | null;
  readonly rate: Decimal | null;
  /** Which way the rate is quoted; of a payout, between its currency and that of its lines. `null`: not known. */
  readonly rateBasis: "crypto_per_fiat" | "fiat_per_crypto" | "payout_per_line" | "line_per_payout" | null;
  /** The fiat amount that the rate turns into the crypto amount; `market` into neither. `null`: either may fit. */
  readonly rateAppliesTo: "net" | "gross" | "market" | null;
  /** Signed: positive is owed to us. Of a payout, the net that it declares; of a balance, what it states. */
  readonly netAmount: Decimal;
  readonly netCurrency: string | null;
  readonly category: string | null;
  readonly transactionHash: string | null;
  readonly walletAddress: string | null;
  readonly addressTag: string | null;
  readonly createdAt: Instant | null;
  readonly effectiveAt: Instant;
}
