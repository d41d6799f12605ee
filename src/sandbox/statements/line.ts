import { decimalFromUnits, divideDecimals, zero, type Decimal } from "../../core/decimal.ts";
import type { Asset, Fiat } from "../world/types.ts";

/** One row of a provider's statement before it is written in that provider's columns. Amounts in smallest units. */
export interface StatementLine {
  readonly kind: LineKind;
  /** The provider's own id. */
  readonly providerTransactionId: string;
  /** Our reference, where the provider keeps one. */
  readonly reference: string;
  readonly side: "buy" | "sell";
  /** In the provider's words. */
  readonly status: string;
  readonly fiat: Fiat;
  readonly gross: bigint;
  /** What is exchanged on a buy, what the customer gets on a sell: gross less both fees. */
  readonly net: bigint;
  /** Our share is inside. */
  readonly processingFee: bigint;
  readonly networkFee: bigint;
  readonly networkFeeUsd: Decimal;
  readonly partnerFee: bigint;
  readonly asset: Asset;
  readonly crypto: bigint;
  readonly hash: string;
  readonly address: string;
  readonly createdMs: number;
  readonly effectiveMs: number;
  /** The transfer it belongs to; for a payout line, its own. */
  readonly payoutId: string;
  /** Of payout lines only. */
  readonly payoutAmount: bigint | null;
  /** Of balance lines only: what is owed at their time. */
  readonly balance: bigint | null;
}

export type LineKind = "charge" | "refund" | "chargeback" | "chargeback_reversal" | "payout" | "balance";

/** What the line adds to what we are owed: our share, taken back where the customer's money went back. */
export function owed({ kind, partnerFee }: StatementLine): bigint {
  if (kind === "payout" || kind === "balance") return 0n;
  return kind === "refund" || kind === "chargeback" ? -partnerFee : partnerFee;
}

export function fiatText({ fiat }: StatementLine, minor: bigint): string {
  return decimalFromUnits(minor, fiat.minorUnits);
}

export function cryptoText({ asset, crypto }: StatementLine): string {
  return decimalFromUnits(crypto, asset.decimals);
}

/** Coins for one unit of fiat, after fees. */
export function cryptoPerFiat(line: StatementLine): Decimal {
  return ratio(
    decimalFromUnits(line.crypto, line.asset.decimals),
    decimalFromUnits(line.net, line.fiat.minorUnits),
  );
}

/** Fiat for one coin, after fees. */
export function fiatPerCrypto(line: StatementLine): Decimal {
  return ratio(
    decimalFromUnits(line.net, line.fiat.minorUnits),
    decimalFromUnits(line.crypto, line.asset.decimals),
  );
}

function ratio(a: Decimal, b: Decimal): Decimal {
  return b === zero ? zero : divideDecimals(a, b, { places: 18 });
}
