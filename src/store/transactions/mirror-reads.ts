import { type DetailField, detailFields, recordFields } from "../../core/record-fields.ts";
import { type AccountReader, conditionsFor } from "../conditions.ts";
import { type Keyset, type Page, type PageWanted, readPage } from "../keyset.ts";

/** A status row, made into the record it was made of: all of it but the status date, which its reader spells. */
export interface MirrorRow {
  status_date: string;
  transaction_id: string;
  record_hash: string;
  /** JSON text that ends with `}` and lacks its beginning, `{"statusDate":…,`. */
  record: string;
}

export interface MirrorFilters {
  from: string | null;
  to: string | null;
  transactionIds: readonly string[] | null;
}

const inOrder: Keyset = {
  keys: [
    { expression: "s.status_date", kind: "time" },
    { expression: "s.transaction_id", kind: "text" },
    { expression: "s.record_hash", kind: "hex" },
  ],
  descending: false,
};

export const mirrorKeyset = {
  keyset: inOrder,
  positionOf: (row: MirrorRow) => [row.status_date, row.transaction_id, row.record_hash],
};

/** The aggregator's word for a field, where ours is another. */
const aggregatorNames: Partial<Record<DetailField, string>> = {
  provider: "onramp",
  providerTransactionId: "onrampTransactionId",
};

export function mirroredName(field: DetailField): string {
  return aggregatorNames[field] ?? field;
}

// The database writes the record: one text to send instead of twenty values to read and write again. A member whose
// value is null vanishes with its name, because absent and null are one; digits and unknown fields are as received.
const columns = `s.status_date::text, s.transaction_id, encode(s.record_hash, 'hex') as record_hash,
  concat(
    '"transactionId":', to_json(s.transaction_id),
    ',"status":', to_json(coalesce(s.received_status, s.status)),
    ${detailFields.map(member).join(",\n    ")},
    coalesce(',' || substr(s.extra::text, 2), '}')
  ) as record`;

function member(field: DetailField): string {
  const { column, type } = recordFields[field];
  const value = type === "decimal" ? `s.${column}` : `to_json(s.${column})::text`;
  return `',"${mirroredName(field)}":' || ${value}`;
}

const from = "tieout.transaction_statuses as s";

/** The one account that the reader stands for, as the aggregator's key does; `null` when there are several. */
export async function mirroredAccount(reader: AccountReader): Promise<number | null> {
  if (reader.accountIds?.length === 1) return reader.accountIds[0] ?? null;
  const conditions = conditionsFor(reader, "a.id");
  const rows = await reader.database.query<{ id: number }>(
    `select a.id from tieout.accounts as a where ${conditions.toSql()} limit 2`,
    conditions.values,
  );
  return rows.length === 1 ? (rows[0]?.id ?? null) : null;
}

export async function listMirrored(
  reader: AccountReader,
  filters: MirrorFilters,
  page: PageWanted,
): Promise<Page<MirrorRow>> {
  const conditions = conditionsFor(reader, "s.account_id");
  if (filters.from !== null) conditions.add(`s.status_date >= ${conditions.bind(filters.from)}::timestamptz`);
  if (filters.to !== null) conditions.add(`s.status_date < ${conditions.bind(filters.to)}::timestamptz`);
  if (filters.transactionIds !== null) {
    conditions.add(`s.transaction_id = any(${conditions.bind(filters.transactionIds)}::text[])`);
  }
  return readPage(reader.database, {
    select: columns,
    from,
    conditions,
    keyset: inOrder,
    page,
    planOnce: true,
  });
}

/** The latest record of one transaction. */
export async function findMirrored(reader: AccountReader, transactionId: string): Promise<MirrorRow | null> {
  const conditions = conditionsFor(reader, "s.account_id");
  conditions.add(`s.transaction_id = ${conditions.bind(transactionId)}`);
  const [row] = await reader.database.query<MirrorRow & Record<string, unknown>>(
    `select ${columns}
     from ${from}
     where ${conditions.toSql()}
     order by s.status_date desc, s.status_rank desc, s.record_hash desc
     limit 1`,
    conditions.values,
  );
  return row ?? null;
}
