import type { Queryable } from "../database.ts";

/** A statement in force, and how many lines of another that was withdrawn it keeps in force. */
export interface LinesElsewhere {
  statementId: number;
  fileName: string;
  lines: number;
}

/** Where lines of a withdrawn statement still count: another file carries them too. */
export async function listLinesElsewhere(
  database: Queryable,
  statementId: number,
): Promise<LinesElsewhere[]> {
  return database.query<LinesElsewhere & Record<string, unknown>>(
    `select s.id::int as "statementId", s.file_name as "fileName", count(distinct w.line_id)::int as lines
     from tieout.statement_rows as w
     join tieout.line_files as f on f.line_id = w.line_id
     join tieout.statements as s on s.id = f.statement_id
     where w.statement_id = $1::bigint
       and s.id <> w.statement_id
       and s.state = 'imported'
       and not exists (
         select from tieout.line_retirements as r where r.line_id = w.line_id and r.restored_at is null
       )
     group by s.id, s.file_name
     order by s.id
     limit 20`,
    [statementId],
  );
}
