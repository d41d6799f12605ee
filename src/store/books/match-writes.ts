import { allowedOn, differenceName } from "./legs.ts";
import { analyze, count, countEach, type Counts, execute, type Run, total } from "./run.ts";

export interface MatchCounts {
  made: Counts;
  ended: Counts;
}

/**
 * Makes the table say what the passes found. A match never changes: when its record, its amounts or its rule do, it ends
 * and another begins, so that what was known at any time can be read later. What is as it was stays untouched.
 */
export async function writeMatches(run: Run): Promise<MatchCounts> {
  const counts = await write(run, "run_pairs", "active", run.scope === "touched" ? touchedOnly : "");
  // A table that has just grown by a million rows is empty in the eyes of the planner. Only the columns by which runs and
  // reports look for matches: the others would take most of the time.
  if (total(counts.made) + total(counts.ended) > (await rowsToAnalyze(run)))
    await execute(
      run,
      `select tieout.look_at_tables(array['tieout.matches'::regclass], columns => array['account_id', 'provider', 'transaction_id',
         'line_id', 'role', 'rule', 'state', 'part_amount', 'matched_at', 'ended_at', 'barred'])`,
    );
  return counts;
}

/** One row in twenty, as the planner counts them, and no fewer than a thousand. */
async function rowsToAnalyze(run: Run): Promise<number> {
  const known = "select (reltuples / 20)::int as count from pg_class where oid = 'tieout.matches'::regclass";
  return Math.max(1_000, await count(run, known));
}

/** Where nothing is suggested now, what was suggested for these lines has come to its end. */
export async function endSuggestions(run: Run): Promise<void> {
  await execute(
    run,
    `update tieout.matches as m
     set state = 'ended', ended_at = :'stamp'::timestamptz, ended_by = 'rules', ended_reason = ${whyGone}
     where m.account_id = :account_id
       and m.provider = any (:'providers'::text[])
       and m.state = 'suggested'
       and m.line_id in (${judgedLines})`,
  );
}

export async function writeSuggestions(run: Run): Promise<MatchCounts> {
  return write(run, "run_suggestions", "suggested", `\n       and m.line_id in (${judgedLines})`);
}

/** The lines whose suggestions this run has judged; the others keep theirs. */
const judgedLines = `
         select l.id
         from tieout.matches as s
         join tieout.statement_lines as l on l.id = s.line_id
         join run_near on run_near.provider = s.provider
         where s.account_id = :account_id
           and s.state = 'suggested'
           and run_near.judged @> l.effective_at`;

/** Each looked up: with an `or`, all matches would be read for the few that were touched. */
const touchedOnly = `
       and m.id in (
         select touched.id
         from pg_temp.touched_lines as l
         join tieout.matches as touched on touched.line_id = l.line_id
         union
         select touched.id
         from pg_temp.touched_transactions as t
         join tieout.matches as touched on touched.account_id = :account_id and touched.transaction_id = t.transaction_id)`;

async function write(
  run: Run,
  pairs: "run_pairs" | "run_suggestions",
  state: "active" | "suggested",
  among: string,
): Promise<MatchCounts> {
  const ended = await countEach(
    run,
    `${wanted(pairs)}, written as (
       update tieout.matches as held
       set state = 'ended', ended_at = :'stamp'::timestamptz, ended_by = 'rules', ended_reason = stale.why
       from (
         select m.id, ${whyEnded} as why
         from tieout.matches as m
         left join wanted as w on w.line_id = m.line_id and w.part_no = m.part_no
         where m.account_id = :account_id
           and m.provider = any (:'providers'::text[])
           and m.state = '${state}'${among}
           and not coalesce(${isSame}, false)
       ) as stale
       where held.id = stale.id
       returning held.provider
     )`,
  );
  // What is matched already is looked up before the first row is written: while the planner takes the table for empty, it
  // reads all of it for each row, and in one statement it would be growing meanwhile.
  await run.tx.query("drop table if exists pg_temp.run_held");
  await execute(
    run,
    `create temp table run_held on commit drop as
     select m.line_id, m.part_no
     from tieout.matches as m
     where m.account_id = :account_id
       and m.provider = any (:'providers'::text[])
       and m.state = '${state}'${among}`,
  );
  await analyze(run, "run_held");
  const made = await countEach(
    run,
    `${wanted(pairs)}, written as (
       ${insertWanted(`'${state}'`, "coalesce(w.made_by, 'rules')", "w.reason")}
       where not exists (select from run_held as m where m.line_id = w.line_id and m.part_no = w.part_no)
       order by w.transaction_id         -- as the largest index is: each of its pages is filled once
       returning provider
     )`,
  );
  return { made, ended };
}

