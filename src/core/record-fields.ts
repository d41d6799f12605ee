import type { CanonicalJson } from "./canonical-json.ts";
import type { Decimal } from "./decimal.ts";
import type { Instant } from "./instant.ts";

/** The type of a field, and what holds its value in this program. */
interface ValueTypes {
  text: string;
  instant: Instant;
  decimal: Decimal;
  /** One object, never null: without members it is `{}` here and null in the tables. */
  json: CanonicalJson;
  /** Hex. */
  sha256: string;
  smallint: number;
}

export type FieldType = keyof ValueTypes;

interface Field {
  /** In `transactions` and in `transaction_statuses`. */
  column: string;
  type: FieldType;
  /** Whether the column is not null. */
  required: boolean;
  /** Whether it is a member of the text that `record-hash.ts` hashes. */
  hashed: boolean;
}

/**
 * Everything that is kept of a record, by the name each field has in this program, in the order in which people read them. What
 * writes, reads, hashes, mirrors and reports records takes its fields from here.
 */
export const recordFields = {
  /** Opaque: never validated, never case-folded. */
  transactionId: { column: "transaction_id", type: "text", required: true, hashed: true },
  recordHash: { column: "record_hash", type: "sha256", required: true, hashed: false },
  /** Hashed with the record, though the record does not state it. */
  hashVersion: { column: "hash_version", type: "smallint", required: true, hashed: true },
  /** Folded (`status.ts`); a word we do not know is kept as received. */
  status: { column: "status", type: "text", required: true, hashed: true },
  /** Follows from the status (`status.ts`). */
  statusRank: { column: "status_rank", type: "smallint", required: true, hashed: false },
  /** The aggregator's time of this status, not of the transaction's creation, and not of our reading. */
  statusDate: { column: "status_date", type: "instant", required: true, hashed: true },
  /** `buy` or `sell`; another word is kept as received. */
  transactionType: { column: "transaction_type", type: "text", required: false, hashed: true },
  /** The aggregator's `onramp`. */
  provider: { column: "provider", type: "text", required: false, hashed: true },
  providerTransactionId: { column: "provider_transaction_id", type: "text", required: false, hashed: true },
  paymentMethod: { column: "payment_method", type: "text", required: false, hashed: true },
  country: { column: "country", type: "text", required: false, hashed: true },
  /** What the customer gives. */
  sourceCurrency: { column: "source_currency", type: "text", required: false, hashed: true },
  inAmount: { column: "in_amount", type: "decimal", required: false, hashed: true },
  /** What the customer gets; before `completed` often an estimate or 0. */
  targetCurrency: { column: "target_currency", type: "text", required: false, hashed: true },
  outAmount: { column: "out_amount", type: "decimal", required: false, hashed: true },
  /** The chain's hash as received; empty until one exists. */
  transactionHash: { column: "transaction_hash", type: "text", required: false, hashed: true },
  walletAddress: { column: "wallet_address", type: "text", required: false, hashed: true },
  /** The key identifier of the owning account, as the record states it. */
  apiKey: { column: "api_key", type: "text", required: false, hashed: true },
  /** Every field we do not know, as one JSON object. */
  extra: { column: "extra", type: "json", required: false, hashed: true },
} as const satisfies Record<string, Field>;

export type RecordField = keyof typeof recordFields;
type FieldOf<Name extends RecordField> = (typeof recordFields)[Name];

export type HashedField = {
  [Name in RecordField]: FieldOf<Name>["hashed"] extends true ? Name : never;
}[RecordField];

/** What the record itself states. */
export type StatedField = Exclude<HashedField, "hashVersion">;

/** What it states beside which transaction it is about, how far that has come, and what we do not know. */
export type DetailField = Exclude<StatedField, "transactionId" | "status" | "statusDate" | "extra">;

export type RecordColumn<Name extends RecordField = RecordField> = FieldOf<Name>["column"];

export type FieldValue<Name extends RecordField> =
  FieldOf<Name> extends { required: true } | { type: "json" }
    ? ValueTypes[FieldOf<Name>["type"]]
    : ValueTypes[FieldOf<Name>["type"]] | null;

const fieldNames = Object.keys(recordFields) as RecordField[];

/** In the order of the table above, like the lists below. */
export const recordColumns: readonly RecordColumn[] = fieldNames.map((name) => recordFields[name].column);

export const hashedFields = fieldNames.filter((name): name is HashedField => recordFields[name].hashed);

export const statedFields = hashedFields.filter((name): name is StatedField => name !== "hashVersion");

const headings = new Set<StatedField>(["transactionId", "status", "statusDate", "extra"]);

export const detailFields = statedFields.filter((name): name is DetailField => !headings.has(name));

export const detailColumns = detailFields.map((name) => recordFields[name].column);
