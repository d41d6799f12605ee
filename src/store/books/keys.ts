import type { Queryable, Transaction } from "../database.ts";
import { notable } from "./findings-of-transactions.ts";

/** Under this name the run of the keys is noted: they belong to the account, not to a provider. */
export const keysOfAccount = "*";

/**
 * Finds the status rows that have a key which the latest row does not show, or that may contradict it. All rows of a
 * transaction that has changed since count, because a new one may have pushed a key out of the latest row. Of one that has
 * a single row only the form of its keys matters, and most are such: the first run of an account joins the others alone.
 */
export async function gatherHistories(
  tx: Transaction,
  accountId: number,
  since: string | null,
): Promise<void> {
  const columns = (row: string) => `${row}.account_id, ${row}.transaction_id, ${row}.provider_transaction_id,
            ${row}.transaction_hash, ${row}.extra ->> 'partnerContext' as context,
            t.provider_transaction_id as latest_id, t.transaction_hash as latest_hash,
            t.extra ->> 'partnerContext' as latest_context`;
  await tx.query("drop table if exists pg_temp.reconcile_histories");
  await tx.query(
    `create temp table reconcile_histories on commit drop as
     select ${columns("h")}, ${isOdd} as is_odd
     from (${since === null ? rowsOfSeveral : rowsOfChanged}) as h
     join tieout.transactions as t using (account_id, transaction_id)
     where h.record_hash <> t.record_hash
       and (${keysDiffer} or ${isUnusual("h")} or ${isOdd})
     union all
     select ${columns("t")}, false
     from tieout.transactions as t
     where t.account_id = $1${since === null ? "" : "\n       and t.last_changed_at > $2::timestamptz"}
       and (${isUnusual("t")})`,
    since === null ? [accountId] : [accountId, since],
  );
}

export async function keepEarlierKeys(tx: Transaction): Promise<void> {
  await tx.query(
    `insert into tieout.earlier_keys (account_id, kind, key, transaction_id)
     select distinct h.account_id, k.kind, k.key, h.transaction_id
     from reconcile_histories as h
     cross join lateral (
       values ('provider_id', tieout.comparable_id(h.provider_transaction_id), h.latest_id),
              ('reference', tieout.comparable_id(h.context), h.latest_context),
              ('reference', nullif(tieout.comparable_id(h.transaction_id), h.transaction_id), null),
              ('hash', tieout.comparable_hash(h.transaction_hash), h.latest_hash)
     ) as k (kind, key, latest)
     where k.key <> ''
       and k.key is distinct from k.latest
       and (k.kind <> 'hash' or '0x' || k.key is distinct from k.latest)
     on conflict do nothing`,
  );
}

/** Notes the transactions whose status rows may contradict each other, so that no run has to look for them again. */
export async function keepOddHistories(tx: Transaction): Promise<void> {
  await tx.query(
    `insert into tieout.odd_histories (account_id, transaction_id)
     select distinct account_id, transaction_id
     from reconcile_histories
     where is_odd
     on conflict do nothing`,
  );
}

/** Notes the chain hashes that stand on more than one transaction: a batch, or one transfer counted twice. */
export async function keepSharedHashes(
  tx: Transaction,
  accountId: number,
  since: string | null,
): Promise<void> {
  const met = `
     select t.account_id, t.transaction_hash
     from reconcile_hashes as met
     join tieout.transactions as t on ${shortened} = met.short
     where t.account_id = $1
       and t.transaction_hash <> ''
     group by t.account_id, t.transaction_hash
     having count(*) > 1`;
  const changed = `
     select distinct t.account_id, t.transaction_hash
     from (${changedSince}) as changed
     join tieout.transactions as t using (account_id, transaction_id)
     where t.transaction_hash <> ''
       and exists (
         select
         from tieout.transactions as other
         where other.transaction_hash = t.transaction_hash
           and other.transaction_hash <> ''
           and other.account_id = t.account_id
           and other.transaction_id <> t.transaction_id
       )`;
  if (since === null) await gatherMetHashes(tx, accountId);
  await tx.query(
    `insert into tieout.shared_hashes (account_id, transaction_hash) ${since === null ? met : changed} on conflict do nothing`,
    since === null ? [accountId] : [accountId, since],
  );
}

/**
 * The hashes that are met twice, shortened: eight bytes are sorted in memory, by several workers, where millions of texts
 * would go to disk. Two that agree by accident are told apart when they are looked at.
 */
async function gatherMetHashes(tx: Transaction, accountId: number): Promise<void> {
  await tx.query("drop table if exists pg_temp.reconcile_hashes");
  await tx.query(
    `create temp table reconcile_hashes on commit drop as
     select ${shortened} as short
     from tieout.transactions as t
     where t.account_id = $1
       and t.transaction_hash <> ''
     group by short
     having count(*) > 1
     order by short                      -- sorted, not hashed: only so the workers take part
    `,
    [accountId],
  );
  await tx.query("analyze reconcile_hashes");
}

const shortened = "hashtextextended(t.transaction_hash, 0)";

/** Of an earlier row and the latest: whether the two may contradict each other, and whether their keys differ. */
const isOdd = `(${notable}
       )`;
const keysDiffer = `(h.provider_transaction_id, h.transaction_hash, h.extra ->> 'partnerContext')
           is distinct from (t.provider_transaction_id, t.transaction_hash, t.extra ->> 'partnerContext')`;

/** False for nearly all rows: a key that is compared in another form than it has. */
const isUnusual = (row: string) => `${row}.provider_transaction_id <> lower(${row}.provider_transaction_id)
         or ${row}.transaction_hash <> lower(${row}.transaction_hash)
         or (${row}.transaction_hash like '0x%' and length(${row}.transaction_hash) <> 66)
         or tieout.comparable_id(${row}.transaction_id) <> ${row}.transaction_id
         or tieout.comparable_id(${row}.extra ->> 'partnerContext') <> ${row}.extra ->> 'partnerContext'`;

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

/** Currency words of the account's transactions that have no meaning here yet. */
export async function listNewCurrencyWords(
  database: Queryable,
  accountId: number,
  since: string | null,
): Promise<string[]> {
  const rows = await database.query<{ word: string }>(
    `select distinct word
     from (
       select distinct t.source_currency, t.target_currency
       from tieout.transactions as t
       where t.account_id = $1${since === null ? "" : "\n         and t.last_changed_at > $2::timestamptz"}
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
