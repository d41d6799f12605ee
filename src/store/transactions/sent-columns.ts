import { emptyObject } from "../../core/canonical-json.ts";
import { type RecordField, recordFields } from "../../core/record-fields.ts";
import { statusRank } from "../../core/status.ts";
import type { TransactionRecord } from "../../core/transaction.ts";
import { postgresTypes } from "./record-columns.ts";

/** A record of a page, on its way into the database. */
export interface SentRow {
  windowId: number;
  record: TransactionRecord;
  /** Hex. */
  recordHash: string;
  hashVersion: number;
  /** The word received, where it was folded into another. */
  receivedStatus: string | null;
}

interface SentColumn {
  column: string;
  type: string;
  of: (row: SentRow) => unknown;
}

/**
 * What is sent of each row: an array for each column. Postgres takes rows of JSON objects too, and spends a third of the
 * whole statement on reading them.
 */
export const sentColumns: readonly SentColumn[] = [
  { column: "window_id", type: "bigint", of: ({ windowId }) => windowId },
  ...(Object.keys(recordFields) as RecordField[]).map(sentColumn),
  { column: "received_status", type: "text", of: ({ receivedStatus }) => receivedStatus },
];

function sentColumn(field: RecordField): SentColumn {
  const { column, type } = recordFields[field];
  return { column, type: postgresTypes[type], of: valueOf(field) };
}

function valueOf(field: RecordField): SentColumn["of"] {
  switch (field) {
    case "recordHash":
      return ({ recordHash }) => `\\x${recordHash}`;
    case "hashVersion":
      return ({ hashVersion }) => hashVersion;
    case "statusRank":
      return ({ record }) => statusRank(record.status);
    case "extra":
      return ({ record }) => (record.extra === emptyObject ? null : record.extra);
    default:
      return ({ record }) => record[field];
  }
}
