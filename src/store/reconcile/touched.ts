import type { Transaction } from "../database.ts";
import type { LastRun } from "./runs.ts";

export interface TouchedBy {
  accountId: number;
  provider: string;
  last: LastRun;
  asAt: string;
  covered: string;
  /** Lines and transactions that a person has just matched or parted. */
  lineIds: readonly number[];
  transactionIds: readonly string[];
}

/**
 * What a run has to look at again, as two temporary tables: `touched_lines` and `touched_transactions`. First what is new
 * or has changed; then whatever shares a key with it, because a new line may take a transaction away from another, and a
 * new transaction may make a key ambiguous. Says whether there is anything.
 */
export async function gatherTouched(tx: Transaction, by: TouchedBy): Promise<boolean> {
  const { accountId, provider, last } = by;
  await tx.query("drop table if exists pg_temp.touched_lines, pg_temp.touched_transactions");
  await tx.query(
    `create temp table touched_lines (line_id bigint primary key) on commit drop;
     create temp table touched_transactions (transaction_id text primary key) on commit drop`,
  );
  await tx.query(`insert into touched_lines ${changedLines} on conflict do nothing`, [
    accountId,
    provider,
    last.knownAt,
    last.asAt,
    by.asAt,
    last.covered,
    by.covered,
    by.lineIds,
  ]);
  await tx.query(`insert into touched_transactions ${changedTransactions} on conflict do nothing`, [
    accountId,
    provider,
    last.knownAt,
    by.transactionIds,
  ]);
  if (await isUntouched(tx)) return false;
  const values = [accountId, provider];
  await tx.query("analyze touched_lines; analyze touched_transactions");
  // Until nothing is added: whether a key is unique can only be said of everything that shares it.
  for (
    let size = -1, next = await countTouched(tx);
    next > size;
    size = next, next = await countTouched(tx)
  ) {
    for (const step of [...sameIds, ...sameKeysOfTransactions, ...sameHashes, ...Object.values(partners)]) {
      await tx.query(`insert into ${step} on conflict do nothing`, values);
    }
  }
  await tx.query("analyze touched_lines; analyze touched_transactions");
  return true;
}

/** Both sides of every match that stands, so that what is judged is judged whole. */
export async function gatherPartners(tx: Transaction, accountId: number, provider: string): Promise<void> {
  for (const step of [partners.transactions, partners.lines]) {
    await tx.query(`insert into ${step} on conflict do nothing`, [accountId, provider]);
  }
  await tx.query("analyze touched_lines; analyze touched_transactions");
}

export async function isUntouched(tx: Transaction): Promise<boolean> {
  return (await countTouched(tx)) === 0;
}

/**
 * Whether so much is touched that looking at everything is cheaper: after a first sync or a first file. It counts no
 * further than it has to.
 */
export async function isMostTouched(
  tx: Transaction,
  { accountId, provider }: { accountId: number; provider: string },
): Promise<boolean> {
  const touched = await countTouched(tx);
  if (touched < fewTouched) return false;
  const [row] = await tx.query<{ known: number }>(
    `select ((select count(*)
              from (
                select
                from tieout.transactions as t
                where ${ofProvider}
                limit $3::int
              ) as transactions)
           + (select count(*)
              from (
                select
                from tieout.statement_lines as l
                where l.account_id = $1
                  and l.provider = $2
                limit $3::int
              ) as lines))::int as known`,
    [accountId, provider, touched * 4],
  );
  return (row?.known ?? 0) < touched * 4;
}

const fewTouched = 200;

async function countTouched(tx: Transaction): Promise<number> {
  const [row] = await tx.query<{ touched: number }>(
    "select ((select count(*) from touched_lines) + (select count(*) from touched_transactions))::int as touched",
  );
  return row?.touched ?? 0;
}

/** New, restated, withdrawn or carried by another file; dated now and not before; or waiting for what has been read now. */
const changedLines = `
  select w.line_id
  from tieout.statements as s
  join tieout.statement_rows as w on w.statement_id = s.id
  where s.account_id = $1
    and s.provider = $2
    and (s.imported_at > $3::timestamptz or s.withdrawn_at > $3::timestamptz)
    and w.line_id is not null
  union
  select r.line_id
  from tieout.line_retirements as r
  join tieout.statement_lines as l on l.id = r.line_id
  where greatest(r.retired_at, r.restored_at) > $3::timestamptz
    and l.account_id = $1
    and l.provider = $2
  union
  select l.id
  from tieout.statement_lines as l
  where l.account_id = $1
    and l.provider = $2
    and l.effective_at >= $4::timestamptz
    and l.effective_at < $5::timestamptz
  union
  select l.id
  from unnest($7::tstzmultirange - $6::tstzmultirange) as read_since
  join tieout.statement_lines as l
    on l.account_id = $1
   and l.provider = $2
   and l.effective_at >= lower(read_since)
   and l.effective_at < upper(read_since)
  union
  select l.id
  from tieout.statement_lines as l
  where l.account_id = $1
    and l.provider = $2
    and l.id = any ($8::bigint[])`;

const changedTransactions = `
  select s.transaction_id
  from tieout.transaction_statuses as s
  join tieout.transactions as t using (account_id, transaction_id)
  where s.account_id = $1
    and s.first_seen_at > $3::timestamptz
    and lower(coalesce(t.provider, '')) = $2
  union
  select t.transaction_id
  from tieout.transactions as t
  where t.account_id = $1
    and t.transaction_id = any ($4::text[])`;

