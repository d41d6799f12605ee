import { canonicaliseJson, type CanonicalJson, emptyObject } from "../../core/canonical-json.ts";
import { decimal } from "../../core/decimal.ts";
import { parseInstant } from "../../core/instant.ts";
import type { TransactionRecord } from "../../core/transaction.ts";
import type { Queryable } from "../database.ts";

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

interface RawRow {
  account_id: number;
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
  extra: string | null;
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
  const rows = await database.query<RawRow>(
    `select account_id, transaction_id, encode(record_hash, 'hex') as record_hash, hash_version, status,
            to_char(status_date at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as status_date,
            transaction_type, provider, provider_transaction_id, payment_method, country, source_currency,
            in_amount::text, target_currency, out_amount::text, transaction_hash, wallet_address, api_key, extra::text
     from tieout.transaction_statuses
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

function readRow(row: RawRow): StatusRow {
  const statusDate = parseInstant(row.status_date);
  if (statusDate === null) throw new Error(`status date of ${row.transaction_id} cannot be read back`);
  return {
    accountId: row.account_id,
    recordHash: row.record_hash,
    hashVersion: row.hash_version,
    record: {
      transactionId: row.transaction_id,
      status: row.status,
      statusDate,
      transactionType: row.transaction_type,
      provider: row.provider,
      providerTransactionId: row.provider_transaction_id,
      paymentMethod: row.payment_method,
      country: row.country,
      sourceCurrency: row.source_currency,
      inAmount: row.in_amount === null ? null : decimal(row.in_amount),
      targetCurrency: row.target_currency,
      outAmount: row.out_amount === null ? null : decimal(row.out_amount),
      transactionHash: row.transaction_hash,
      walletAddress: row.wallet_address,
      apiKey: row.api_key,
      extra: readExtra(row.extra),
    },
  };
}

/** jsonb keeps every digit but not the order of keys; made canonical again, it is what was hashed. */
function readExtra(text: string | null): CanonicalJson {
  if (text === null) return emptyObject;
  return canonicaliseJson(text) ?? (text as CanonicalJson);
}
