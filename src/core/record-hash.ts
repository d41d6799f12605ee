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

/** What is hashed: shown to whoever recomputes a hash and wonders why theirs differs. */
export function recordHashText(record: TransactionRecord): string {
  const { extra } = record;
  const before = membersOf(record, beforeExtra);
  const after = membersOf(record, afterExtra);
  const members = extra === emptyObject ? [before, after] : [before, `"extra":${extra}`, after];
  return `{${members.filter((text) => text !== "").join(",")}}`;
}

/** Written in one go, because that is quicker than field by field; a field without a value is left out. */
function membersOf(record: TransactionRecord, names: readonly Member[]): string {
  const members: Partial<Record<Member, string | number>> = {};
  for (const name of names) {
    const value = name === "hashVersion" ? hashVersion : record[name];
    if (value !== null) members[name] = value;
  }
  return JSON.stringify(members).slice(1, -1);
}

type Member = Exclude<HashedField, "extra">;
const memberNames = hashedFields.filter((name): name is Member => name !== "extra").toSorted();
const beforeExtra = memberNames.filter((name) => name < "extra");
const afterExtra = memberNames.filter((name) => name > "extra");
