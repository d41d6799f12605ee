import type { Queryable } from "../database.ts";
import { type IntakeTables, statementTables } from "./intake-tables.ts";

/** With fewer, any plan is quick. */
const manyLines = 1_000;

/**
 * Brings `line_retirements` and `line_carriers` in line with the statements, for every line that these statements carry.
 * Of the versions of a line, the one in the statement that was made last stands, by (made_at, sha256); a version that no
 * statement in force carries does not count. A line belongs to the statement made last that carries it.
 */
export async function refreshLinesInForce(
  tx: Queryable,
  { fileIds, causedBy, at }: { fileIds: readonly number[]; causedBy: number; at: string },
  tables = statementTables,
): Promise<{ retired: number; restored: number }> {
  await tx.query(gatherSql(tables), [fileIds]);
  // Ends before begins: a line is retired once at a time and has one carrier at a time.
  const restored = await tx.query(restoreSql(tables), [at]);
  const retired = await tx.query(retireSql(tables), [at, causedBy]);
  if (tables.carriers !== null) {
    await tx.query(endCarriersSql(tables), [at]);
    await tx.query(addCarriersSql(tables), [at]);
  }
  await tx.query("drop table standing");
  // The statements that follow join these tables, and would be planned for their old size.
  if (retired.length + restored.length >= manyLines) {
    const changed = [tables.retirements, ...(tables.carriers === null ? [] : [tables.carriers])];
    await tx.query(`analyze (skip_locked) ${changed.map((table) => `tieout.${table}`).join(", ")}`);
  }
  return { retired: retired.length, restored: restored.length };
}

/*
 * Every version of every line touched: the file in force that carries it, why it does not count, if it does not, and what is
 * recorded of both so far. All of it is read here, before anything is written: a statement that reads the table it fills is
 * planned for that table's old size, and if that was zero, it scans the rows it has just written again for every new one.
 */
function gatherSql({
  files,
  rows,
  lines,
  fileId,
  rowNo,
  retirements,
  carriers,
  scopeColumns,
}: IntakeTables): string {
  const identity = [...scopeColumns, "line_key", "occurrence"];
  const noted =
    carriers === null
      ? { columns: "null as noted_file_id", join: "" }
      : {
          columns: `carried.${fileId} as noted_file_id, carried.${rowNo} as noted_row_no`,
          join: `left join tieout.${carriers} as carried on carried.line_id = version.line_id and carried.until_at is null`,
        };
  return `
create temporary table standing on commit drop as
with touched as (
  select distinct ${identity.map((column) => `l.${column}`).join(", ")}
  from tieout.${rows} as w
  join tieout.${lines} as l on l.id = w.line_id
  where w.${fileId} = any($1::bigint[])
), version as (
  select l.id as line_id, touched.*, carrier.*,
         (carrier.file_id, carrier.row_no) is distinct from (l.${fileId}, l.${rowNo}) as has_moved
  from touched
  join tieout.${lines} as l using (${identity.join(", ")})
  left join lateral (
    select w.${fileId} as file_id, w.${rowNo} as row_no, s.made_at, s.sha256
    from tieout.${rows} as w
    join tieout.${files} as s on s.id = w.${fileId}
    where w.line_id = l.id
      and s.state = 'imported'
    order by s.made_at desc, s.sha256 desc, w.${rowNo}
    limit 1
  ) as carrier on true
)
select version.line_id, version.file_id, version.row_no, version.has_moved,
       case
         when version.file_id is null then 'withdrawn'
         when row_number() over (
           partition by ${identity.map((column) => `version.${column}`).join(", ")}
           order by version.made_at desc nulls last, version.sha256 desc nulls last, version.line_id desc
         ) > 1 then 'superseded'
       end as retired_for,
       retired.reason as noted_for,
       ${noted.columns}
from version
left join tieout.${retirements} as retired on retired.line_id = version.line_id and retired.restored_at is null
${noted.join}`;
}

const restoreSql = ({ retirements }: IntakeTables) => `
update tieout.${retirements} as held
set restored_at = $1
from standing
where held.line_id = standing.line_id
  and held.restored_at is null
  and standing.noted_for is distinct from standing.retired_for
returning held.line_id`;

const retireSql = ({ retirements, fileId }: IntakeTables) => `
insert into tieout.${retirements} (line_id, retired_at, reason, ${fileId})
select standing.line_id, $1, standing.retired_for, $2
from standing
where standing.retired_for is not null
  and standing.noted_for is distinct from standing.retired_for
returning line_id`;

// A line that no file in force carries stays with the last that did.
const endCarriersSql = ({ carriers, fileId, rowNo }: IntakeTables) => `
update tieout.${carriers} as held
set until_at = $1
from standing
where held.line_id = standing.line_id
  and held.until_at is null
  and standing.file_id is not null
  and (held.${fileId}, held.${rowNo}) <> (standing.file_id, standing.row_no)`;

const addCarriersSql = ({ carriers, fileId, rowNo }: IntakeTables) => `
insert into tieout.${carriers} (line_id, since_at, ${fileId}, ${rowNo})
select standing.line_id, $1, standing.file_id, standing.row_no
from standing
where standing.file_id is not null
  and standing.has_moved
  and (standing.noted_file_id, standing.noted_row_no) is distinct from (standing.file_id, standing.row_no)`;
