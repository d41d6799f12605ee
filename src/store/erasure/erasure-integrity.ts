import type { Queryable } from "../database.ts";
import type { Mismatch } from "../transactions/integrity.ts";

/** What the bytes of a file hash to since rows were erased from it; `null` when none ever was. */
export async function sealOfFile(database: Queryable, statementId: number): Promise<Buffer | null> {
  const [row] = await database.query<{ sha256: Buffer }>(
    `select coalesce(
       (select s.seal from tieout.erasure_seals as s
        where s.relation = 'statement_files' and s.row_key = $1::text
        order by s.erasure_id desc limit 1),
       -- Rows that had been erased before it was imported never came in.
       (select decode(a.after ->> 'kept_sha256', 'hex') from tieout.audit_log as a
        where a.action = 'statement.imported' and a.subject = 'statement ' || $1)
     ) as sha256`,
    [String(statementId)],
  );
  return row?.sha256 ?? null;
}

/** The same of a bank's file, or `null` when nothing was ever erased from it. */
export async function sealOfReceipts(database: Queryable, fileId: number): Promise<Buffer | null> {
  const [row] = await database.query<{ seal: Buffer }>(
    `select seal from tieout.erasure_seals
     where relation = 'receipt_file_bytes' and row_key = $1
     order by erasure_id desc limit 1`,
    [String(fileId)],
  );
  return row?.seal ?? null;
}

/** Whether the bytes of a file were kept long enough, and the audit log says so too. */
export async function isForgotten(database: Queryable, statementId: number): Promise<boolean> {
  const [row] = await database.query<{ forgotten: boolean }>(
    `select exists (select from tieout.forgotten_files where statement_id = $1)
        and exists (select from tieout.audit_log
                    where action = 'statement.file_forgotten' and subject = 'statement ' || $1) as forgotten`,
    [String(statementId)],
  );
  return row?.forgotten ?? false;
}

/** The file once more, row by row, when its bytes are gone. */
export async function* readRowTexts(database: Queryable, statementId: number): AsyncGenerator<string> {
  let after = 0;
  for (;;) {
    const rows = await database.query<{ line_no: number; original_text: string }>(
      `select line_no, original_text from tieout.statement_rows
       where statement_id = $1 and line_no > $2 order by line_no limit 5000`,
      [statementId, after],
    );
    const last = rows.at(-1);
    if (!last) return;
    yield rows.map(({ original_text }) => `${original_text}\n`).join("");
    after = last.line_no;
  }
}

/** Erasures whose seals are not those that the audit log has of them, and seals of rows that are gone. */
export async function findWrongSeals(database: Queryable): Promise<Mismatch[]> {
  return database.query<Mismatch>(
    `select 'erasure ' || e.id as subject,
            case when a.number is null then 'the audit log does not tell of it'
                 else 'its seals are not those that the audit log has of it' end as problem
     from tieout.erasures as e
     left join tieout.audit_log as a on a.action = 'data.erased' and a.subject = 'erasure ' || e.id
     where a.after ->> 'seals' is distinct from tieout.seals_hash(e.id)
        or a.after ->> 'proposed_by' is distinct from e.proposed_by
        or a.after ->> 'approved_by' is distinct from e.approved_by
     order by e.id
     limit 20`,
  );
}
