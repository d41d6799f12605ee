import { count, execute, type Run } from "../books/run.ts";
import type { LastRun } from "../books/runs.ts";

/** Stands in the place of a provider: bank lines are of an account, and may settle payouts of any provider. */
export const receiptsOfAccount = "*receipts";

export interface TouchedReceipts {
  readonly last: LastRun | null;
  readonly full: boolean;
  /** What a person has just matched or parted. */
  readonly lineIds: readonly number[];
}

/**
 * What a run over the receipts has to look at: everything, what was touched since the last run with all that shares a name
 * or a match with it, or nothing. Leaves `receipt_payout_keys`, and for what was touched `touched_receipts` and
 * `touched_paid`.
 */
export async function scopeOfReceipts(
  run: Omit<Run, "scope">,
  { last, full, lineIds }: TouchedReceipts,
): Promise<Run["scope"] | null> {
  const hasAny = await count(run, anyReceipts);
  if (hasAny === 0) return null;
  await run.tx.query(dropAll);
  const since = { seen: last?.knownAt ?? "-infinity", line_ids: lineIds };
  const changesAll = full || last === null || (await isAnythingDecided(run, since.seen));
  if (!changesAll && lineIds.length === 0 && (await count(run, bindSince(changed, since))) === 0) return null;
  await execute(run, payoutKeys);
  await run.tx.query(
    "create index on receipt_payout_keys (key); create index on receipt_payout_keys (payout_id); analyze receipt_payout_keys",
  );
  if (changesAll) return "all";
  await run.tx.query(
    `create temp table touched_receipts (line_id bigint primary key, round int not null) on commit drop;
     create temp table touched_paid (payout_id bigint primary key, round int not null) on commit drop`,
  );
  await execute(run, changedLines, since);
  await execute(run, changedPayouts, since);
  for (let round = 0; ; round++) {
    await run.tx.query("analyze touched_receipts; analyze touched_paid");
    const added = await addNeighbours(run, round);
    if (added === 0) break;
  }
  return "touched";
}

const anyReceipts =
  "select count(*)::int as count from (select from tieout.receipt_files where account_id = :account_id limit 1) as one";

/** Two runs may share a database transaction. */
const dropAll = `
  drop table if exists ${[
    "receipt_payout_keys",
    "touched_receipts",
    "touched_paid",
    "run_receipts",
    "run_paid",
    "run_receipt_pairs",
    "run_receipt_chosen",
    "run_receipt_wanted",
    "run_found",
    "run_findings",
    "run_holding",
  ]
    .map((table) => `pg_temp.${table}`)
    .join(", ")}`;

/** A setting, or from when on a currency is followed: either may change what holds of every payout. */
async function isAnythingDecided(run: Omit<Run, "scope">, seen: string): Promise<boolean> {
  const [row] = await execute<{ any: boolean }>(run, decided, { seen });
  return row?.any ?? true;
}

const followed = (when: string) => `
    select lower(b.currency) as currency, min(f.period_from) as since
    from tieout.receipt_files as f
    cross join lateral jsonb_to_recordset(f.balances) as b (currency text)
    where f.account_id = :account_id
      and ${when}
    group by 1`;

const decided = `
  select exists (
    select
    from tieout.provider_settings as v
    where v.kind in ('receipts', 'calendar')
      and (v.account_id = :account_id or v.account_id is null)
      and v.saved_at > :'seen'::timestamptz
  ) or exists (
    select
    from (${followed("f.state = 'imported'")}
    ) as now
    full join (${followed("f.imported_at <= :'seen'::timestamptz and (f.withdrawn_at is null or f.withdrawn_at > :'seen'::timestamptz)")}
    ) as before using (currency)
    where now.since is distinct from before.since
  ) as any`;

const changed = `
  select (exists (
    select
    from tieout.receipt_files
    where account_id = :account_id
      and (imported_at > :'seen'::timestamptz or withdrawn_at > :'seen'::timestamptz)
  ) or exists (
    select
    from tieout.payouts
    where account_id = :account_id
      and last_changed_at > :'seen'::timestamptz
  ))::int as count`;

/** `count` takes no further parameters. */
function bindSince(statement: string, { seen }: { seen: string }): string {
  return statement.replaceAll(":'seen'", `'${seen.replaceAll("'", "")}'`);
}

