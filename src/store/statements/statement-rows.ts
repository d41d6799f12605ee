import { and, eq, gt, sql } from "drizzle-orm";
import { type AccountReader, seenBy } from "../conditions.ts";
import type { Queryable } from "../database.ts";
import { statementLines, statementRows, statements } from "../schema/statements.ts";

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
  /** By column: the value before and the value now, as texts. */
  readonly changes: Readonly<Record<string, { before: string | null; after: string | null }>>;
  /** Whether the new version stands; an older file cannot correct a newer one. */
  readonly stands: boolean;
}

/** What a file says differently from the version before. */
export async function listRestated(
  tx: Queryable,
  { statementId, limit }: { statementId: number; limit: number },
): Promise<RestatedRow[]> {
  return tx.query<RestatedRow>(
    `select w.line_no as "lineNo",
            now.line_key as "lineKey",
            (select jsonb_object_agg(key, jsonb_build_object('before', was.value, 'after', new.value))
             from jsonb_each_text(to_jsonb(now) - $3::text[]) as new
             join jsonb_each_text(to_jsonb(before) - $3::text[]) as was using (key)
             where new.value is distinct from was.value) as changes,
            not exists (
              select from tieout.line_retirements as r
              where r.line_id = now.id
                and r.restored_at is null
            ) as stands
     from tieout.statement_rows as w
     join tieout.statement_lines as now on now.id = w.line_id
     join lateral (
       select *
       from tieout.statement_lines as older
       where older.account_id = now.account_id
         and older.provider = now.provider
         and older.line_key = now.line_key
         and older.occurrence = now.occurrence
         and older.version < now.version
       order by older.version desc
       limit 1
     ) as before on true
     where w.statement_id = $1
       and w.code = 'row_restated'
     order by w.line_no
     limit $2`,
    [statementId, limit, bookkeeping],
  );
}

// What differs between any two versions and says nothing about the line itself.
const bookkeeping = ["id", "version", "content_hash", "statement_id", "line_no", "imported_at"];

export type LineWithFile = typeof statementLines.$inferSelect & { fileName: string };

/** A line, and the file it stands in. */
export async function readLine(reader: AccountReader, lineId: number): Promise<LineWithFile | null> {
  const [row] = await reader.database.orm
    .select({ line: statementLines, fileName: statements.fileName })
    .from(statementLines)
    .innerJoin(statements, eq(statements.id, statementLines.statementId))
    .where(and(seenBy(reader, statementLines.accountId), eq(statementLines.id, lineId)));
  return row ? { ...row.line, fileName: row.fileName } : null;
}
