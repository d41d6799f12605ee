import { finished } from "node:stream/promises";
import { from as copyFrom } from "pg-copy-streams";
import type { PoolClient } from "pg";
import type { Database, Queryable } from "../database.ts";
import type { Mismatch } from "../transactions/integrity.ts";
import { copyText, type IncomingRow } from "./incoming-row.ts";
import { type IntakeTables, statementTables } from "./intake-tables.ts";

const shownMax = 20;

/** The parts of a file as they were kept, compressed, one at a time. */
export async function* readFileParts(
  database: Queryable,
  fileId: number,
  tables = statementTables,
): AsyncGenerator<Buffer> {
  for (let part = 1; ; part += 1) {
    const [row] = await database.query<{ content: Buffer }>(
      `select content from tieout.${tables.parts} where ${tables.fileId} = $1 and part = $2`,
      [fileId, part],
    );
    if (!row) return;
    yield row.content;
  }
}

/** Rows of a file as they were read once more, beside those that were kept. */
export interface RowComparison {
  add(rows: readonly IncomingRow[]): Promise<void>;
  /** Forgets what was added. */
  restart(): Promise<void>;
  /** Rows and lines that are not what the file says. */
  differences(): Promise<Mismatch[]>;
}

interface ComparedTables {
  readonly tables: IntakeTables;
  readonly word: string;
  /** Columns with lists: the file read again may have more in them, not less. */
  readonly grown?: readonly string[];
}

/** Inside a database transaction that is undone: what is read goes into a table of its own, and Postgres compares. */
export async function compareRows(
  database: Database,
  fileId: number,
  read: (comparison: RowComparison) => Promise<Mismatch[]>,
  { tables, word, grown = [] }: ComparedTables = { tables: statementTables, word: "statement" },
): Promise<Mismatch[]> {
  return database.rehearse(async (_tx, client) => {
    await client.query("set local statement_timeout = 0");
    await client.query(createSql(tables));
    return read({
      add: (rows) => copyIn(client, tables, rows.map((row) => rowText(tables, row)).join("")),
      restart: async () => void (await client.query("truncate pg_temp.read_rows")),
      differences: () => findDifferences(client, tables, { fileId, word, grown }),
    });
  });
}

const createSql = ({ rows, lines, rowNo, lineColumns }: IntakeTables) => `
  create temp table read_rows on commit drop as
  select r.${rowNo} as line_no, r.outcome, r.code, r.original_text, l.line_key, l.occurrence, l.content_hash,
         ${lineColumns.map((name) => `l.${name}`).join(", ")}
  from tieout.${rows} as r, tieout.${lines} as l
  limit 0`;

const copySql = ({ lineColumns }: IntakeTables) => `copy pg_temp.read_rows
  (line_no, outcome, code, original_text, line_key, occurrence, content_hash, ${lineColumns.join(", ")}) from stdin`;

function rowText({ lineColumns }: IntakeTables, { lineNo, outcome, code, text, line }: IncomingRow): string {
  const own = line
    ? `${copyText(line.key)}\t${line.occurrence}\t\\\\x${line.contentHash}\t${line.encoded}`
    : ["\\N", "\\N", "\\N", ...lineColumns.map(() => "\\N")].join("\t");
  return `${lineNo}\t${outcome ?? "\\N"}\t${code ?? "\\N"}\t${copyText(text)}\t${own}\n`;
}

async function copyIn(client: PoolClient, tables: IntakeTables, text: string): Promise<void> {
  const stream = client.query(copyFrom(copySql(tables)));
  stream.end(text);
  await finished(stream);
}

async function findDifferences(
  client: PoolClient,
  tables: IntakeTables,
  { fileId, word, grown }: { fileId: number; word: string; grown: readonly string[] },
): Promise<Mismatch[]> {
  const sql = differencesSql(tables, grown);
  const { rows } = await client.query<{ line_no: number; problem: string }>(sql, [fileId]);
  const what = tables.placeNo === null ? "line" : "row";
  return rows.map(({ line_no, problem }) => ({
    subject: `${what} ${line_no} of ${word} ${fileId}`,
    problem,
  }));
}

/**
 * A line may stand in several files, and has the values of the first: in the others only its key and the hash of its
 * content are the same, because unmapped columns and the words of categories are not part of that.
 */
const differencesSql = (
  { rows, lines, fileId, rowNo, lineColumns }: IntakeTables,
  grown: readonly string[],
) => `
  select coalesce(kept.${rowNo}, told.line_no) as line_no,
         case
           when kept.${rowNo} is null then 'the file has it, and nothing is kept of it'
           when told.line_no is null then 'it is kept, and the file does not have it'
           when kept.original_text <> told.original_text then 'its text is not that of the file'
           when kept.outcome <> coalesce(told.outcome, kept.outcome)
             or (told.outcome is null and kept.outcome not in ('accepted', 'duplicate'))
             or (told.outcome is not null and kept.code is distinct from told.code)
             then 'the file read again gives another outcome'
           else 'the values that are kept are not those of the file'
         end as problem
  from (select * from tieout.${rows} where ${fileId} = $1) as kept
  full join pg_temp.read_rows as told on told.line_no = kept.${rowNo}
  left join tieout.${lines} as l on l.id = kept.line_id
  where kept.${rowNo} is null
     or told.line_no is null
     or kept.original_text <> told.original_text
     or kept.outcome <> coalesce(told.outcome, kept.outcome)
     or (told.outcome is null and kept.outcome not in ('accepted', 'duplicate'))
     or (told.outcome is not null and kept.code is distinct from told.code)
     or (told.line_key is not null and kept.line_id is not null
         and (l.line_key, l.occurrence, l.content_hash)
             is distinct from (told.line_key, told.occurrence, told.content_hash))
     or (l.${fileId} = $1 and l.${rowNo} = kept.${rowNo}
         and (${lineColumns.map((name) => (grown.includes(name) ? `l.${name} <@ told.${name}` : `l.${name}`)).join(", ")})
             is distinct from (${lineColumns.map((name) => (grown.includes(name) ? "true" : `told.${name}`)).join(", ")}))
  order by 1
  limit ${shownMax}`;

/** Statements whose bytes are not those that the audit log names, and lines that no row of a file leads to. */
export async function findStrangeStatements(database: Queryable): Promise<Mismatch[]> {
  const rows = await database.query<Mismatch>(
    `(select 'statement ' || s.id as subject,
             'its hash is not the one that the audit log has of its import' as problem
      from tieout.statements as s
      join tieout.audit_log as a
        on a.action = 'statement.imported' and a.subject = 'statement ' || s.id
      where a.after ->> 'sha256' <> encode(s.sha256, 'hex')
      order by s.id
      limit ${shownMax})
     union all
     (select 'line ' || l.line_no || ' of statement ' || l.statement_id, 'no row of the file leads to what is kept of it'
      from tieout.statement_lines as l
      where not exists (
        select from tieout.statement_rows as r
        where r.statement_id = l.statement_id and r.line_no = l.line_no and r.line_id = l.id
      )
      order by l.id
      limit ${shownMax})`,
  );
  return rows;
}
