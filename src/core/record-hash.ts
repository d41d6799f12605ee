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
import { createHash } from "node:crypto";
import { canonicalString, emptyObject } from "./canonical-json.ts";
import type { TransactionRecord } from "./transaction.ts";

export const hashVersion = 1;

export function recordHash(record: TransactionRecord): string {
  return createHash("sha256").update(recordHashText(record)).digest("hex");
}

/** What is hashed: shown to whoever recomputes a hash and wonders why theirs differs. */
export function recordHashText(record: TransactionRecord): string {
  const members: string[] = [];
  for (const name of memberNames) {
    if (name === "hashVersion") members.push(`"hashVersion":${hashVersion}`);
    else if (name === "extra") {
      if (record.extra !== emptyObject) members.push(`"extra":${record.extra}`);
    } else {
      const value = record[name];
      if (value !== null) members.push(`"${name}":${canonicalString(value)}`);
    }
  }
  return `{${members.join(",")}}`;
}

// A record of this type has each field exactly once, so a field added to `TransactionRecord` cannot be forgotten here.
const memberOf: Record<keyof TransactionRecord | "hashVersion", true> = {
  apiKey: true,
  country: true,
  extra: true,
  hashVersion: true,
  inAmount: true,
  outAmount: true,
  paymentMethod: true,
  provider: true,
  providerTransactionId: true,
  sourceCurrency: true,
  status: true,
  statusDate: true,
  targetCurrency: true,
  transactionHash: true,
  transactionId: true,
  transactionType: true,
  walletAddress: true,
};
const memberNames = (Object.keys(memberOf) as (keyof typeof memberOf)[]).toSorted();
