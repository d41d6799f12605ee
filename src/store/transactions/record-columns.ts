/** What both tables of records hold, as the API reads it: times and exact numbers as the database's own text. */
export interface RecordRow {
  account_id: number;
  account: string;
  transaction_id: string;
  record_hash: string;
  hash_version: number;
  status: string;
  status_date: string;
  transaction_type: string | null;
  provider: string | null;
  provider_transaction_id: string | null;
  payment_method: string | null;
  country: string | null;
  source_currency: string | null;
  in_amount: string | null;
  target_currency: string | null;
  out_amount: string | null;
  transaction_hash: string | null;
  wallet_address: string | null;
  api_key: string | null;
  /** JSON text: parsing it would round long numbers. */
  extra: string | null;
  first_seen_at: string;
}

export function recordColumns(table: string): string {
  const plain = [
    "account_id",
    "transaction_id",
    "hash_version",
    "status",
    "transaction_type",
    "provider",
    "provider_transaction_id",
    "payment_method",
    "country",
    "source_currency",
    "in_amount",
    "target_currency",
    "out_amount",
    "transaction_hash",
    "wallet_address",
    "api_key",
  ];
  return [
    ...plain.map((column) => `${table}.${column}`),
    accountName(table),
    `encode(${table}.record_hash, 'hex') as record_hash`,
    `${table}.status_date::text`,
    `${table}.first_seen_at::text`,
    `${table}.extra::text`,
  ].join(", ");
}

/** A look-up in the select list rather than a join: it cannot tempt the planner away from the order of the index. */
export function accountName(table: string): string {
  return `(select a.name from tieout.accounts as a where a.id = ${table}.account_id) as account`;
}
