import { openForAWhile } from "./findings-of-transactions.ts";
import type { LastRun } from "./runs.ts";
import { execute, type Run } from "./run.ts";
import { namesOfFresh, ofProvider, stepsOfRound } from "./touched-keys.ts";

export interface TouchedBy {
  last: LastRun;
  /** What has been read of the account by now. */
  covered: string;
  /** Lines and transactions that a person has just matched or parted. */
  lineIds: readonly number[];
  transactionIds: readonly string[];
}

/**
 * What a run has to look at again, as two temporary tables: `touched_lines` and `touched_transactions`. First what is new
 * or has changed; then whatever shares a key with it, because a new line may take a transaction away from another, and a
 * new transaction may make a key ambiguous. That time has passed touches next to nothing: what will be late is written ahead.
 * `null` where there is nothing; "all", without looking for what shares a key, where everything is looked at anyway.
 */
export async function gatherTouched(run: Omit<Run, "scope">, by: TouchedBy): Promise<Run["scope"] | null> {
  await run.tx.query(
    "drop table if exists pg_temp.touched_lines, pg_temp.touched_transactions, pg_temp.fresh_names",
  );
  await run.tx.query(
    `create temp table touched_lines (line_id bigint primary key, round int not null default 0) on commit drop;
     create temp table touched_transactions (transaction_id text primary key, round int not null default 0) on commit drop;
     create temp table fresh_names (kind text not null, key text not null) on commit drop`,
  );
  const since = {
    seen: by.last.knownAt,
    as_at_before: by.last.asAt,
    covered: by.covered,
    covered_before: by.last.covered,
    line_ids: by.lineIds,
    transaction_ids: by.transactionIds,
  };
  // What is found twice is inserted once: `union` would first make room for as many rows as there might be.
  await execute(run, `insert into touched_lines ${changedLines} on conflict do nothing`, since);
  await execute(run, `insert into touched_transactions ${changedTransactions} on conflict do nothing`, since);
  if (!(await isAnyOfRound(run, 0))) return null;
  if (await isMostTouched(run)) return "all";
  // Until nothing is added: whether a key is unique can only be said of everything that shares it. Each round looks from
  // what the last one has added.
  for (let round = 0; await isAnyOfRound(run, round); round++) {
    await run.tx.query("analyze touched_lines; analyze touched_transactions; truncate fresh_names");
    await execute(run, `insert into fresh_names ${namesOfFresh}`, { round });
    await run.tx.query("analyze fresh_names");
    for (const { into, id, found } of stepsOfRound) {
      await execute(
        run,
        `insert into ${into} (${id}, round)
         select found.id, :round::int + 1
         from (${found}) as found (id)
         on conflict do nothing`,
        { round },
      );
    }
  }
  return "touched";
}

/**
 * Whether so much is touched that looking at everything is cheaper: after a first sync or a first file. A line brings its
 * transaction with it, and a transaction its line. It counts no further than it has to.
 */
async function isMostTouched(run: Omit<Run, "scope">): Promise<boolean> {
  const [touched] = await execute<{ count: number }>(
    run,
    "select 2 * greatest((select count(*) from touched_lines), (select count(*) from touched_transactions))::int as count",
  );
  if (touched === undefined || touched.count < fewTouched) return false;
  const [known] = await execute<{ count: number }>(
    run,
    `select ((select count(*)
              from (
                select
                from tieout.transactions as t
                where ${ofProvider}
                limit :enough::int
              ) as transactions)
           + (select count(*)
              from (
                select
                from tieout.statement_lines as l
                where l.account_id = :account_id
                  and l.provider = :'provider'
                limit :enough::int
              ) as lines))::int as count`,
    { enough: touched.count * 4 },
  );
  return (known?.count ?? 0) < touched.count * 4;
}

const fewTouched = 200;

async function isAnyOfRound(run: Omit<Run, "scope">, round: number): Promise<boolean> {
  const [row] = await execute<{ any: boolean }>(
    run,
    `select exists (select from touched_lines where round = :round::int)
         or exists (select from touched_transactions where round = :round::int) as any`,
    { round },
  );
  return row?.any ?? false;
}

/** New, restated, withdrawn or carried by another file; or waiting for what has been read now. */
const changedLines = `
  select w.line_id
  from tieout.statements as s
  join tieout.statement_rows as w on w.statement_id = s.id
  where s.account_id = :account_id
    and s.provider = :'provider'
    and (s.imported_at > :'seen'::timestamptz or s.withdrawn_at > :'seen'::timestamptz)
    and w.line_id is not null
  union all
  select r.line_id
  from tieout.line_retirements as r
  join tieout.statement_lines as l on l.id = r.line_id
  where greatest(r.retired_at, r.restored_at) > :'seen'::timestamptz
    and l.account_id = :account_id
    and l.provider = :'provider'
  union all
  select l.id
  from unnest(:'covered'::tstzmultirange - :'covered_before'::tstzmultirange) as read_since
  join tieout.statement_lines as l
    on l.account_id = :account_id
   and l.provider = :'provider'
   and l.effective_at >= lower(read_since)
   and l.effective_at < upper(read_since)
  union all
  select l.id
  from tieout.statement_lines as l
  where l.account_id = :account_id
    and l.provider = :'provider'
    and l.id = any (:'line_ids'::bigint[])`;

const unmatched = `not exists (
      select
      from tieout.matches as m
      where m.account_id = t.account_id
        and m.transaction_id = t.transaction_id
        and m.state = 'active'
        and m.role = 'settles'
    )`;

/**
 * Changed; in the period of a statement that has come or gone; open although their line is a day behind what was read; or
 * open for a while now.
 */
const changedTransactions = `
  select s.transaction_id
  from tieout.transaction_statuses as s
  join tieout.transactions as t using (account_id, transaction_id)
  where s.account_id = :account_id
    and s.first_seen_at > :'seen'::timestamptz
    and lower(coalesce(t.provider, '')) = :'provider'
  union all
  select t.transaction_id
  from tieout.transactions as t
  where t.account_id = :account_id
    and t.transaction_id = any (:'transaction_ids'::text[])
  union all
  select t.transaction_id
  from tieout.statements as s
  join tieout.transactions as t
    on ${ofProvider}
   and t.status_date >= s.period_from - case s.period_basis when 'settlement' then interval '1 year' else interval '0' end
   and t.status_date < s.period_to
  where s.account_id = :account_id
    and s.provider = :'provider'
    and (s.imported_at > :'seen'::timestamptz or s.withdrawn_at > :'seen'::timestamptz)
    and t.status = 'completed'
    and ${unmatched}
  union all
  select t.transaction_id
  from tieout.transactions as t
  join tieout.matches as m
    on m.account_id = t.account_id
   and m.transaction_id = t.transaction_id
   and m.state = 'active'
  join tieout.statement_lines as l on l.id = m.line_id
  where ${ofProvider}
    and not t.is_final
    and :'covered'::tstzmultirange @> (l.effective_at + interval '24 hours')
    and not :'covered_before'::tstzmultirange @> (l.effective_at + interval '24 hours')
  union all
  select t.transaction_id
  from tieout.transactions as t
  where ${ofProvider}
    and not t.is_final
    and t.status_date >= :'as_at_before'::timestamptz - ${openForAWhile}
    and t.status_date < :'stamp'::timestamptz - ${openForAWhile}`;
