import { and, eq, gt, sql } from "drizzle-orm";
import { type AccountReader, seenBy } from "../conditions.ts";
import type { Queryable } from "../database.ts";
import { statementLines, statementRows } from "../schema/statements.ts";

const { lineNo, code, field, reason, originalText } = statementRows;

export type RejectedRow = Awaited<ReturnType<typeof listRejects>>[number];

/** Rejected rows in the order of the file, from after a line on. */
export async function listRejects(
  tx: Queryable,
  { statementId, after, limit }: { statementId: number; after: number; limit: number },
) {
  return tx.orm
    .select({
      lineNo,
      // The table holds no rejected row without these two.
      code: sql<string>`${code}`,
      reason: sql<string>`${reason}`,
      field,
      originalText,
    })
    .from(statementRows)
    .where(
      and(
        eq(statementRows.statementId, statementId),
        gt(lineNo, after),
        eq(statementRows.outcome, "rejected"),
      ),
    )
    .orderBy(lineNo)
    .limit(limit);
}

export interface RejectedGroup {
  code: string;
  field: string | null;
  reason: string;
  rows: number;
  firstLines: number[];
}

/** Rejected rows by what is to be done about them. */
export async function rejectedGroups(tx: Queryable, statementId: number): Promise<RejectedGroup[]> {
  return tx.query<RejectedGroup>(
    `select r.code, r.field, min(r.reason) as reason, count(*)::int as rows,
            (array_agg(r.line_no order by r.line_no))[1:5] as "firstLines"
     from tieout.statement_rows as r
     where r.statement_id = $1 and r.outcome = 'rejected'
     group by r.code, r.field
     order by rows desc, r.code, r.field
     limit 100`,
    [statementId],
  );
}

export interface RestatedRow {
  readonly lineNo: number;
  readonly lineKey: string;
  /** By column: the value of the other version and the value of this one, as texts. */
  readonly changes: Readonly<Record<string, { before: string | null; after: string | null }>>;
  /** Whether the value of this file counts. */
  readonly stands: boolean;
  /** When this file was made, and the newest file in force with the other value: `null` where none is. */
  readonly made: FileMade;
  readonly other: (FileMade & { readonly fileName: string }) | null;
}

export interface FileMade {
  readonly at: string;
  /** `false`: nothing states when it was made, and this is its import. */
  readonly isStated: boolean;
}

/** What a file says differently from the version that stood before, or still stands. */
export async function listRestated(
  tx: Queryable,
  { statementId, limit }: { statementId: number; limit: number },
): Promise<RestatedRow[]> {
  return tx.query<RestatedRow>(restatedSql, [statementId, limit, bookkeeping]);
}

const madeSql = `'at', to_char(s.made_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'),
  'isStated', s.generated_at_from not in ('rows', 'import')`;

const restatedSql = `
select w.line_no as "lineNo",
       now.line_key as "lineKey",
       (select jsonb_object_agg(key, jsonb_build_object('before', was.value, 'after', new.value))
        from jsonb_each_text(to_jsonb(now) - $3::text[]) as new
        join jsonb_each_text(before.line - $3::text[]) as was using (key)
        where new.value is distinct from was.value) as changes,
       not exists (
         select from tieout.line_retirements as r where r.line_id = now.id and r.restored_at is null
       ) as stands,
       (select jsonb_build_object(${madeSql}) from tieout.statements as s where s.id = w.statement_id) as made,
       before.file as other
from tieout.statement_rows as w
join tieout.statement_lines as now on now.id = w.line_id
join lateral (
  select to_jsonb(older) as line, carrier.file
  from tieout.statement_lines as older
  left join lateral (
    select s.made_at, s.sha256, jsonb_build_object('fileName', s.file_name, ${madeSql}) as file
    from tieout.statement_rows as carried
    join tieout.statements as s on s.id = carried.statement_id
    where carried.line_id = older.id
      and s.state = 'imported'
    order by s.made_at desc, s.sha256 desc
    limit 1
  ) as carrier on true
  where older.line_key = now.line_key
    and older.occurrence = now.occurrence
    and older.account_id = now.account_id
    and older.provider = now.provider
    and older.id <> now.id
  order by carrier.made_at desc nulls last, carrier.sha256 desc nulls last, older.version desc
  limit 1
) as before on true
where w.statement_id = $1
  and w.code = 'row_restated'
order by w.line_no
limit $2`;

// What differs between any two versions, or follows from another column, and says nothing about the line itself.
const bookkeeping = [
  "id",
  "version",
  "content_hash",
  "statement_id",
  "line_no",
  "imported_at",
  "id_key",
  "reference_key",
  "hash_key",
  "moved_money",
];

export type LineWithFile = typeof statementLines.$inferSelect & { fileName: string };

/** A line, and the file in force that it stands in. */
export async function readLine(reader: AccountReader, lineId: number): Promise<LineWithFile | null> {
  const { orm } = reader.database;
  const [line] = await orm
    .select()
    .from(statementLines)
    .where(and(seenBy(reader, statementLines.accountId), eq(statementLines.id, lineId)));
  const [file] = await reader.database.query<{ statementId: number; lineNo: number; fileName: string }>(
    `select f.statement_id::int as "statementId", f.line_no as "lineNo", s.file_name as "fileName"
     from tieout.line_files as f
     join tieout.statements as s on s.id = f.statement_id
     where f.line_id = $1`,
    [lineId],
  );
  return line && file ? { ...line, ...file } : null;
}
