import { allowedOn, anythingDiffers, legAgrees, legColumns, type Part } from "./legs.ts";
import { analyze, count, execute, isAny, make, type Run } from "./run.ts";

/**
 * The pairs that keys make, in the order of the passes: `run_pairs` has one row per line and transaction. A line takes part
 * in the first pass that finds it anything. Pass 0 is a person's choice, 1 goes by the provider's id, 2 by our reference,
 * 3 by the chain's hash.
 */
export async function pairLines(run: Run): Promise<void> {
  // `create table as` may use several workers, `insert` may not: this is the one join of everything with everything.
  await make(run, "run_pairs", byName("provider_id", matchable));
  await execute(run, "create index on run_pairs (line_id)");
  await analyze(run, "run_pairs (line_id, transaction_id, line_type, pass, differs)");
  await make(run, "run_rest", rest);
  if ((await count(run, "select count(*)::int as count from run_rest")) > 0) {
    await execute(run, "create index on run_rest (id)");
    await analyze(run, "run_rest");
    await execute(run, `insert into run_pairs ${byOwnId}`);
    await execute(run, `insert into run_pairs ${byName("reference", "run_rest")}`);
    await execute(run, takeFromRest);
  }
  await execute(run, severalOfALine);
  await execute(run, keepOnce);
  await preferPersons(run);
  await settle(run);
  await pairByHash(run);
}

/** What a person has matched takes the place of what the rules have found for the same line. */
async function preferPersons(run: Run): Promise<void> {
  const empty = !(await isAny(run, matchedByPersons));
  await make(run, "run_persons", byPersons, { empty });
  await make(run, "run_booked", bookedLater, { empty });
  if (empty) return;
  await execute(
    run,
    "delete from run_pairs as p using run_persons as person where person.line_id = p.line_id",
  );
  await execute(run, "insert into run_pairs select * from run_persons");
  await execute(run, takeFromRest);
}

const matchable = `(
    select l.* from run_lines as l where l.line_type not in ('payout', 'balance', 'commission_total')
  )`;

/** `part`: of a line that a person split, with the number of the part before it. `bookedAt`: from when a person's pair counts. */
export function pairColumns(
  pass: number,
  key: string,
  part: Part = null,
  bookedAt = "null::timestamptz",
): string {
  return `
  select ${part === null ? "0::smallint" : part.replace("amount", "no")} as part_no, ${part ?? "null::numeric"} as part_amount,
         ${pass}::smallint as pass, ${bookedAt} as booked_at, ${key} as key, l.provider, l.id as line_id, l.line_type, l.line_key, l.occurrence, l.effective_at,
         l.moved_money, t.transaction_id, t.record_hash, t.status_date, t.in_code, t.in_places, t.in_is_fiat, t.out_code,
         t.out_places, t.out_is_fiat,${legColumns(part)},
         l.fee_total, l.fee_processing, l.fee_network, l.fee_partner, ${anythingDiffers(part)} as differs`;
}

/** No rule makes a pair again that a person has parted. Compared by the line itself: its versions have numbers of their own. */
export const notBarred = `not exists (
       select
       from tieout.matches as barred
       join tieout.statement_lines as parted on parted.id = barred.line_id
       where barred.barred
         and barred.account_id = :account_id
         and barred.transaction_id = t.transaction_id
         and parted.line_key = l.line_key
         and parted.occurrence = l.occurrence
         and parted.provider = l.provider
     )`;

/**
 * Two providers may give one id to orders of their own. It hardly ever happens, and the planner, which does not know that, would
 * expect fewer pairs by the number of providers: a `case` keeps it from counting.
 */
const sameProvider = "case when t.provider = l.provider then true end";

/**
 * By a name of either kind, whichever status row brought it. The hash finds it, and already says nearly all that the name
 * does. A `case` keeps the planner from counting both: it would expect a single row, and compare each one that it finds with
 * every transaction.
 */
function byName(kind: "provider_id" | "reference", lines: string): string {
  const key = kind === "provider_id" ? "l.id_key" : "l.reference_key";
  return `
  ${pairColumns(kind === "provider_id" ? 1 : 2, "k.key")}
  from ${lines} as l
  join run_names as k
    on k.name_hash = tieout.name_hash(:account_id, '${kind}', ${key})
   and k.kind = '${kind}'
   and case when k.key = ${key} then true end
  join run_transactions as t on t.transaction_id = k.transaction_id and ${sameProvider}
  where ${key} <> ''
    and ${notBarred}`;
}

/** Our own id is a reference too; the key of the table finds it. */
const byOwnId = `
  ${pairColumns(2, "l.reference_key")}
  from run_rest as l
  join run_transactions as t on t.transaction_id = l.reference_key and ${sameProvider}
  where ${notBarred}`;

/** Few, and asked for twice: so not all pairs are gone through each time. */
const severalOfALine = `
  create temp table run_several on commit drop as
  select line_id
  from run_pairs
  group by line_id
  having count(*) > 1`;

/** Two workers that met a new transaction in the same moment may both have written its names. */
const keepOnce = `
  delete from run_pairs as p
  using (
    select line_id, transaction_id, min(ctid) as kept
    from run_pairs
    where line_id in (select line_id from run_several)
    group by line_id, transaction_id
    having count(*) > 1
  ) as twice
  where p.line_id = twice.line_id
    and p.transaction_id = twice.transaction_id
    and p.ctid <> twice.kept`;

const rest = `
  select l.*
  from ${matchable} as l
  where not exists (select from run_pairs as p where p.line_id = l.id)`;

const takeFromRest = "delete from run_rest as l using run_pairs as p where p.line_id = l.id";

