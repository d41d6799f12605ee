import type { Queryable } from "../database.ts";

/**
 * Brings `line_retirements` in line with the statements, for every line that these statements carry: of the versions of
 * a line, the one in the statement that was made last stands, by (generated_at, sha256); a version that no statement
 * carries any more does not count. So the order of import does not matter.
 */
export async function refreshRetirements(
  tx: Queryable,
  { statementIds, causedBy, at }: { statementIds: readonly number[]; causedBy: number; at: string },
): Promise<{ retired: number; restored: number }> {
  // Two statements, because a line may change from one reason to the other and is retired once at a time.
  const restored = await tx.query(restoreSql, [statementIds, at]);
  const retired = await tx.query(retireSql, [statementIds, at, causedBy]);
  return { retired: retired.length, restored: restored.length };
}

const wantedSql = `
with touched as (
  select distinct l.account_id, l.provider, l.line_key, l.occurrence
  from tieout.statement_rows as w
  join tieout.statement_lines as l on l.id = w.line_id
  where w.statement_id = any($1::bigint[])
), version as (
  select l.id, touched.*, carrier.generated_at, carrier.sha256
  from touched
  join tieout.statement_lines as l using (account_id, provider, line_key, occurrence)
  left join lateral (
    select s.generated_at, s.sha256
    from tieout.statement_rows as w
    join tieout.statements as s on s.id = w.statement_id
    where w.line_id = l.id
      and s.state = 'imported'
    order by s.generated_at desc, s.sha256 desc
    limit 1
  ) as carrier on true
), ranked as (
  select id, generated_at is not null as in_force,
         row_number() over (
           partition by account_id, provider, line_key, occurrence
           order by generated_at desc nulls last, sha256 desc nulls last, id desc
         ) as place
  from version
), wanted as (
  select id as line_id, case when in_force then 'superseded' else 'withdrawn' end as reason
  from ranked
  where not in_force or place > 1
)`;

const restoreSql = `${wantedSql}
update tieout.line_retirements as held
set restored_at = $2
from ranked
where held.line_id = ranked.id
  and held.restored_at is null
  and not exists (select from wanted where wanted.line_id = held.line_id and wanted.reason = held.reason)
returning held.line_id`;

const retireSql = `${wantedSql}
insert into tieout.line_retirements (line_id, retired_at, reason, statement_id)
select wanted.line_id, $2, wanted.reason, $3
from wanted
where not exists (
  select from tieout.line_retirements as held
  where held.line_id = wanted.line_id
    and held.restored_at is null
)
returning line_id`;
