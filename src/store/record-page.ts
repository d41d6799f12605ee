import { emptyObject } from "../core/canonical-json.ts";
import { statusRank, isFinalStatus } from "../core/status.ts";
import type { TransactionRecord } from "../core/transaction.ts";
import type { Queryable } from "./database.ts";
import type { WindowLease } from "./window-leases.ts";

/** A record with its identity, ready to be kept. */
export interface HashedRecord {
  record: TransactionRecord;
  /** Hex. */
  recordHash: string;
  hashVersion: number;
  /** The word received, where it was folded into another. */
  receivedStatus: string | null;
}

export interface RejectedRecord {
  reason: string;
  field: string | null;
  raw: string;
  /** Hex SHA-256 of `raw`. */
  rawHash: string;
}

export interface PageToRecord {
  records: readonly HashedRecord[];
  rejections: readonly RejectedRecord[];
  /** Where the walk goes on; `null` at the end. */
  nextCursor: string | null;
}

export interface PageCounts {
  read: number;
  /** Status rows that were new. */
  added: number;
  /** Transactions whose latest row changed. */
  moved: number;
  quarantined: number;
  /** The transactions that the new status rows belong to. */
  addedIds: string[];
  /** Wait this long before the next request: somebody met trouble, or was told to wait. */
  waitMs: number;
  /** More leases are out than the aggregator bears by now: give this one back. */
  crowded: boolean;
}

/** The lease was lost to another worker: nothing was written, and this worker has to stop. */
export class LeaseLost extends Error {
  constructor(windowId: number) {
    super(`window ${windowId}: the lease was lost; nothing was written`);
    this.name = "LeaseLost";
  }
}

/**
 * Writes a page and the cursor after it: one statement, one round trip, one database transaction. A crash leaves all of
 * it or none; a worker whose lease was taken over writes nothing; a page read twice changes no row.
 */
export async function recordPage(
  database: Queryable,
  lease: WindowLease,
  page: PageToRecord,
): Promise<PageCounts> {
  const distinct = distinctRecords(page.records);
  const rejections = page.rejections.toSorted(inOrderOf(({ rawHash }) => rawHash));
  const [row] = await database.query<RecordedRow>(
    recordPageSql,
    [
      lease.windowId,
      lease.fence,
      lease.leaseMs,
      page.nextCursor,
      page.records.length + page.rejections.length,
      lease.requestsMax,
      asJson(distinct),
      rejections.map(({ rawHash }) => `\\x${rawHash}`),
      rejections.map(({ raw }) => raw),
      rejections.map(({ reason }) => reason),
      rejections.map(({ field }) => field),
    ],
    "record_page",
  );
  if (!row) throw new LeaseLost(lease.windowId);
  return {
    read: page.records.length + page.rejections.length,
    added: row.added_ids.length,
    moved: row.moved,
    quarantined: page.rejections.length,
    addedIds: row.added_ids,
    waitMs: row.wait_ms,
    crowded: row.crowded,
  };
}

interface RecordedRow {
  added_ids: string[];
  moved: number;
  wait_ms: number;
  crowded: boolean;
}

/** Several copies of one record in a page are normal, and one statement may not insert a row twice. */
function distinctRecords(records: readonly HashedRecord[]): HashedRecord[] {
  const identityOf = ({ record, recordHash }: HashedRecord) => `${record.transactionId}\n${recordHash}`;
  const byIdentity = new Map(records.map((one) => [identityOf(one), one]));
  return [...byIdentity.values()].toSorted(inOrderOf(identityOf));
}

/** One order for all workers, so that two pages with the same rows cannot wait for each other. */
function inOrderOf<T>(keyOf: (one: T) => string): (a: T, b: T) => number {
  return (a, b) => (keyOf(a) < keyOf(b) ? -1 : 1);
}

/** One JSON text for the whole page: quicker to write than twenty arrays, and read by Postgres with the same exactness. */
function asJson(records: readonly HashedRecord[]): string {
  const rows = records.map(({ record, recordHash, hashVersion, receivedStatus }) => ({
    transaction_id: record.transactionId,
    record_hash: `\\x${recordHash}`,
    hash_version: hashVersion,
    status: record.status,
    status_rank: statusRank(record.status),
    is_final: isFinalStatus(record.status),
    status_date: record.statusDate,
    transaction_type: record.transactionType,
    provider: record.provider,
    provider_transaction_id: record.providerTransactionId,
    payment_method: record.paymentMethod,
    country: record.country,
    source_currency: record.sourceCurrency,
    // Amounts are texts here as everywhere: a JSON number could be rounded on the way.
    in_amount: record.inAmount,
    target_currency: record.targetCurrency,
    out_amount: record.outAmount,
    transaction_hash: record.transactionHash,
    wallet_address: record.walletAddress,
    api_key: record.apiKey,
    extra_text: record.extra === emptyObject ? null : record.extra,
    received_status: receivedStatus,
  }));
  return JSON.stringify(rows);
}

