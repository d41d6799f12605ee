import { recordColumns } from "../../core/record-fields.ts";
import { finalStatuses, statusRank } from "../../core/status.ts";
import { answeredSql } from "../accounts/answered-sql.ts";
import { brought } from "./names-brought.ts";
import { columnsOf, inLines } from "./record-columns.ts";
import { sentColumns } from "./sent-columns.ts";

const keptColumns = inLines(4, ["account_id", ...recordColumns]);

/** What a newer status changes: everything but the transaction's key. */
const movedColumns = [
  ...recordColumns.filter((column) => column !== "transaction_id"),
  "is_final",
  "last_changed_at",
];

const monthOf = (time: string) => `date_trunc('month', ${time} at time zone 'UTC')::date`;

const finalWords = `'{${finalStatuses.join()}}'::text[]`;

/** The parameters before are about pages and rejections. */
const firstSent = 13;
const sentArrays = sentColumns.map(({ type }, at) => `$${at + firstSent}::${type}[]`);
const sentNames = sentColumns.map(({ column }) => column);

/** What is sent of the pages whose lease still holds. */
const incoming = `(
    select held.account_id, held.at, page.*
    from unnest(
      ${inLines(6, sentArrays)}
    ) as page (
      ${inLines(6, sentNames)}
    )
    join held on held.id = page.window_id
  ) as incoming`;

/** What the transaction of a row was until now; nothing, for a new one. */
const untilNow = `t.transaction_id is null as is_new,
         t.status_date as held_date,
         t.status_rank as held_rank,
         t.record_hash as held_record,
         t.provider_transaction_id as held_provider_id,
         t.extra ->> 'partnerContext' as held_reference,
         t.transaction_hash as held_hash,
         t.wallet_address as held_wallet`;

/** One look-up by key for each row, never a scan: the limit keeps the planner from making a join of it. */
const lookUp = (row: string) => `left join lateral (
    select *
    from tieout.transactions as t
    where t.account_id = ${row}.account_id and t.transaction_id = ${row}.transaction_id
    limit 1
  ) as t on true`;

/**
 * A transaction's latest row is the greatest of its status rows. So whatever is greater still is new, and only the rest has
 * to be looked for.
 */
const addOptimistically = `met as (
  select incoming.*,
         ${untilNow}
  from ${incoming}
  ${lookUp("incoming")}
), doubtful as (
  select array_agg(account_id) as account_ids, array_agg(status_date) as status_dates, array_agg(record_hash) as record_hashes
  from met
  where (status_date, status_rank, record_hash) <= (held_date, held_rank, held_record)
), known as (
  select known.*
  from doubtful
  cross join lateral tieout.kept_records(account_ids, status_dates, record_hashes) as known
  where doubtful.account_ids is not null
), added as (                    -- only what was new may have consequences
  select *
  from met
  where not exists (
    select from known
    where known.account_id = met.account_id and known.status_date = met.status_date and known.record_hash = met.record_hash
  )
), written as (
  insert into tieout.transaction_statuses (
    ${keptColumns},
    received_status, window_id, first_seen_at
  )
  select ${keptColumns},
    received_status, window_id, at
  from added
  order by account_id, status_date, record_hash      -- one lock order for all workers, whatever the join made of it
  returning 1
)`;

const addTolerantly = `written as (
  insert into tieout.transaction_statuses (
    ${keptColumns},
    received_status, window_id, first_seen_at
  )
  select ${keptColumns},
    received_status, window_id, at
  from ${incoming}
  order by account_id, status_date, record_hash      -- one lock order for all workers
  on conflict on constraint status_row_is_kept_once do nothing
  returning ${keptColumns},
    window_id, first_seen_at as at
), added as (                    -- only what was new may have consequences
  select written.*,
         ${untilNow}
  from written
  ${lookUp("written")}
)`;

