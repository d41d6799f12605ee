import type { CanonicalJson } from "./canonical-json.ts";
import type { Decimal } from "./decimal.ts";
import type { Instant } from "./instant.ts";

/**
 * One transaction record, normalised: whatever spelling it came in, equal records are equal here. Texts are as
 * received (`""` stays `""`); a field that was absent is `null`, as is one that was null.
 */
export interface TransactionRecord {
  /** Opaque: never validated, never case-folded. */
  readonly transactionId: string;
  /** Folded (`status.ts`); a word we do not know is kept as received. */
  readonly status: string;
  /** The aggregator's time of this status, not of the transaction's creation, and not of our reading. */
  readonly statusDate: Instant;
  /** `buy` or `sell`; another word is kept as received. */
  readonly transactionType: string | null;
  /** The aggregator's `onramp`. */
  readonly provider: string | null;
  readonly providerTransactionId: string | null;
  readonly paymentMethod: string | null;
  readonly country: string | null;
  /** What the customer gives. */
  readonly sourceCurrency: string | null;
  readonly inAmount: Decimal | null;
  /** What the customer gets; before `completed` often an estimate or 0. */
  readonly targetCurrency: string | null;
  readonly outAmount: Decimal | null;
  /** The chain's hash as received; empty until one exists. */
  readonly transactionHash: string | null;
  readonly walletAddress: string | null;
  /** The key identifier of the owning account, as the record states it. */
  readonly apiKey: string | null;
  /** Every field we do not know, as one JSON object; `{}` when there is none. */
  readonly extra: CanonicalJson;
}
