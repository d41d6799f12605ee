import { type AccountReader, conditionsFor } from "../conditions.ts";
import type { Queryable } from "../database.ts";
import { type Keyset, type Page, type PageWanted, readPage } from "../keyset.ts";
import { type RecordRow, selectRecordRow } from "./record-columns.ts";

export interface StatusReadRow extends RecordRow {
  received_status: string | null;
  window_id: string;
  is_latest: boolean;
}

export interface TransactionKey {
  accountId: number;
  transactionId: string;
}

const columns = `${selectRecordRow("s")},
       s.received_status, s.window_id::text,
  exists (select from tieout.transactions as t
          where t.account_id = s.account_id and t.transaction_id = s.transaction_id and t.record_hash = s.record_hash)
    as is_latest`;

/** The order that decides which status row is the latest. */
const inOrder: Keyset = {
  keys: [
    { expression: "s.status_date", kind: "time" },
    { expression: "s.status_rank", kind: "integer" },
    { expression: "s.record_hash", kind: "hex" },
  ],
  descending: false,
};

export const statusKeyset = {
  keyset: inOrder,
  positionOf: (row: StatusReadRow) => [row.status_date, String(row.status_rank), row.record_hash],
};

export async function listStatuses(
  reader: AccountReader,
  key: TransactionKey,
  page: PageWanted,
): Promise<Page<StatusReadRow>> {
  const conditions = conditionsFor(reader, "s.account_id");
  conditions.add(`s.account_id = ${conditions.bind(key.accountId)}`);
  conditions.add(`s.transaction_id = ${conditions.bind(key.transactionId)}`);
  const from = "tieout.transaction_statuses as s";
  return readPage(reader.database, { select: columns, from, conditions, keyset: inOrder, page });
}

/** The status rows of several transactions at once, for an expanded list. */
export async function statusesOf(
  reader: AccountReader,
  keys: readonly TransactionKey[],
): Promise<StatusReadRow[]> {
  if (keys.length === 0) return [];
  const conditions = conditionsFor(reader, "s.account_id");
  const accountIds = conditions.bind(keys.map(({ accountId }) => accountId));
  const transactionIds = conditions.bind(keys.map(({ transactionId }) => transactionId));
  conditions.add(
    `(s.account_id, s.transaction_id) in (select * from unnest(${accountIds}::int[], ${transactionIds}::text[]))`,
  );
  return reader.database.query<StatusReadRow & Record<string, unknown>>(
    `select ${columns}
     from tieout.transaction_statuses as s
     where ${conditions.toSql()}
     order by s.account_id, s.transaction_id, s.status_date, s.status_rank, s.record_hash`,
    conditions.values,
  );
}

/** Those of these statuses that no record has, or had. */
export async function listUnseenStatuses(
  database: Queryable,
  statuses: readonly string[],
): Promise<string[]> {
  const rows = await database.query<{ status: string }>(
    `select given.status
     from unnest($1::text[]) with ordinality as given (status, place)
     where not exists (select from tieout.transaction_statuses as held where held.status = given.status)
     order by given.place`,
    [statuses],
  );
  return rows.map(({ status }) => status);
}
