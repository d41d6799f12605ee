import type { Queryable } from "../database.ts";

/**
 * Brings `line_retirements` and `line_carriers` in line with the statements, for every line that these statements carry.
 * Of the versions of a line, the one in the statement that was made last stands, by (made_at, sha256); a version that no
 * statement in force carries does not count. A line belongs to the statement made last that carries it.
 */
export async function refreshLinesInForce(
  tx: Queryable,
  { statementIds, causedBy, at }: { statementIds: readonly number[]; causedBy: number; at: string },
): Promise<{ retired: number; restored: number }> {
  await tx.query(gatherSql, [statementIds]);
  // Ends before begins: a line is retired once at a time and has one carrier at a time.
  const restored = await tx.query(restoreSql, [at]);
  const retired = await tx.query(retireSql, [at, causedBy]);
  await tx.query(endCarriersSql, [at]);
  await tx.query(addCarriersSql, [at]);
  await tx.query("drop table standing");
  return { retired: retired.length, restored: restored.length };
}

// Every version of every line touched, the file in force that carries it, and why it does not count, if it does not.
const gatherSql = `
create temporary table standing on commit drop as
with touched as (
  select distinct l.account_id, l.provider, l.line_key, l.occurrence
  from tieout.statement_rows as w
  join tieout.statement_lines as l on l.id = w.line_id
  where w.statement_id = any($1::bigint[])
), version as (
  select l.id as line_id, touched.*, carrier.*,
         (carrier.statement_id, carrier.line_no) is distinct from (l.statement_id, l.line_no) as has_moved
  from touched
  join tieout.statement_lines as l using (account_id, provider, line_key, occurrence)
  left join lateral (
    select w.statement_id, w.line_no, s.made_at, s.sha256
    from tieout.statement_rows as w
    join tieout.statements as s on s.id = w.statement_id
    where w.line_id = l.id
      and s.state = 'imported'
    order by s.made_at desc, s.sha256 desc, w.line_no
    limit 1
  ) as carrier on true
)
select line_id, statement_id, line_no, has_moved,
       case
         when statement_id is null then 'withdrawn'
         when row_number() over (
           partition by account_id, provider, line_key, occurrence
           order by made_at desc nulls last, sha256 desc nulls last, line_id desc
         ) > 1 then 'superseded'
       end as retired_for
from version`;

const restoreSql = `
update tieout.line_retirements as held
set restored_at = $1
from standing
where held.line_id = standing.line_id
  and held.restored_at is null
  and held.reason is distinct from standing.retired_for
returning held.line_id`;

const retireSql = `
insert into tieout.line_retirements (line_id, retired_at, reason, statement_id)
select standing.line_id, $1, standing.retired_for, $2
from standing
where standing.retired_for is not null
  and not exists (
    select from tieout.line_retirements as held where held.line_id = standing.line_id and held.restored_at is null
  )
returning line_id`;

// A line that no file in force carries stays with the last that did.
const endCarriersSql = `
update tieout.line_carriers as held
set until_at = $1
from standing
where held.line_id = standing.line_id
  and held.until_at is null
  and standing.statement_id is not null
  and (held.statement_id, held.line_no) <> (standing.statement_id, standing.line_no)`;

const addCarriersSql = `
insert into tieout.line_carriers (line_id, since_at, statement_id, line_no)
select standing.line_id, $1, standing.statement_id, standing.line_no
from standing
where standing.statement_id is not null
  and standing.has_moved
  and not exists (
    select from tieout.line_carriers as held where held.line_id = standing.line_id and held.until_at is null
  )`;
