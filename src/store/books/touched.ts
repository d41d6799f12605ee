import type { Transaction } from "../database.ts";
import type { LastRun } from "./runs.ts";
import { linesMatchedWith, matchedWith, ofProvider, stepsOfRound } from "./touched-keys.ts";

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
    `create temp table touched_lines (line_id bigint primary key, round int not null default 0) on commit drop;
     create temp table touched_transactions (transaction_id text primary key, round int not null default 0) on commit drop`,
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
  // Until nothing is added: whether a key is unique can only be said of everything that shares it. Each round looks from
  // what the last one has added.
  for (let round = 0; await isAnyOfRound(tx, round); round++) {
    await tx.query("analyze touched_lines; analyze touched_transactions");
    for (const { into, id, found } of stepsOfRound) {
      await tx.query(
        `insert into ${into} (${id}, round)
         select found.id, $3::int + 1
         from (${found}) as found (id)
         on conflict do nothing`,
        [accountId, provider, round],
      );
    }
  }
  return true;
}

/** Both sides of every match that stands, so that what is judged is judged whole. */
export async function gatherPartners(tx: Transaction, accountId: number, provider: string): Promise<void> {
  const values = [accountId, provider];
  await tx.query(
    `insert into touched_transactions ${matchedWith("touched_lines")} on conflict do nothing`,
    values,
  );
  await tx.query(
    `insert into touched_lines ${linesMatchedWith("touched_transactions")} on conflict do nothing`,
    values,
  );
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

async function isAnyOfRound(tx: Transaction, round: number): Promise<boolean> {
  const [row] = await tx.query<{ any: boolean }>(
    `select exists (select from touched_lines where round = $1)
         or exists (select from touched_transactions where round = $1) as any`,
    [round],
  );
  return row?.any ?? false;
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
