import { createHash } from "node:crypto";
import { hashVersion, recordHash } from "../core/record-hash.ts";
import { normalisePage, type NormalisedRecord, type Rejection } from "../upstream/normalise.ts";
import type { HashedRecord, RejectedRecord } from "../store/transactions/record-page.ts";

/** Raw records, made into what the store keeps: records with their hashes, and what could not be understood. */
export function preparePage(rawRecords: readonly unknown[]): {
  records: HashedRecord[];
  rejections: RejectedRecord[];
  /** Ids of transactions that are there but could not be understood. */
  rejectedIds: string[];
} {
  const { records, rejections } = normalisePage(rawRecords);
  return {
    records: records.map(hashRecord),
    rejections: rejections.map(rejectRecord),
    rejectedIds: rejections.flatMap(({ transactionId }) => transactionId ?? []),
  };
}

export function hashRecord({ record, receivedStatus }: NormalisedRecord): HashedRecord {
  return {
    record,
    recordHash: recordHash(record),
    hashVersion,
    receivedStatus: receivedStatus === record.status ? null : receivedStatus,
  };
}

export function rejectRecord({
  reason,
  field,
  raw,
}: Pick<Rejection, "field" | "raw"> & { reason: string }): RejectedRecord {
  // Postgres keeps no NUL in a text, and a lone half of a surrogate pair has no UTF-8; a reader still sees which they were.
  const storable = Buffer.from(raw.replaceAll("\u0000", String.raw`\u0000`), "utf8").toString("utf8");
  return { reason, field, raw: storable, rawHash: createHash("sha256").update(storable).digest("hex") };
}
