import { canonicaliseJson, emptyObject } from "../../core/canonical-json.ts";
import { decimal } from "../../core/decimal.ts";
import { type FieldType, recordFields, statedFields } from "../../core/record-fields.ts";
import type { TransactionRecord } from "../../core/transaction.ts";
import { instantOf } from "../clock-time.ts";
import type { Queryable } from "../database.ts";
import { type KeptRecord, selectRecord } from "./record-columns.ts";

/** A status row as it is kept, read back into the record it was made of. */
export interface StatusRow {
  accountId: number;
  record: TransactionRecord;
  /** Hex, as stored. */
  recordHash: string;
  hashVersion: number;
}

export interface StatusRowPosition {
  accountId: number;
  transactionId: string;
  recordHash: string;
}

/** Status rows in the order of their key, a batch at a time: memory stays small however many there are. */
export async function listStatusRows(
  database: Queryable,
  options: {
    after: StatusRowPosition | null;
    limit: number;
    from?: string | undefined;
    to?: string | undefined;
  },
): Promise<StatusRow[]> {
  const { after, limit, from, to } = options;
  const rows = await database.query<KeptRecord & { account_id: number }>(
    `select s.account_id,
       ${selectRecord("s")}
     from tieout.transaction_statuses as s
     where (account_id, transaction_id, record_hash) > ($1, $2, $3::bytea)
       and ($5::timestamptz is null or status_date >= $5)
       and ($6::timestamptz is null or status_date < $6)
     order by account_id, transaction_id, record_hash
     limit $4`,
    [
      after?.accountId ?? 0,
      after?.transactionId ?? "",
      `\\x${after?.recordHash ?? ""}`,
      limit,
      from ?? null,
      to ?? null,
    ],
    "list_status_rows",
  );
  return rows.map(readRow);
}

/** All status rows of these transactions, each with its date as the database writes it. */
export async function listStatusRowsOf(
  database: Queryable,
  accountId: number,
  transactionIds: readonly string[],
): Promise<(StatusRow & { statusDate: string })[]> {
  const rows = await database.query<KeptRecord & { account_id: number }>(
    `select s.account_id,
       ${selectRecord("s")}
     from tieout.transaction_statuses as s
     where s.account_id = $1 and s.transaction_id = any($2)
     order by s.transaction_id, s.status_date, s.record_hash`,
    [accountId, transactionIds],
  );
  return rows.map((row) => ({ ...readRow(row), statusDate: row.status_date }));
}

function readRow(row: KeptRecord & { account_id: number }): StatusRow {
  return {
    accountId: row.account_id,
    recordHash: row.record_hash,
    hashVersion: row.hash_version,
    record: Object.fromEntries(
      statedFields.map((name) => [name, readValue(recordFields[name].type, row[recordFields[name].column])]),
    ) as TransactionRecord,
  };
}

function readValue(type: FieldType, text: string | null): string | null {
  if (type === "json") return text === null ? emptyObject : readJson(text);
  if (text === null) return null;
  if (type === "decimal") return decimal(text);
  return type === "instant" ? instantOf(text) : text;
}

/** jsonb keeps every digit but not the order of keys; made canonical again, it is what was hashed. */
function readJson(text: string): string {
  return canonicaliseJson(text) ?? text;
}
