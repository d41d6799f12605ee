import type { Queryable, Transaction } from "../database.ts";
import { notable } from "./findings-of-transactions.ts";

/** Under this name the run of the keys is noted: they belong to the account, not to a provider. */
export const keysOfAccount = "*";

/**
 * Keeps the keys that the latest rows do not show, from the status rows that have come since. All rows of a transaction
 * count, because a new one may have pushed a key out of the latest row.
 */
export async function keepEarlierKeys(
  tx: Transaction,
  accountId: number,
  since: string | null,
): Promise<void> {
  await tx.query(
    `insert into tieout.earlier_keys (account_id, kind, key, transaction_id)
     select distinct s.account_id, k.kind, k.key, s.transaction_id
     from ${since === null ? "tieout.transaction_statuses" : rowsOfChanged} as s
     join tieout.transactions as t using (account_id, transaction_id)
     cross join lateral (
       values ('provider_id', tieout.comparable_id(s.provider_transaction_id), t.provider_transaction_id),
              ('reference', tieout.comparable_id(s.extra ->> 'partnerContext'), t.extra ->> 'partnerContext'),
              ('reference', nullif(tieout.comparable_id(s.transaction_id), s.transaction_id), null),
              ('hash', tieout.comparable_hash(s.transaction_hash), t.transaction_hash)
     ) as k (kind, key, latest)
     where s.account_id = $1
       and (${mayDiffer})
       and k.key <> ''
       and k.key is distinct from k.latest
       and (k.kind <> 'hash' or '0x' || k.key is distinct from k.latest)
     on conflict do nothing`,
    since === null ? [accountId] : [accountId, since],
  );
}

/** Notes the transactions whose status rows may contradict each other, so that no run has to look for them again. */
export async function keepOddHistories(
  tx: Transaction,
  accountId: number,
  since: string | null,
): Promise<void> {
  await tx.query(
    `insert into tieout.odd_histories (account_id, transaction_id)
     select distinct h.account_id, h.transaction_id
     from ${since === null ? "tieout.transaction_statuses" : rowsOfChanged} as h
     join tieout.transactions as t using (account_id, transaction_id)
     where h.account_id = $1
       and h.record_hash <> t.record_hash
       and ${notable}
     on conflict do nothing`,
    since === null ? [accountId] : [accountId, since],
  );
}

/** Notes the chain hashes that stand on more than one transaction: a batch, or one transfer counted twice. */
export async function keepSharedHashes(
  tx: Transaction,
  accountId: number,
  since: string | null,
): Promise<void> {
  const all = `
     select account_id, transaction_hash
     from tieout.transactions
     where account_id = $1
       and transaction_hash <> ''
     group by account_id, transaction_hash
     having count(*) > 1`;
  const changed = `
     select distinct t.account_id, t.transaction_hash
     from ${rowsOfChanged} as s
     join tieout.transactions as t using (account_id, transaction_id)
     join tieout.transactions as other
       on other.transaction_hash = t.transaction_hash
      and other.transaction_hash <> ''
      and other.account_id = t.account_id
      and other.transaction_id <> t.transaction_id
     where t.transaction_hash <> ''`;
  await tx.query(
    `insert into tieout.shared_hashes (account_id, transaction_hash) ${since === null ? all : changed} on conflict do nothing`,
    since === null ? [accountId] : [accountId, since],
  );
}

/** Cheap, and false for nearly all rows: what is in its usual form and like the latest row needs no entry. */
const mayDiffer = `s.provider_transaction_id is distinct from t.provider_transaction_id
         or s.provider_transaction_id <> lower(s.provider_transaction_id)
         or s.transaction_id like '________-____-____-____-____________'
         or s.extra is not null
         or s.transaction_hash is distinct from t.transaction_hash
         or s.transaction_hash <> lower(s.transaction_hash)
         or (s.transaction_hash like '0x%' and length(s.transaction_hash) <> 66)`;

const rowsOfChanged = `(
       select rows.*
       from tieout.transaction_statuses as rows
       join (
         select distinct changed.account_id, changed.transaction_id
         from tieout.transaction_statuses as changed
         where changed.account_id = $1
           and changed.first_seen_at > $2::timestamptz
       ) as changed using (account_id, transaction_id)
     )`;

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
