import { recordColumns } from "../../core/record-fields.ts";
import { finalStatuses } from "../../core/status.ts";
import type { Queryable } from "../database.ts";
import { columnsOf, namesOf } from "./record-columns.ts";

export interface Mismatch {
  subject: string;
  problem: string;
}

const shownMax = 20;

/** Windows whose digest is not that of the status rows they added: a row was changed, removed or slipped in. */
export async function findWrongDigests(database: Queryable): Promise<Mismatch[]> {
  const rows = await database.query<{ id: string; added: number; found: number }>(
    `with found as (
       select window_id, count(*)::int as rows, bit_xor(('x' || encode(record_hash, 'hex'))::bit(256)) as digest
       from tieout.transaction_statuses
       group by window_id
     )
     select coalesce(w.id, found.window_id)::text as id, coalesce(w.added, 0) as added, coalesce(found.rows, 0) as found
     from tieout.sync_windows as w
     full join found on found.window_id = w.id
     where w.id is null
        or w.added <> coalesce(found.rows, 0)
        or w.digest <> coalesce(found.digest, 0::bit(256))
     order by 1
     limit ${shownMax}`,
  );
  return rows.map(({ id, added, found }) => ({
    subject: `window ${id}`,
    problem:
      added === found
        ? "its rows are not the ones it added"
        : `it added ${added} status rows, ${found} are there`,
  }));
}

/**
 * Transactions whose latest row is not the greatest of their status rows, in any column that is served; `rebuild` mends
 * them. One that says the same hash with other values was changed by someone else.
 */
export async function findWrongLatest(database: Queryable): Promise<Mismatch[]> {
  const rows = await database.query<{ transaction_id: string; changed: boolean }>(
    `with latest as (
       select distinct on (account_id, transaction_id) *, status = any($1::text[]) as is_final
       from tieout.transaction_statuses
       order by account_id, transaction_id, status_date desc, status_rank desc, record_hash desc
     )
     select transaction_id, bool_and(changed) as changed
     from (
       select transaction_id, t.record_hash is not distinct from latest.record_hash as changed
       from tieout.transactions as t
       full join latest using (account_id, transaction_id)
       where (${columnsOf("t", latestColumns).join(", ")})
             is distinct from (${columnsOf("latest", latestColumns).join(", ")})
       union all
       select t.transaction_id, true
       from tieout.transactions as t
       where not exists (select from tieout.transaction_statuses as s
                         where s.account_id = t.account_id and s.transaction_id = t.transaction_id
                           and s.first_seen_at = t.first_seen_at)
     ) as wrong
     group by transaction_id
     order by 1
     limit ${shownMax}`,
    [finalStatuses],
  );
  return rows.map(({ transaction_id, changed }) => ({
    subject: `transaction ${transaction_id}`,
    problem: changed
      ? "its latest row says something else than the status row it was made of: run tieout rebuild"
      : "its latest row is not the greatest of its status rows: run tieout rebuild",
  }));
}

const latestColumns = [...recordColumns.filter((column) => column !== "transaction_id"), "is_final"];

/** Names that a status row brings and `transaction_keys` lacks, and names that no status row brings. */
export async function findWrongNames(database: Queryable): Promise<Mismatch[]> {
  const rows = await database.query<{ transaction_id: string; kind: string; missing: boolean }>(
    `with brought as (
       select s.account_id, s.transaction_id, name.kind, name.key
       from tieout.transaction_statuses as s
       cross join lateral tieout.names_of(${namesOf("s")}) as name
     )
     select distinct transaction_id, kind, kept.account_id is null as missing
     from brought
     full join tieout.transaction_keys as kept using (account_id, transaction_id, kind, key)
     where brought.account_id is null or kept.account_id is null
     order by transaction_id, kind
     limit ${shownMax}`,
  );
  return rows.map(({ transaction_id, kind, missing }) => ({
    subject: `transaction ${transaction_id}`,
    problem: missing
      ? `one of its names (${kind}) cannot be looked up: run tieout rebuild`
      : `a name (${kind}) leads to it that no status row brings`,
  }));
}

/** Accounts that claim to have read what no sealed window covers, or the other way round. */
export async function findWrongCoverage(database: Queryable): Promise<Mismatch[]> {
  const rows = await database.query<{ name: string }>(
    `select a.name
     from tieout.accounts as a
     where a.covered <> coalesce((
       select range_agg(tstzrange(w.range_from, w.range_to))
       from tieout.sync_windows as w
       where w.account_id = a.id and w.state = 'sealed' and w.kind not in ('refresh', 'event')
     ), '{}')
     order by a.name`,
  );
  return rows.map(({ name }) => ({
    subject: `account ${name}`,
    problem: "its coverage is not the union of its sealed windows",
  }));
}

/** Listings that never came to rest when they were read again, and have not been found at rest since. */
export async function findUnstable(database: Queryable): Promise<Mismatch[]> {
  const rows = await database.query<{ id: string; error: string }>(
    `select w.id::text, w.error
     from tieout.sync_windows as w
     where w.kind = 'deep' and w.state = 'sealed' and w.error_code = 'unstable'
       and not exists (select from tieout.sync_windows as later
                       where later.account_id = w.account_id and later.kind = 'deep' and later.id > w.id
                         and later.state = 'sealed' and later.error_code is null
                         and later.range_from <= w.range_from and later.range_to >= w.range_to)
     order by w.id
     limit ${shownMax}`,
  );
  return rows.map(({ id, error }) => ({ subject: `window ${id}`, problem: error }));
}

/**
 * Entries of the audit log that were changed, removed, put in between or put in another order. What was erased from an
 * entry is sealed: it then says exactly what the seal has, and keeps its place in the chain by the hash that it had.
 */
export async function findBrokenAudit(database: Queryable): Promise<Mismatch[]> {
  const rows = await database.query<{ number: string }>(
    `select e.number::text
     from (
       select entry.number, entry.hash, entry.previous_hash,
              sha256(entry.previous_hash || convert_to(tieout.audit_entry_text(entry), 'UTF8')) as own_hash,
              lag(entry.hash, 1, sha256('')) over (order by entry.number) as hash_before,
              row_number() over (order by entry.number) as position
       from tieout.audit_log as entry
     ) as e
     where e.number <> e.position or e.previous_hash <> e.hash_before
        or (e.hash <> e.own_hash and not exists (
             select from tieout.erasure_seals as s
             where s.relation = 'audit_log' and s.row_key = e.number::text and s.commitment = e.hash
               and s.seal = (select sha256(convert_to(tieout.audit_entry_text(now), 'UTF8'))
                             from tieout.audit_log as now where now.number = e.number)))
     order by e.number
     limit ${shownMax}`,
  );
  return rows.map(({ number }) => ({
    subject: `audit entry ${number}`,
    problem: "it does not fit the chain of hashes",
  }));
}
