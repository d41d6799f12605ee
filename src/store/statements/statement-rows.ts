import type { Queryable } from "../database.ts";

export interface RejectedRow {
  readonly lineNo: number;
  readonly code: string;
  readonly field: string | null;
  readonly reason: string;
  readonly originalText: string;
}

/** Rejected rows in the order of the file, from after a line on. */
export async function listRejects(
  tx: Queryable,
  { statementId, after, limit }: { statementId: number; after: number; limit: number },
): Promise<RejectedRow[]> {
  return tx.query<RejectedRow>(
    `select line_no as "lineNo", code, field, reason, original_text as "originalText"
     from tieout.statement_rows
     where statement_id = $1
       and line_no > $2
       and outcome = 'rejected'
     order by line_no
     limit $3`,
    [statementId, after, limit],
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
