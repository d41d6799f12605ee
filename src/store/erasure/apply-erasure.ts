import { recordColumns } from "../../core/record-fields.ts";
import { finalStatuses } from "../../core/status.ts";
import type { Transaction } from "../database.ts";
import { columnsOf, inLines, namesOf } from "../transactions/record-columns.ts";
import { addMissingNames } from "../transactions/rebuild.ts";

/** What two people agreed on, and what is remembered of it. Who they are, the approval says. */
export interface ErasureAbout {
  account_id: number;
  kind: "wallet" | "transaction";
  digest: string;
  key_id: string;
  approval_id: number;
  request_id: string | null;
  counts: Record<string, number>;
}

/** What `tieout.erase` changes. Hashes and digests in hex. */
export interface ErasureChanges {
  transaction_ids: readonly string[];
  subjects: readonly { kind: string; digest: string }[];
  status_rows: readonly {
    status_date: string;
    hash: string;
    new_hash: string;
    wallet_address: string | null;
    extra: string;
  }[];
  /** `at`: its place among the contents, from 1. */
  files: readonly { statement_id: number; part: number; at: number }[];
  rows: readonly { statement_id: number; line_no: number; text: string; reason: string | null }[];
  lines: readonly {
    id: number;
    line_key: string;
    content_hash: string;
    wallet_address: string | null;
    address_tag: string | null;
    extra: string | null;
  }[];
  receipt_files: readonly { file_id: number; part: number; at: number }[];
  receipt_rows: readonly { file_id: number; row_no: number; text: string; reason: string | null }[];
  /** Its values by their columns. */
  receipt_lines: readonly ({ id: number; line_key: string; content_hash: string } & Record<
    string,
    unknown
  >)[];
  attachments: readonly { id: number; at: number }[];
  seals: readonly { relation: string; row_key: string; commitment: string; seal: string | null }[];
  words: readonly { pattern: string; flags: string; to: string; everywhere: boolean }[];
}

/** Everything that an erasure changes, in one database transaction. */
export async function applyErasure(
  tx: Transaction,
  about: ErasureAbout,
  changes: ErasureChanges,
  contents: readonly Buffer[],
): Promise<number> {
  const { account_id: accountId } = about;
  await dropNames(tx, accountId, changes.transaction_ids);
  const [made] = await tx.query<{ id: string }>("select tieout.erase($1, $2, $3)::text as id", [
    JSON.stringify(about),
    JSON.stringify(changes),
    contents,
  ]);
  await remakeLatest(tx, accountId, changes.transaction_ids);
  await addMissingNames(tx, { accountId, transactionIds: changes.transaction_ids });
  return Number(made?.id);
}

/** Those that may go; what the erased rows still bring is written again afterwards. */
async function dropNames(tx: Transaction, accountId: number, ids: readonly string[]): Promise<void> {
  await tx.query(
    `delete from tieout.transaction_keys as k
     using (
       select distinct s.transaction_id, name.kind, name.key
       from tieout.transaction_statuses as s
       cross join lateral tieout.names_of(${namesOf("s")}) as name
       where s.account_id = $1 and s.transaction_id = any($2) and name.kind in ('wallet', 'reference')
     ) as n
     where k.name_hash = tieout.name_hash($1, n.kind, n.key)
       and k.account_id = $1 and k.kind = n.kind and k.key = n.key and k.transaction_id = n.transaction_id`,
    [accountId, ids],
  );
}

/**
 * A reader who follows changes gets the erased rows too. With other hashes, another of two rows of one time may be the latest. They
 * are noted as odd, because what was completed before the erasure is found there now.
 */
async function remakeLatest(tx: Transaction, accountId: number, ids: readonly string[]): Promise<void> {
  const columns = [...recordColumns.filter((column) => column !== "transaction_id"), "is_final"];
  await tx.query(
    `with remade as (
       update tieout.transactions as t
       set last_changed_at = clock_timestamp(),
           (${inLines(12, columns)})
         = (${inLines(12, columnsOf("latest", columns))})
       from (
         select distinct on (s.transaction_id) s.*, s.status = any($3::text[]) as is_final
         from tieout.transaction_statuses as s
         where s.account_id = $1 and s.transaction_id = any($2)
         order by s.transaction_id, s.status_date desc, s.status_rank desc, s.record_hash desc
       ) as latest
       where t.account_id = $1 and t.transaction_id = latest.transaction_id
       returning t.account_id, t.transaction_id
     )
     insert into tieout.odd_histories (account_id, transaction_id) select * from remade on conflict do nothing`,
    [accountId, ids, finalStatuses],
  );
}

/** Rejected records are replaced whole, under the hash of what is left. */
export async function replaceQuarantined(
  tx: Transaction,
  accountId: number,
  replaced: readonly { rawHash: string; newHash: string; raw: string }[],
): Promise<void> {
  await tx.query(
    `update tieout.quarantined_records as q
     set raw = r.raw, raw_hash = decode(r.new_hash, 'hex')
     from unnest($2::text[], $3::text[], $4::text[]) as r (raw_hash, new_hash, raw)
     where q.account_id = $1 and q.raw_hash = decode(r.raw_hash, 'hex')`,
    [
      accountId,
      replaced.map(({ rawHash }) => rawHash),
      replaced.map(({ newHash }) => newHash),
      replaced.map(({ raw }) => raw),
    ],
  );
}

/**
 * Files that were written may quote what is erased now: they are taken back, and can be made again. One that is being written
 * may have begun before: it is begun anew. The caller holds off others that would begin (`holdExports`).
 */
export async function withdrawExports(tx: Transaction, accountId: number): Promise<number> {
  const rows = await tx.query(
    `update tieout.exports
     set state = case state when 'succeeded' then 'expired' else 'queued' end,
         expires_at = case state when 'succeeded' then clock_timestamp() end,
         lease_until = null
     where ${mayQuote}
     returning 1`,
    [accountId],
  );
  return rows.length;
}

export async function countExports(tx: Transaction, accountId: number): Promise<number> {
  const [row] = await tx.query<{ exports: number }>(
    `select count(*)::int as exports from tieout.exports where ${mayQuote}`,
    [accountId],
  );
  return row?.exports ?? 0;
}

const mayQuote = "state in ('succeeded', 'running') and (account_ids is null or $1 = any(account_ids))";