const matchedByPersons = `
    from tieout.matches as m
    where m.account_id = :account_id
      and m.provider = any (:'providers'::text[])
      and m.state = 'active'
      and m.rule = 'person'`;

/** Pairs that a person made, carried over to the version of the line that counts and the record that is latest now. */
const byPersons = `
  ${pairColumns(0, "null::text", "m.part_amount", "m.effective_at")}
  from (select m.* ${matchedByPersons}) as m
  join tieout.statement_lines as held on held.id = m.line_id
  join ${matchable} as l
    on l.provider = held.provider
   and l.line_key = held.line_key
   and l.occurrence = held.occurrence
  join run_transactions as t on t.transaction_id = m.transaction_id and ${sameProvider}`;

/**
 * A person's pair counts from the day it was booked. Until then its line is judged by what the rules find for it: nothing,
 * or several transactions.
 */
const bookedLater = `
  select p.line_id, p.booked_at, found.transactions, found.transaction_ids
  from (
    select line_id, min(booked_at) as booked_at
    from run_persons
    where booked_at > effective_at
    group by line_id
  ) as p
  cross join lateral (
    select count(*)::int, string_agg(rule.transaction_id, ', ' order by rule.transaction_id)
    from run_pairs as rule
    where rule.line_id = p.line_id
  ) as found (transactions, transaction_ids)`;

/**
 * Which lines settle which transactions. A line with several candidates is ambiguous and gets none. Of several charges
 * for one transaction one settles it: a person's choice, then the stronger key, then one that moved money, then the
 * earliest; never the order of arrival. The others stay behind as duplicates.
 */
async function settle(run: Run): Promise<void> {
  await execute(
    run,
    `create temp table run_ambiguous on commit drop as
     select line_id, min(pass) as pass, string_agg(transaction_id, ', ' order by transaction_id) as transaction_ids
     from run_pairs
     where line_id in (
       select line_id
       from run_pairs
       where line_id in (select line_id from run_several union all select line_id from run_persons)
       group by line_id
       having min(transaction_id) <> max(transaction_id)
          and bool_and(part_amount is null)              -- a person has said which part is whose
     )
     group by line_id`,
  );
  await execute(run, "delete from run_pairs as p using run_ambiguous as a where a.line_id = p.line_id");
  await execute(
    run,
    `create temp table run_duplicates on commit drop as
     select line_id, transaction_id, settled_by
     from (
       select p.line_id, p.transaction_id, first_value(p.line_id) over claim as settled_by
       from run_pairs as p
       join (                        -- few: only these need an order
         select transaction_id
         from run_pairs
         where line_type = 'charge'
         group by transaction_id
         having count(*) > 1
       ) as contested using (transaction_id)
       where p.line_type = 'charge'
       window claim as (
         partition by p.transaction_id
         order by p.pass, not p.moved_money, p.effective_at, p.line_key, p.occurrence
       )
     ) as claims
     where line_id <> settled_by`,
  );
  await execute(
    run,
    "delete from run_pairs as p using run_duplicates as d where (d.line_id, d.transaction_id) = (p.line_id, p.transaction_id)",
  );
  // By which the later passes see that a transaction is settled.
  await execute(run, "create index on run_pairs (transaction_id)");
}

/**
 * A hash alone identifies nothing: providers pay in batches. It counts together with the asset, the address where both
 * sides have one, and the crypto amount; and only where it is unique on both sides. A line whose hash names a transaction
 * that another line has settled settles it a second time.
 */
async function pairByHash(run: Run): Promise<void> {
  if ((await count(run, "select count(*)::int as count from run_rest where hash_key is not null")) === 0)
    return;
  await make(run, "run_hash_pairs", hashPairs);
  await execute(
    run,
    `insert into run_duplicates
     select p.line_id, min(p.transaction_id), min(s.line_id)
     from run_hash_pairs as p
     left join run_pairs as s on s.transaction_id = p.transaction_id and s.line_type = 'charge'
     group by p.line_id
     having count(*) = 1
        and min(s.line_id) is not null`,
  );
  await execute(
    run,
    `delete from run_hash_pairs as p
     using run_pairs as s
     where s.transaction_id = p.transaction_id
       and s.line_type = 'charge'`,
  );
  // Several lines for one transaction, or several transactions for one line: none of them is chosen.
  await execute(
    run,
    `insert into run_ambiguous
     select p.line_id, min(p.pass), string_agg(p.transaction_id, ', ' order by p.transaction_id)
     from run_hash_pairs as p
     group by p.line_id
     having count(*) > 1
         or bool_or(exists (
           select
           from run_hash_pairs as other
           where other.transaction_id = p.transaction_id
             and other.line_id <> p.line_id
         ))`,
  );
  await execute(
    run,
    `insert into run_pairs
     select p.*
     from run_hash_pairs as p
     where not exists (select from run_ambiguous as a where a.line_id = p.line_id)`,
  );
}

const difference = "(case when p.in_is_fiat then p.out_difference else p.in_difference end)";

const hashPairs = `
  select p.*
  from (${pairColumns(3, "l.hash_key")}
    from run_rest as l
    cross join lateral (
      select distinct transaction_id from tieout.named(:account_id, 'hash', l.hash_key)
    ) as named
    join run_transactions as t on t.transaction_id = named.transaction_id and ${sameProvider}
    where l.hash_key is not null
      and l.line_type = 'charge'
      and ${notBarred}
      and (tieout.comparable_address(l.wallet_address) <> tieout.comparable_address(t.wallet_address)) is not true
  ) as p${allowedOn("in", difference)}${allowedOn("out", difference)}
  where ${difference} is not null
    and case when p.in_is_fiat then ${legAgrees("out", difference)} else ${legAgrees("in", difference)} end`;
