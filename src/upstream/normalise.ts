/**
 * A record as the aggregator spelled it, made into a `TransactionRecord`. Aliases, letter case of keys, buy and onramp
 * and the spelling of numbers are resolved here, before hashing: a record read from the list and the same record read
 * singly must be one status row. A record that cannot be understood is a value, not an error: the page goes on.
 */
import type { CanonicalJson } from "../core/canonical-json.ts";
import { canonicaliseJson, emptyObject } from "../core/canonical-json.ts";
import type { Decimal } from "../core/decimal.ts";
import { parseInstant } from "../core/instant.ts";
import { foldStatus } from "../core/status.ts";
import type { TransactionRecord } from "../core/transaction.ts";
import { decimalFromWire, numberText, writeExactJson } from "./exact-json.ts";
import { isTooDeep } from "./nesting.ts";
import { isFilled, type NamedField, sortFields, specifiedName } from "./field-names.ts";

type RejectionReason =
  | "not_an_object"
  | "transaction_id_missing"
  | "status_missing"
  | "status_date_missing"
  | "status_date_not_an_instant"
  | "amount_not_a_decimal"
  | "nested_too_deep"
  | "text_not_storable"
  | "number_out_of_range";

export interface NormalisedRecord {
  readonly kind: "record";
  readonly record: TransactionRecord;
  /** The status word as received; kept beside the record, outside its hash. */
  readonly receivedStatus: string;
}

export interface Rejection {
  readonly kind: "rejection";
  readonly reason: RejectionReason;
  /** The field at fault, in the specification's spelling; `null` when it is the record as a whole. */
  readonly field: string | null;
  /** Of the transaction, if it can be read: one that is served in an unreadable form has not vanished. */
  readonly transactionId: string | null;
  /** The record as JSON text, digits as received. */
  readonly raw: string;
}

export type RecordOutcome = NormalisedRecord | Rejection;

export function normalisePage(rawRecords: readonly unknown[]): {
  records: NormalisedRecord[];
  rejections: Rejection[];
} {
  const records: NormalisedRecord[] = [];
  const rejections: Rejection[] = [];
  for (const raw of rawRecords) {
    const outcome = normaliseRecord(raw);
    if (outcome.kind === "record") records.push(outcome);
    else rejections.push(outcome);
  }
  return { records, rejections };
}

export function normaliseRecord(raw: unknown): RecordOutcome {
  const reject = (reason: RejectionReason, field: string | null = null): Rejection => ({
    kind: "rejection",
    reason,
    field,
    transactionId: readId(raw),
    raw: writeExactJson(raw),
  });
  if (!isPlainObject(raw)) return reject("not_an_object");
  if (isTooDeep(raw)) return reject("nested_too_deep");
  const unstorable = findUnstorable(raw);
  if (unstorable !== null) return reject("text_not_storable", unstorable);

  const { known, extra } = sortFields(raw);
  // A known text field that holds an object, a list or a boolean: null in its place, and the value kept in `extra`.
  const text = (field: NamedField): string | null => {
    const value = known(field) ?? null;
    if (value === null || typeof value === "string") return value;
    const digits = numberText(value);
    if (digits === null) extra.set(specifiedName(field), value);
    return digits;
  };

  const transactionId = text("transactionId");
  if (!transactionId) return reject("transaction_id_missing", "transactionId");
  const receivedStatus = text("status");
  if (!receivedStatus) return reject("status_missing", "status");
  const receivedDate = text("statusDate");
  if (!receivedDate) return reject("status_date_missing", "statusDate");
  const statusDate = parseInstant(receivedDate);
  if (statusDate === null) return reject("status_date_not_an_instant", "statusDate");
  const inAmount = readAmount(known("inAmount"));
  if (inAmount === "not_a_decimal") return reject("amount_not_a_decimal", "inAmount");
  const outAmount = readAmount(known("outAmount"));
  if (outAmount === "not_a_decimal") return reject("amount_not_a_decimal", "outAmount");

  const record = {
    transactionId,
    status: foldStatus(receivedStatus),
    statusDate,
    transactionType: foldType(text("transactionType")),
    provider: text("provider"),
    providerTransactionId: text("providerTransactionId"),
    paymentMethod: text("paymentMethod"),
    country: text("country"),
    sourceCurrency: text("sourceCurrency"),
    inAmount,
    targetCurrency: text("targetCurrency"),
    outAmount,
    transactionHash: text("transactionHash"),
    walletAddress: text("walletAddress"),
    apiKey: text("apiKey"),
  };
  const extraJson = writeExtra(extra, receivedDate);
  if (extraJson === null) return reject("number_out_of_range");
  return { kind: "record", record: { ...record, extra: extraJson }, receivedStatus };
}

function readId(raw: unknown): string | null {
  if (!isPlainObject(raw)) return null;
  const id = sortFields(raw).known("transactionId");
  return (typeof id === "string" ? id : numberText(id)) || null;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) && numberText(value) === null;
}

/** The first field of the record, by name, that holds a text which could not be stored. */
function findUnstorable(record: Record<string, unknown>): string | null {
  for (const field of Object.keys(record)) {
    if (isUnstorable(field)) return JSON.stringify(field).slice(1, -1);
    if (holdsUnstorable(record[field])) return field;
  }
  return null;
}

function holdsUnstorable(value: unknown): boolean {
  if (typeof value === "string") return isUnstorable(value);
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, inner]) => isUnstorable(key) || holdsUnstorable(inner));
}

// Postgres stores no NUL in a text, and a lone half of a surrogate pair has no UTF-8: neither could be kept or hashed.
export function isUnstorable(text: string): boolean {
  return text.includes("\0") || !text.isWellFormed();
}

function readAmount(value: unknown): Decimal | null | "not_a_decimal" {
  return isFilled(value) ? (decimalFromWire(value) ?? "not_a_decimal") : null;
}

function foldType(word: string | null): string | null {
  const lower = word?.toLowerCase();
  if (lower === "buy" || lower === "onramp") return "buy";
  if (lower === "sell" || lower === "offramp") return "sell";
  return word;
}

/** The unknown fields as one JSON object; `null` when a number in it has more digits than we could store. */
function writeExtra(extra: ReadonlyMap<string, unknown>, statusDate: string): CanonicalJson | null {
  const members: [string, unknown][] = [];
  for (const [field, value] of extra) {
    // Absent and null are one. `sk` is a sort key that some answers carry: the status date once more, and no news.
    if (value === null || (field === "sk" && value === statusDate)) continue;
    members.push([field, field === "partnerFee" ? (decimalFromWire(value) ?? value) : value]);
  }
  if (members.length === 0) return emptyObject;
  return canonicaliseJson(`{${members.map(([k, v]) => `${JSON.stringify(k)}:${writeExactJson(v)}`).join()}}`);
}
