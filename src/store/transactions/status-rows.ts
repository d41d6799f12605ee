import { canonicaliseJson, emptyObject } from "../../core/canonical-json.ts";
import { decimal } from "../../core/decimal.ts";
import { type FieldType, recordFields, statedFields } from "../../core/record-fields.ts";
import type { TransactionRecord } from "../../core/transaction.ts";
import { instantOf } from "../clock-time.ts";
import type { Database, Queryable } from "../database.ts";
import { type KeptRecord, selectRecord } from "./record-columns.ts";

/** A status row as it is kept, read back into the record it was made of. */
export interface StatusRow {
  accountId: number;
  record: TransactionRecord;
  /** Hex, as stored. */
  recordHash: string;
  hashVersion: number;
}

const batchRows = 5_000;

/**
 * Gives `take` every status row, a batch at a time: memory stays small however many there are. One pass
 * over the table in its own order: paging by a key would search every month again for each batch.
 */
export async function readStatusRows(
  database: Database,
  period: { from?: string | undefined; to?: string | undefined },
  take: (rows: readonly StatusRow[]) => void,
): Promise<void> {
  await database.transaction(async (tx) => {
    await tx.query(
      `declare status_rows no scroll cursor for
       select s.account_id,
         ${selectRecord("s")}
       from tieout.transaction_statuses as s
       where ($1::timestamptz is null or s.status_date >= $1)
         and ($2::timestamptz is null or s.status_date < $2)`,
      [period.from ?? null, period.to ?? null],
    );
    const fetch = () => tx.query<KeptRecord & { account_id: number }>(`fetch ${batchRows} from status_rows`);
    let rows = await fetch();
    while (rows.length > 0) {
      // The next batch is on its way while this one is looked at.
      const next = fetch();
      take(rows.map(readRow));
      rows = await next;
    }
  });
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

const fields = statedFields.map((name) => ({ name, ...recordFields[name] }));

function readRow(row: KeptRecord & { account_id: number }): StatusRow {
  const record: Record<string, string | null> = {};
  for (const { name, type, column } of fields) record[name] = readValue(type, row[column]);
  return {
    accountId: row.account_id,
    recordHash: row.record_hash,
    hashVersion: row.hash_version,
    record: record as unknown as TransactionRecord,
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