const ofProvider = "t.account_id = $1 and lower(coalesce(t.provider, '')) = $2";

/** The transactions that the touched lines name. */
const sameIds = [
  `touched_transactions
   select t.transaction_id
   from touched_lines
   join tieout.statement_lines as l on l.id = touched_lines.line_id
   join tieout.transactions as t on t.provider_transaction_id = tieout.comparable_id(l.provider_transaction_id)
   where ${ofProvider}`,
  `touched_transactions
   select t.transaction_id
   from touched_lines
   join tieout.statement_lines as l on l.id = touched_lines.line_id
   join tieout.transactions as t on t.transaction_id = tieout.comparable_id(l.our_reference)
   where ${ofProvider}`,
  `touched_transactions
   select t.transaction_id
   from touched_lines
   join tieout.statement_lines as l on l.id = touched_lines.line_id
   join tieout.transactions as t
     on t.extra ->> 'partnerContext' = tieout.comparable_id(l.our_reference)
    and t.extra ? 'partnerContext'
   where ${ofProvider}`,
  `touched_transactions
   select t.transaction_id
   from touched_lines
   join tieout.statement_lines as l on l.id = touched_lines.line_id
   join tieout.earlier_keys as k
     on k.account_id = $1
    and (k.kind, k.key) in (('provider_id', tieout.comparable_id(l.provider_transaction_id)),
                            ('reference', tieout.comparable_id(l.our_reference)))
   join tieout.transactions as t on t.account_id = $1 and t.transaction_id = k.transaction_id
   where ${ofProvider}`,
];

/** The lines that name a touched transaction, by whatever key it ever had. */
const sameKeysOfTransactions = (["provider_id", "reference"] as const).map((kind) => {
  const column = kind === "provider_id" ? "provider_transaction_id" : "our_reference";
  const latest =
    kind === "provider_id"
      ? "select t.provider_transaction_id"
      : "select t.transaction_id union all select t.extra ->> 'partnerContext' where t.extra ? 'partnerContext'";
  return `touched_lines
   select l.id
   from touched_transactions
   join tieout.transactions as t on t.account_id = $1 and t.transaction_id = touched_transactions.transaction_id
   cross join lateral (
     ${latest}
     union all
     select k.key
     from tieout.earlier_keys as k
     where k.account_id = $1
       and k.transaction_id = t.transaction_id
       and k.kind = '${kind}'
   ) as keys (key)
   join tieout.statement_lines as l
     on l.account_id = $1
    and l.provider = $2
    and tieout.comparable_id(l.${column}) = keys.key
    and l.${column} is not null`;
});

/** Everything of the same chain transfer: whether a hash is unique depends on all of it. */
const sameHashes = [
  `touched_transactions
   select t.transaction_id
   from touched_lines
   join tieout.statement_lines as l on l.id = touched_lines.line_id
   cross join lateral (values (tieout.comparable_hash(l.transaction_hash)), ('0x' || tieout.comparable_hash(l.transaction_hash)))
     as forms (hash)
   join tieout.transactions as t on t.transaction_hash = forms.hash and t.transaction_hash <> ''
   where ${ofProvider}`,
  `touched_transactions
   select t.transaction_id
   from touched_lines
   join tieout.statement_lines as l on l.id = touched_lines.line_id
   join tieout.earlier_keys as k
     on k.account_id = $1
    and k.kind = 'hash'
    and k.key = tieout.comparable_hash(l.transaction_hash)
   join tieout.transactions as t on t.account_id = $1 and t.transaction_id = k.transaction_id
   where ${ofProvider}`,
  `touched_lines
   select l.id
   from touched_transactions
   join tieout.transactions as t on t.account_id = $1 and t.transaction_id = touched_transactions.transaction_id
   cross join lateral (
     select tieout.comparable_hash(t.transaction_hash)
     union all
     select k.key
     from tieout.earlier_keys as k
     where k.account_id = $1
       and k.transaction_id = t.transaction_id
       and k.kind = 'hash'
   ) as keys (key)
   join tieout.statement_lines as l
     on l.account_id = $1
    and l.provider = $2
    and tieout.comparable_hash(l.transaction_hash) = keys.key
    and l.transaction_hash is not null`,
  `touched_transactions
   select t.transaction_id
   from touched_transactions
   join tieout.transactions as same on same.account_id = $1 and same.transaction_id = touched_transactions.transaction_id
   join tieout.transactions as t on t.transaction_hash = same.transaction_hash and t.transaction_hash <> ''
   where ${ofProvider}`,
  // And of the hashes that it has had: what was shared with it is shared no longer.
  `touched_transactions
   select t.transaction_id
   from touched_transactions
   join tieout.earlier_keys as k
     on k.account_id = $1
    and k.transaction_id = touched_transactions.transaction_id
    and k.kind = 'hash'
   join tieout.transaction_statuses as had on had.account_id = $1 and had.transaction_id = k.transaction_id
   join tieout.transactions as t on t.transaction_hash = had.transaction_hash and t.transaction_hash <> ''
   where ${ofProvider}`,
];

const partners = {
  transactions: `touched_transactions
   select m.transaction_id
   from tieout.matches as m
   join touched_lines using (line_id)
   where m.account_id = $1
     and m.provider = $2
     and m.state = 'active'`,
  lines: `touched_lines
   select m.line_id
   from tieout.matches as m
   join touched_transactions using (transaction_id)
   where m.account_id = $1
     and m.provider = $2
     and m.state = 'active'`,
};