const recordColumns = `account_id, transaction_id, record_hash, hash_version, status, status_rank, status_date,
  transaction_type, provider, provider_transaction_id, payment_method, country, source_currency, in_amount,
  target_currency, out_amount, transaction_hash, wallet_address, api_key, extra`;

const recordPageSql = `
with held as (                   -- first, because it locks the window: who lost the lease finds no row and writes nothing
  select id, account_id, clock_timestamp() as at
  from tieout.sync_windows
  where id = $1 and fence = $2 and state = 'walking' and lease_until > clock_timestamp()
  for update
), incoming as (
  select held.account_id, page.*, extra_text::jsonb as extra, held.id as window_id, held.at
  from held, json_to_recordset($7::json) as page (
    transaction_id text, record_hash bytea, hash_version smallint, status text, status_rank smallint, is_final boolean,
    status_date timestamptz, transaction_type text, provider text, provider_transaction_id text, payment_method text,
    country text, source_currency text, in_amount numeric, target_currency text, out_amount numeric,
    transaction_hash text, wallet_address text, api_key text, extra_text text, received_status text
  )
), added as (                    -- only what was new may have consequences
  insert into tieout.transaction_statuses (${recordColumns}, received_status, window_id, first_seen_at)
  select ${recordColumns}, received_status, window_id, at
  from incoming
  on conflict on constraint status_row_is_kept_once do nothing
  returning transaction_id, record_hash
), newest as (                   -- a page may hold several statuses of one transaction
  select distinct on (transaction_id) incoming.*
  from incoming
  join added using (transaction_id, record_hash)
  order by transaction_id, status_date desc, status_rank desc, record_hash desc
), newer as (                    -- for cost: leaves unchanged rows alone, without a lock
  select newest.*
  from newest
  left join lateral (            -- one look-up by key for each, never a scan
    select transaction_id, status_date, status_rank, record_hash
    from tieout.transactions as t
    where t.account_id = newest.account_id and t.transaction_id = newest.transaction_id
  ) as held on true
  where held.transaction_id is null
     or (newest.status_date, newest.status_rank, newest.record_hash)
      > (held.status_date, held.status_rank, held.record_hash)
), moved as (
  insert into tieout.transactions as held (${recordColumns}, is_final, first_seen_at, last_changed_at)
  select ${recordColumns}, is_final, at, at
  from newer
  order by transaction_id        -- one lock order for all workers
  on conflict on constraint transaction_is_kept_once do update
  set (record_hash, hash_version, status, status_rank, status_date, transaction_type, provider,
       provider_transaction_id, payment_method, country, source_currency, in_amount, target_currency, out_amount,
       transaction_hash, wallet_address, api_key, extra, is_final, last_changed_at)
    = (excluded.record_hash, excluded.hash_version, excluded.status, excluded.status_rank, excluded.status_date,
       excluded.transaction_type, excluded.provider, excluded.provider_transaction_id, excluded.payment_method,
       excluded.country, excluded.source_currency, excluded.in_amount, excluded.target_currency, excluded.out_amount,
       excluded.transaction_hash, excluded.wallet_address, excluded.api_key, excluded.extra, excluded.is_final,
       excluded.last_changed_at)
  where (excluded.status_date, excluded.status_rank, excluded.record_hash)   -- for races: older news never wins
      > (held.status_date, held.status_rank, held.record_hash)
  returning 1
), quarantined as (
  insert into tieout.quarantined_records (account_id, raw_hash, raw, reason, field, window_id, first_seen_at, last_seen_at)
  select held.account_id, bad.raw_hash, bad.raw, bad.reason, bad.field, held.id, held.at, held.at
  from held, unnest($8::bytea[], $9::text[], $10::text[], $11::text[]) as bad (raw_hash, raw, reason, field)
  on conflict on constraint quarantined_record_is_kept_once do nothing
  returning 1
), digest as (
  select bit_xor(('x' || encode(record_hash, 'hex'))::bit(256)) as bits
  from added
), progress as (
  update tieout.sync_windows as w
  set cursor = $4,
      lease_until = clock_timestamp() + $3::double precision * interval '1 millisecond',
      failures = 0,
      pages = w.pages + 1,
      read = w.read + $5,
      added = w.added + (select count(*) from added),
      quarantined = w.quarantined + cardinality($8::bytea[]),
      digest = w.digest # coalesce(digest.bits, 0::bit(256))
  from held, digest
  where w.id = held.id
  returning 1
)
select array(select transaction_id from added) as added_ids,
       (select count(*)::int from moved) as moved,
       greatest(0, coalesce(extract(epoch from a.not_before - clock_timestamp()) * 1000, 0))::double precision as wait_ms,
       (select count(*) from tieout.sync_windows as w
        where w.account_id = a.id and w.state = 'walking' and w.lease_until > clock_timestamp())
         > least(a.request_limit, $6::int) as crowded
from progress, held
join tieout.accounts as a on a.id = held.account_id`;
