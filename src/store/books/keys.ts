import type { Queryable, Transaction } from "../database.ts";
import { notable } from "./findings-of-transactions.ts";

/** Under this name the run of the keys is noted: they belong to the account, not to a provider. */
export const keysOfAccount = "*";

/** After an import of a statement there are none, and three larger queries can be left out. */
export async function hasRowsSince(tx: Transaction, accountId: number, since: string): Promise<boolean> {
  const [row] = await tx.query<{ any: boolean }>(
    `select exists (
       select from tieout.transaction_statuses as s where s.account_id = $1 and s.first_seen_at > $2::timestamptz
     ) as any`,
    [accountId, since],
  );
  return row?.any ?? false;
}

/**
 * Notes the transactions whose status rows may contradict each other, so that no run has to look for them again. The first
 * run of an account looks at those that have several rows; later ones at those that have changed since.
 */
export async function keepOddHistories(
  tx: Transaction,
  accountId: number,
  since: string | null,
): Promise<void> {
  await tx.query(
    `insert into tieout.odd_histories (account_id, transaction_id)
     select distinct h.account_id, h.transaction_id
     from (${since === null ? rowsOfSeveral : rowsOfChanged}) as h
     join tieout.transactions as t using (account_id, transaction_id)
     where h.record_hash <> t.record_hash
       and ${notable}
     on conflict do nothing`,
    since === null ? [accountId] : [accountId, since],
  );
}

/**
 * Notes the chain hashes, in comparable form, that more than one transaction has or had: a batch, or one transfer counted
 * twice.
 */
export async function keepSharedHashes(
  tx: Transaction,
  accountId: number,
  since: string | null,
): Promise<void> {
  const met = `
     select k.account_id, k.key
     from reconcile_hashes as met
     join tieout.transaction_keys as k on k.name_hash = met.short
     where k.account_id = $1
       and k.kind = 'hash'
     group by k.account_id, k.key
     having count(distinct k.transaction_id) > 1`;
  const changed = `
     select distinct s.account_id, tieout.comparable_hash(s.transaction_hash)
     from (${changedSince}) as changed
     join tieout.transaction_statuses as s using (account_id, transaction_id)
     where s.transaction_hash <> ''
       and exists (
         select
         from tieout.named(s.account_id, 'hash', tieout.comparable_hash(s.transaction_hash)) as named
         where named.transaction_id <> s.transaction_id
       )`;
  if (since === null) await gatherMetHashes(tx, accountId);
  await tx.query(
    `insert into tieout.shared_hashes (account_id, transaction_hash) ${since === null ? met : changed} on conflict do nothing`,
    since === null ? [accountId] : [accountId, since],
  );
}

/**
 * The hashes that are met twice, by the eight bytes that names are found by: these are sorted in memory, by several workers,
 * where millions of texts would go to disk. Two that agree by accident are told apart when they are looked at.
 */
async function gatherMetHashes(tx: Transaction, accountId: number): Promise<void> {
  await tx.query("drop table if exists pg_temp.reconcile_hashes");
  await tx.query(
    `create temp table reconcile_hashes on commit drop as
     select k.name_hash as short
     from tieout.transaction_keys as k
     where k.account_id = $1
       and k.kind = 'hash'
     group by k.name_hash
     having count(*) > 1
     order by k.name_hash                -- sorted, not hashed: only so the workers take part
    `,
    [accountId],
  );
  await tx.query("analyze reconcile_hashes");
}

const rowsOfSeveral = `
       select rows.*
       from tieout.transaction_statuses as rows
       join (
         select counted.account_id, counted.transaction_id
         from tieout.transaction_statuses as counted
         where counted.account_id = $1
         group by counted.account_id, counted.transaction_id
         having count(*) > 1
       ) as several using (account_id, transaction_id)`;

const changedSince = `
         select distinct changed.account_id, changed.transaction_id
         from tieout.transaction_statuses as changed
         where changed.account_id = $1
           and changed.first_seen_at > $2::timestamptz`;

const rowsOfChanged = `
       select rows.*
       from tieout.transaction_statuses as rows
       join (${changedSince}
       ) as changed using (account_id, transaction_id)`;

/** Currency words that have no meaning here yet, of every status row: findings about the past are valued by earlier rows too. */
export async function listNewCurrencyWords(
  database: Queryable,
  accountId: number,
  since: string | null,
): Promise<string[]> {
  const rows = await database.query<{ word: string }>(
    `select distinct word
     from (
       select distinct s.source_currency, s.target_currency
       from tieout.transaction_statuses as s
       where s.account_id = $1${since === null ? "" : "\n         and s.first_seen_at > $2::timestamptz"}
     ) as pairs
     cross join lateral (values (source_currency), (target_currency)) as words (word)
     where word is not null
       and not exists (select from tieout.currency_words as known where known.word = words.word)`,
    since === null ? [accountId] : [accountId, since],
  );
  return rows.map(({ word }) => word);
}

export interface CurrencyWord {
  word: string;
  isFiat: boolean;
  code: string;
  network: string | null;
  places: number;
}

export async function keepCurrencyWords(database: Queryable, words: readonly CurrencyWord[]): Promise<void> {
  if (words.length === 0) return;
  await database.query(
    `insert into tieout.currency_words (word, is_fiat, code, network, places)
     select *
     from unnest($1::text[], $2::boolean[], $3::text[], $4::text[], $5::smallint[])
     on conflict do nothing`,
    [
      words.map(({ word }) => word),
      words.map(({ isFiat }) => isFiat),
      words.map(({ code }) => code),
      words.map(({ network }) => network),
      words.map(({ places }) => places),
    ],
  );
}