/** Of withdrawn payouts too: a line that two providers' payouts claimed is free for the one that is left. */
const payoutKeys = `
  create temp table receipt_payout_keys on commit drop as
  select distinct p.id as payout_id, p.provider, lower(p.currency) as currency, name.key, name.is_short,
         p.line_count > 0 or p.net_declared is not null as is_in_force
  from tieout.payouts as p
  left join tieout.statement_lines as d on d.id = p.declared_by_line_id
  cross join lateral (
    values (tieout.comparable_name(p.payout_ref), false), (tieout.comparable_name(d.provider_transaction_id), false),
           (tieout.comparable_name(p.transaction_hash), false), (tieout.short_name(p.payout_ref), true)
  ) as name (key, is_short)
  where p.account_id = :account_id
    and name.key is not null`;

const changedLines = `
  insert into touched_receipts
  select w.line_id, 0
  from tieout.receipt_files as f
  join tieout.receipt_rows as w on w.file_id = f.id
  where f.account_id = :account_id
    and (f.imported_at > :'seen'::timestamptz or f.withdrawn_at > :'seen'::timestamptz)
    and w.line_id is not null
  union
  select r.line_id, 0
  from tieout.receipt_retirements as r
  join tieout.receipt_lines as l on l.id = r.line_id
  where l.account_id = :account_id
    and greatest(r.retired_at, r.restored_at) > :'seen'::timestamptz
  union
  select l.id, 0
  from tieout.receipt_lines as l
  where l.account_id = :account_id
    and l.id = any (:'line_ids'::bigint[])`;

const changedPayouts = `
  insert into touched_paid
  select p.id, 0
  from tieout.payouts as p
  where p.account_id = :account_id
    and p.last_changed_at > :'seen'::timestamptz`;

/** Until nothing is added: how a line is shared out depends on all the payouts that it names, and on their other lines. */
async function addNeighbours(run: Omit<Run, "scope">, round: number): Promise<number> {
  const lines = await execute(run, neighbourLines, { round });
  const payouts = await execute(run, neighbourPayouts, { round });
  return lines.length + payouts.length;
}

/** Matches of all versions of a line: what a person has matched is carried over to the one that counts. */
const neighbourLines = `
  insert into touched_receipts
  select found.line_id, :round::int + 1
  from (
    select l.id as line_id
    from touched_paid as t
    join tieout.receipt_matches as m on m.payout_id = t.payout_id
    join tieout.receipt_lines as told on told.id = m.receipt_line_id
    join tieout.receipt_lines as l
      on l.account_id = told.account_id
     and l.line_key = told.line_key
     and l.occurrence = told.occurrence
    where t.round = :round::int
    union
    select l.id
    from touched_paid as t
    join receipt_payout_keys as k on k.payout_id = t.payout_id
    join tieout.receipt_lines as l on l.keys @> array[k.key]
    where t.round = :round::int
      and l.account_id = :account_id
    union
    select l.id                              -- names that it had: another payout may be the only one that has them now
    from touched_paid as t
    join tieout.payout_history as former on former.payout_id = t.payout_id
    left join tieout.statement_lines as d on d.id = former.declared_by_line_id
    cross join lateral (
      values (tieout.comparable_name(d.provider_transaction_id)), (tieout.comparable_name(former.transaction_hash))
    ) as name (key)
    join tieout.receipt_lines as l on l.keys @> array[name.key]
    where t.round = :round::int
      and l.account_id = :account_id
    union
    select l.id
    from touched_paid as t
    join receipt_payout_keys as k on k.payout_id = t.payout_id and k.is_short
    join tieout.receipt_lines as l on k.key in (tieout.short_name(l.reference), tieout.short_name(l.end_to_end_id))
    where t.round = :round::int
      and l.account_id = :account_id
  ) as found
  on conflict do nothing
  returning line_id`;

const neighbourPayouts = `
  insert into touched_paid
  select found.payout_id, :round::int + 1
  from (
    select m.payout_id
    from touched_receipts as t
    join tieout.receipt_lines as l on l.id = t.line_id
    join tieout.receipt_lines as told
      on told.account_id = l.account_id
     and told.line_key = l.line_key
     and told.occurrence = l.occurrence
    join tieout.receipt_matches as m on m.receipt_line_id = told.id
    where t.round = :round::int
    union
    select k.payout_id
    from touched_receipts as t
    join tieout.receipt_lines as l on l.id = t.line_id
    cross join lateral unnest(l.keys) as name (key)
    join receipt_payout_keys as k on k.key = name.key and not k.is_short
    where t.round = :round::int
    union
    select k.payout_id
    from touched_receipts as t
    join tieout.receipt_lines as l on l.id = t.line_id
    join receipt_payout_keys as k
      on k.key in (tieout.short_name(l.reference), tieout.short_name(l.end_to_end_id))
     and k.is_short
    where t.round = :round::int
  ) as found
  on conflict do nothing
  returning payout_id`;
