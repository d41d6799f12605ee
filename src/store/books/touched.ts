import { openForAWhile } from "./findings-of-transactions.ts";
import type { LastRun } from "./runs.ts";
import { analyze, execute, type Run } from "./run.ts";
import { namesOfFresh, ofProviders, statusesOfFresh, stepsOfRound } from "./touched-keys.ts";

export interface TouchedBy {
  last: LastRun;
  /** What has been read of the account by now. */
  covered: string;
  /** Lines and transactions that a person has just matched or parted. */
  lineIds: readonly number[];
  transactionIds: readonly string[];
}

/** The providers of which there is something to look at again. */
export interface Touched {
  /** So much that looking at everything is cheaper; `touched_lines` and `touched_transactions` leave it out. */
  most: readonly string[];
  some: readonly string[];
}

/**
 * What a run has to look at again, as temporary tables: `touched_lines` and `touched_transactions`, with every time and name
 * that these ever had as `touched_statuses` and `touched_names`. First what is new or has changed; then whatever shares a key with it, because a
 * new line may take a transaction away from another, and a new transaction may make a key ambiguous. That time has passed
 * touches next to nothing: what will be late is written ahead.
 */
export async function gatherTouched(run: Omit<Run, "scope">, by: TouchedBy): Promise<Touched> {
  await run.tx.query(
    "drop table if exists pg_temp.touched_lines, pg_temp.touched_transactions, pg_temp.touched_statuses, pg_temp.touched_names",
  );
  await run.tx.query(
    `create temp table touched_lines (line_id bigint primary key, provider text not null, round int not null default 0) on commit drop;
     create temp table touched_transactions (transaction_id text primary key, provider text not null, round int not null default 0)
       on commit drop;
     create temp table touched_statuses (transaction_id text not null, provider text not null, status_date timestamptz not null,
       provider_transaction_id text, reference text, transaction_hash text, round int not null) on commit drop;
     create temp table touched_names (transaction_id text not null, kind text not null, key text not null, round int not null)
       on commit drop`,
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
  const most = await leaveOutMostTouched(run);
  const left = run.providers.filter((provider) => !most.includes(provider));
  if (left.length > 0) await addNeighbours({ ...run, providers: left });
  return { most, some: await listTouched(run) };
}

/**
 * Until nothing is added: whether a key is unique can only be said of everything that shares it. Each round looks from what
 * the last one has added.
 */
async function addNeighbours(run: Omit<Run, "scope">): Promise<void> {
  for (let round = 0; await isAnyOfRound(run, round); round++) {
    await analyze(run, "touched_lines", "touched_transactions");
    await execute(run, `insert into touched_statuses ${statusesOfFresh}`, { round });
    await execute(run, `insert into touched_names ${namesOfFresh}`, { round });
    await analyze(run, "touched_names");
    for (const { into, id, found } of stepsOfRound) {
      await execute(
        run,
        `insert into ${into} (${id}, provider, round)
         select found.id, found.provider, :round::int + 1
         from (${found}) as found (id, provider)
         on conflict do nothing`,
        { round },
      );
    }
  }
}

const countTouched = `
  select provider, 2 * greatest(count(line_id), count(transaction_id))::int as count
  from (
    select provider, line_id, null as transaction_id from touched_lines
    union all
    select provider, null, transaction_id from touched_transactions
  ) as touched
  group by provider`;

/**
 * The providers of which so much is touched that looking at everything is cheaper: after a first sync or a first file. A
 * line brings its transaction with it, and a transaction its line. It counts no further than it has to.
 */
async function leaveOutMostTouched(run: Omit<Run, "scope">): Promise<string[]> {
  const found = await execute<{ provider: string }>(
    run,
    `select touched.provider
     from (${countTouched}
     ) as touched
     cross join lateral (
       select count(*) as transactions
       from (
         select
         from tieout.transactions as t
         where t.account_id = :account_id
           and lower(coalesce(t.provider, '')) = touched.provider
         limit touched.count * 4
       ) as known
     ) as t
     cross join lateral (
       select count(*) as lines
       from (
         select
         from tieout.statement_lines as l
         where l.account_id = :account_id
           and l.provider = touched.provider
         limit touched.count * 4
       ) as known
     ) as l
     where touched.count >= ${fewTouched}
       and t.transactions + l.lines < touched.count * 4`,
  );
  const most = found.map(({ provider }) => provider);
  if (most.length === 0) return most;
  const leaveOut = (table: string) => `delete from ${table} where provider = any (:'most'::text[])`;
  await execute(run, leaveOut("touched_lines"), { most });
  await execute(run, leaveOut("touched_transactions"), { most });
  return most;
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

async function listTouched(run: Omit<Run, "scope">): Promise<string[]> {
  const found = await execute<{ provider: string }>(
    run,
    `select provider
     from unnest(:'providers'::text[]) as judged (provider)
     where provider in (select provider from touched_lines union select provider from touched_transactions)
     order by provider`,
  );
  return found.map(({ provider }) => provider);
}

/** New, restated, withdrawn or carried by another file; or waiting for what has been read now. */
const changedLines = `
  select w.line_id, s.provider
  from tieout.statements as s
  join tieout.statement_rows as w on w.statement_id = s.id
  where s.account_id = :account_id
    and s.provider = any (:'providers'::text[])
    and (s.imported_at > :'seen'::timestamptz or s.withdrawn_at > :'seen'::timestamptz)
    and w.line_id is not null
  union all
  select r.line_id, l.provider
  from tieout.line_retirements as r
  join tieout.statement_lines as l on l.id = r.line_id
  where greatest(r.retired_at, r.restored_at) > :'seen'::timestamptz
    and l.account_id = :account_id
    and l.provider = any (:'providers'::text[])
  union all
  select l.id, l.provider
  from unnest(:'covered'::tstzmultirange - :'covered_before'::tstzmultirange) as read_since
  join tieout.statement_lines as l
    on l.account_id = :account_id
   and l.provider = any (:'providers'::text[])
   and l.effective_at >= lower(read_since)
   and l.effective_at < upper(read_since)
  union all
  select l.id, l.provider
  from tieout.statement_lines as l
  where l.account_id = :account_id
    and l.provider = any (:'providers'::text[])
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
  select s.transaction_id, lower(coalesce(t.provider, ''))
  from tieout.transaction_statuses as s
  join tieout.transactions as t using (account_id, transaction_id)
  where s.account_id = :account_id
    and s.first_seen_at > :'seen'::timestamptz
    and lower(coalesce(t.provider, '')) = any (:'providers'::text[])
  union all
  select t.transaction_id, lower(coalesce(t.provider, ''))
  from tieout.transactions as t
  where t.account_id = :account_id
    and t.transaction_id = any (:'transaction_ids'::text[])
  union all
  select t.transaction_id, lower(coalesce(t.provider, ''))
  from tieout.statements as s
  join tieout.transactions as t
    on t.account_id = s.account_id
   and lower(coalesce(t.provider, '')) = s.provider
   and t.status_date >= s.period_from - case s.period_basis when 'settlement' then interval '1 year' else interval '0' end
   and t.status_date < s.period_to
  where s.account_id = :account_id
    and s.provider = any (:'providers'::text[])
    and (s.imported_at > :'seen'::timestamptz or s.withdrawn_at > :'seen'::timestamptz)
    and t.status = 'completed'
    and ${unmatched}
  union all
  select t.transaction_id, lower(coalesce(t.provider, ''))
  from tieout.transactions as t
  join tieout.matches as m
    on m.account_id = t.account_id
   and m.transaction_id = t.transaction_id
   and m.state = 'active'
  join tieout.statement_lines as l on l.id = m.line_id
  where ${ofProviders}
    and not t.is_final
    and :'covered'::tstzmultirange @> (l.effective_at + interval '24 hours')
    and not :'covered_before'::tstzmultirange @> (l.effective_at + interval '24 hours')
  union all
  select t.transaction_id, lower(coalesce(t.provider, ''))
  from tieout.transactions as t
  where ${ofProviders}
    and not t.is_final
    and t.status_date >= :'as_at_before'::timestamptz - ${openForAWhile}
    and t.status_date < :'stamp'::timestamptz - ${openForAWhile}`;
