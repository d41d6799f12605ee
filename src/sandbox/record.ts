import type { Decimal } from "../core/decimal.ts";

/** The statuses the sandbox's transactions run through. */
export type SandboxStatus = "new" | "pending" | "paid" | "completed" | "failed" | "canceled";

/** The specification's "Transaction record"; amounts are exact until they are written. */
export interface SandboxRecord {
  readonly apiKey: string;
  /** Lower case. */
  readonly country: string;
  readonly inAmount: Decimal;
  readonly outAmount: Decimal;
  readonly onramp: string;
  readonly onrampTransactionId: string;
  readonly paymentMethod: string;
  /** Lower case. */
  readonly sourceCurrency: string;
  /** Lower case. */
  readonly targetCurrency: string;
  readonly status: string;
  /** ISO 8601 with milliseconds and `Z`. */
  readonly statusDate: string;
  readonly transactionId: string;
  readonly transactionType: "buy" | "sell";
  /** Empty until there is one. */
  readonly transactionHash: string;
  readonly walletAddress: string;
  /** Only when the sandbox was told to send more than the specification shows. */
  readonly partnerContext?: string;
}

/** The record's JSON. Written by hand, because an amount is a number literal and must keep every digit. */
export function writeRecord(record: SandboxRecord): string {
  const text = JSON.stringify;
  return (
    `{"apiKey":${text(record.apiKey)},"country":${text(record.country)},"inAmount":${record.inAmount},` +
    `"outAmount":${record.outAmount},"onramp":${text(record.onramp)},` +
    `"onrampTransactionId":${text(record.onrampTransactionId)},"paymentMethod":${text(record.paymentMethod)},` +
    `"sourceCurrency":${text(record.sourceCurrency)},"targetCurrency":${text(record.targetCurrency)},` +
    `"status":${text(record.status)},"statusDate":${text(record.statusDate)},` +
    `"transactionId":${text(record.transactionId)},"transactionType":${text(record.transactionType)},` +
    `"transactionHash":${text(record.transactionHash)},"walletAddress":${text(record.walletAddress)}` +
    (record.partnerContext === undefined ? "}" : `,"partnerContext":${text(record.partnerContext)}}`)
  );
}