/** The matches as a run would write them, amounts and named difference included: the next run finds nothing to correct. */
export async function insertMatchesByPerson(
  run: Run,
  by: { actor: string; reason: string; bookedAt: string | null },
): Promise<number[]> {
  const { actor, reason, bookedAt } = by;
  const made = await execute<{ id: number }>(
    run,
    `${wanted("run_pairs", "coalesce(:'booked_at'::timestamptz, :'stamp'::timestamptz)")}
     ${insertWanted("'active'", ":'actor'", ":'reason'")}
     order by w.part_no
     returning id::int`,
    { actor, reason, booked_at: bookedAt },
  );
  return made.map(({ id }) => id);
}

function insertWanted(state: string, madeBy: string, reason: string): string {
  return `insert into tieout.matches (account_id, provider, transaction_id, record_hash, line_id, part_no, part_amount, role, rule, keys,
         state, made_by, reason, in_expected, in_actual, in_difference, out_expected, out_actual, out_difference, difference_name,
         effective_at, matched_at)
       select :account_id, w.provider, w.transaction_id, w.record_hash, w.line_id, w.part_no, w.part_amount, w.role, w.rule, w.keys,
              ${state}, ${madeBy}, ${reason}, w.in_expected, w.in_actual, w.in_actual - w.in_expected, w.out_expected, w.out_actual,
              w.out_actual - w.out_expected, w.difference_name, w.effective_at, :'stamp'::timestamptz
       from wanted as w`;
}

/**
 * The pairs as rows of the table. Amounts stand on settling matches only, and only where the leg could be compared. Names
 * and persons are looked up for the few pairs that have them, so that a million others do not pay for it. A person's
 * match counts from the day on which it was booked, never before.
 */
function wanted(
  pairs: string,
  decidedAt = "coalesce((p.person).effective_at, :'stamp'::timestamptz)",
): string {
  const compared = (leg: "in" | "out", column: string) =>
    `case when p.role = 'settles' and p.${leg}_difference is not null then p.${leg}_${column} end as ${leg}_${column}`;
  return `with wanted as (
  select p.provider, p.transaction_id, p.record_hash, p.line_id, p.part_no, p.part_amount, p.role, p.rule, p.keys,
         case p.pass when 0 then greatest(p.effective_at, ${decidedAt})
                     else p.effective_at end as effective_at,
         ${compared("in", "expected")}, ${compared("in", "actual")},
         ${compared("out", "expected")}, ${compared("out", "actual")},
         case when p.role = 'settles' and (p.in_difference <> 0 or p.out_difference <> 0) then (
           select coalesce(${differenceName("in", "p.in_difference")}, ${differenceName("out", "p.out_difference")})
           from (values (1)) as one${allowedOn("in", "p.in_difference")}${allowedOn("out", "p.out_difference")}
         ) end as difference_name,
         (p.person).made_by,
         (p.person).reason
  from (
    select p.*,
           case when p.line_type = 'charge' then 'settles' else 'relates' end as role,
           (array['person', 'provider_id', 'our_reference', 'hash', 'suggested'])[p.pass + 1] as rule,
           case p.pass                   -- not jsonb_build_object, which finds out anew for each row what a text is
             when 1 then jsonb_object(array['provider_transaction_id', p.key])
             when 2 then jsonb_object(array['our_reference', p.key])
             when 3 then jsonb_object(array['transaction_hash', p.key])
             else '{}'::jsonb
           end as keys,
           case p.pass when 0 then (
             select m
             from tieout.matches as m
             join tieout.statement_lines as chosen on chosen.id = m.line_id
             where m.account_id = :account_id
               and m.transaction_id = p.transaction_id
               and m.rule = 'person'
               and chosen.provider = p.provider
               and chosen.line_key = p.line_key
               and chosen.occurrence = p.occurrence
             order by m.id desc
             limit 1
           ) end as person
    from pg_temp.${pairs} as p
  ) as p
)`;
}

const isSame = `((w.transaction_id, w.record_hash, w.role, w.rule)
           = (m.transaction_id, m.record_hash, m.role, m.rule)
         and (w.part_amount, w.in_expected, w.in_actual, w.out_expected, w.out_actual, w.difference_name)
           is not distinct from (m.part_amount, m.in_expected, m.in_actual, m.out_expected, m.out_actual, m.difference_name))`;

/** No rule finds the pair any longer; because its line does not count now, perhaps. */
const whyGone = `coalesce((
             select 'line_' || r.reason
             from tieout.line_retirements as r
             where r.line_id = m.line_id
               and r.restored_at is null
           ), 'no_longer_found')`;

const whyEnded = `case
           when w.transaction_id = m.transaction_id and w.record_hash <> m.record_hash then 'record_changed'
           when w.transaction_id = m.transaction_id then 'setting_changed'
           when w.transaction_id is not null then 'better_match'
           else ${whyGone}
         end`;