const statement = (adding: string) => `
with held as (                   -- first, because it locks the windows: who lost the lease finds no row and writes nothing
  select w.id, w.account_id, w.kind, array_position($1::bigint[], w.id) as place, clock_timestamp() as at
  from tieout.sync_windows as w
  where w.id = any ($1::bigint[])
    and w.fence = ($2::bigint[])[array_position($1::bigint[], w.id)]
    and w.state = 'walking'
    and w.lease_until > clock_timestamp()
    and tieout.knows_erasures($12)
  for update
), ${adding}, newest as (                   -- pages may hold several statuses of one transaction
  select distinct on (account_id, transaction_id) *
  from added
  order by account_id, transaction_id, status_date desc, status_rank desc, record_hash desc
), newer as (                    -- for cost: leaves unchanged rows alone, without a lock
  select newest.*, newest.status = any (${finalWords}) as is_final
  from newest
  where newest.is_new
     or (newest.status_date, newest.status_rank, newest.record_hash)
      > (newest.held_date, newest.held_rank, newest.held_record)
), brought as (                  -- names that the latest row does not have; tieout.names_of would take five times as long
  select distinct on (account_id, transaction_id, kind, key)
         account_id, transaction_id, kind, key, is_new, status_date, held_date
  from (
    ${brought.map(
      ({
        kind,
        key,
        held,
      }) => `select account_id, transaction_id, '${kind}' as kind, ${key} as key, is_new, status_date, held_date
    from added
    where ${held}`,
    ).join(`
    union all
    `)}
  ) as name
  where key <> ''
  order by account_id, transaction_id, kind, key, status_date
), asked as (                    -- in the months between the two alone: all months would cost more than a name that is written twice
  select array_agg(account_id) as account_ids, array_agg(kind) as kinds, array_agg(key) as keys,
         array_agg(transaction_id) as transaction_ids,
         min(${monthOf("least(status_date, held_date)")}) as from_month,
         max(${monthOf("greatest(status_date, held_date)")}) as to_month
  from brought
  where not is_new
), kept as (
  select kept.*
  from asked
  cross join lateral tieout.kept_names(account_ids, kinds, keys, transaction_ids, from_month, to_month) as kept
  where asked.from_month is not null
), named as (                    -- a name is written once, when a status row first brings it
  insert into tieout.transaction_keys (account_id, month, kind, key, transaction_id)
  select account_id, ${monthOf("status_date")}, kind, key, transaction_id
  from brought
  where not exists (
    select from kept
    where kept.account_id = brought.account_id and kept.transaction_id = brought.transaction_id
      and kept.kind = brought.kind and kept.key = brought.key
  )
), noted as (
  insert into tieout.account_providers (account_id, provider)
  select met.account_id, met.provider
  from (select distinct account_id, lower(coalesce(provider, '')) as provider from added) as met
  where not exists (
    select from tieout.account_providers as p where p.account_id = met.account_id and p.provider = met.provider
  )
  order by met.account_id, met.provider
  on conflict do nothing
), opened as (
  insert into tieout.transactions as held (
    ${keptColumns},
    is_final, first_seen_at, last_changed_at
  )
  select ${keptColumns},
    is_final, at, at
  from newer
  where is_new
  order by account_id, transaction_id        -- one lock order for all workers
  on conflict on constraint transaction_is_kept_once do update       -- another worker opened it meanwhile
  set (${inLines(7, movedColumns)})
    = (${inLines(7, columnsOf("excluded", movedColumns))})
  where (excluded.status_date, excluded.status_rank, excluded.record_hash)   -- for races: older news never wins
      > (held.status_date, held.status_rank, held.record_hash)
  returning held.account_id, held.transaction_id
), moved as (                    -- a conflict would do this too, and would first log a lock on every row
  update tieout.transactions as held
  set (${inLines(7, movedColumns)})
    = (${inLines(
      7,
      movedColumns.map((column) => (column === "last_changed_at" ? "newer.at" : `newer.${column}`)),
    )})
  from (select * from newer where not is_new order by account_id, transaction_id) as newer
  where held.account_id = newer.account_id
    and held.transaction_id = newer.transaction_id
    and (newer.status_date, newer.status_rank, newer.record_hash)
      > (held.status_date, held.status_rank, held.record_hash)
  returning held.account_id, held.transaction_id
), left_completed as (           -- a question about the time before finds them at once, and not from the next run on
  insert into tieout.odd_histories (account_id, transaction_id)
  select account_id, transaction_id
  from newer
  where held_rank = ${statusRank("completed")}
  order by account_id, transaction_id        -- one lock order for all workers
  on conflict do nothing
), told as (                     -- the outbox. Asked once for a statement, and nothing is done where no endpoint wants it
  select tieout.tell_transactions(
           array_agg(newer.account_id), array_agg(newer.transaction_id), array_agg(newer.window_id)
         ) as told
  from (select * from opened union all select * from moved) as changed     -- what really changed, and is locked by now
  join newer using (account_id, transaction_id)
  where exists (select from tieout.webhook_endpoints as e where e.events && '{transaction.changed,*}')
), quarantined as (
  insert into tieout.quarantined_records (account_id, raw_hash, raw, reason, field, window_id, first_seen_at, last_seen_at)
  select held.account_id, bad.raw_hash, bad.raw, bad.reason, bad.field, held.id, held.at, held.at
  from unnest($7::bytea[], $8::text[], $9::text[], $10::text[], $11::bigint[]) as bad (raw_hash, raw, reason, field, window_id)
  join held on held.id = bad.window_id
  on conflict on constraint quarantined_record_is_kept_once do nothing
  returning 1
), news as (
  select window_id, count(*)::int as added, bit_xor(('x' || encode(record_hash, 'hex'))::bit(256)) as digest
  from added
  group by window_id
), moves as (                    -- judged before the write: a join with what was written would cost more than it tells
  select window_id, count(*)::int as moved
  from newer
  group by window_id
), progress as (
  update tieout.sync_windows as w
  set cursor = ($4::text[])[held.place],
      lease_until = clock_timestamp() + ($3::double precision[])[held.place] * interval '1 millisecond',
      failures = 0,
      pages = w.pages + 1,
      read = w.read + ($5::int[])[held.place],
      added = w.added + coalesce(news.added, 0),
      quarantined = w.quarantined + cardinality(array_positions($11::bigint[], w.id)),
      digest = w.digest # coalesce(news.digest, 0::bit(256))
  from held
  left join news on news.window_id = held.id
  where w.id = held.id
  returning w.id, coalesce(news.added, 0) as added
), ${answeredSql}
), pace as (
  select a.id,
         case when a.state = 'paused' then 0 else a.request_limit end as request_limit,
         greatest(0, coalesce(extract(epoch from a.not_before - clock_timestamp()) * 1000, 0))::double precision as wait_ms,
         (select count(*) from tieout.sync_windows as w
          where w.account_id = a.id and w.state = 'walking' and w.lease_until > clock_timestamp()) as leases
  from tieout.accounts as a
  where a.id in (select account_id from held)
)
select held.id::int as window_id,
       progress.added,
       case when held.kind <> 'backfill' then array(select transaction_id from added where added.window_id = held.id)
            else '{}' end as added_ids,
       coalesce(moves.moved, 0) as moved,
       pace.wait_ms,
       pace.leases > least(pace.request_limit, ($6::int[])[held.place]) as crowded,
       (select count(*) from written) as written,  -- asked for, so that both forms lock status rows before anything else
       (select told from told) as told
from progress
join held on held.id = progress.id
join pace on pace.id = held.account_id
left join moves on moves.window_id = held.id`;

/**
 * What keeps pages: one round trip, one database transaction. The optimistic form adds what it does not find, and fails as a
 * whole (unique_violation) if another worker adds the same record in that moment. The tolerant form leaves that to the
 * database row by row, which costs each row a second look into the index and another entry in the log.
 */
export const recordPagesSql = {
  optimistic: statement(addOptimistically),
  tolerant: statement(addTolerantly),
};
