/**
 * The identity of a record's content. Version 1, for any language:
 *
 *   record_hash = lower-case hex of SHA-256 over the UTF-8 bytes of one JSON object,
 *   canonical (`canonical-json.ts`: no white space, keys sorted, strings escaped as in RFC 8785), with the members
 *     "hashVersion"  the number 1
 *     each field of `TransactionRecord` that is not null: texts as strings, amounts as *strings* of a canonical
 *                    decimal ("0.00202087"), `statusDate` as its canonical instant ("2023-07-28T07:56:42.012Z")
 *     "extra"        the object of unknown fields, left out when it is empty
 *
 * So absent and null are one, and "" differs from both. The word received for a folded status is not part of it.
 */
import { hash } from "node:crypto";
import { emptyObject } from "./canonical-json.ts";
import { type HashedField, hashedFields } from "./record-fields.ts";
import type { TransactionRecord } from "./transaction.ts";

export const hashVersion = 1;

export function recordHash(record: TransactionRecord): string {
  return hash("sha256", recordHashText(record), "hex");
}

/** What is hashed: shown to people who recompute a hash and wonder why theirs differs. */
export function recordHashText(record: TransactionRecord): string {
  let members = "";
  for (const [name, key] of memberKeys) {
    const value = memberOf(record, name);
    if (value !== null) members += members === "" ? key + value : `,${key}${value}`;
  }
  return `{${members}}`;
}

/** The JSON of a field; `null` where it has no value. */
function memberOf(record: TransactionRecord, name: HashedField): string | null {
  if (name === "hashVersion") return String(hashVersion);
  if (name === "extra") return record.extra === emptyObject ? null : record.extra;
  const value = record[name];
  if (value === null) return null;
  // Nearly no text needs escaping, and to look is quicker than to have it written.
  return isPlain.test(value) ? `"${value}"` : JSON.stringify(value);
}

/** No quote, backslash, control character or half of a surrogate pair. */
const isPlain = /^[ !#-[\]-\ud7ff\ue000-\uffff]*$/;

const memberKeys = hashedFields.toSorted().map((name) => [name, `"${name}":`] as const);
