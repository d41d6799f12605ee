import { type AccountReader, addAccounts, addAnyOf, conditionsFor } from "../conditions.ts";
import { type Keyset, type Page, type PageWanted, readPage } from "../keyset.ts";
import { accountName } from "../transactions/record-columns.ts";

/** A statement as lists show it. */
export interface StatementSummary {
  id: string;
  account: string;
  provider: string;
  file_name: string;
  sha256: string;
  byte_count: number;
  profile: string;
  profile_version: number;
  period_from: string | null;
  period_to: string | null;
  state: string;
  rows_read: number;
  rows_accepted: number;
  rows_restated: number;
  rows_duplicate: number;
  rows_rejected: number;
  imported_at: string;
  imported_by: string;
  withdrawn_at: string | null;
  withdrawn_by: string | null;
  withdrawn_reason: string | null;
  replaces_id: string | null;
}

const columns = `s.id::text, ${accountName("s")}, s.provider, s.file_name, encode(s.sha256, 'hex') as sha256,
  s.byte_count::double precision as byte_count, s.profile, s.profile_version, s.period_from::text, s.period_to::text, s.state,
  s.rows_read, s.rows_accepted, s.rows_restated, s.rows_duplicate, s.rows_rejected, s.imported_at::text, s.imported_by,
  s.withdrawn_at::text, s.withdrawn_by, s.withdrawn_reason, s.replaces_id::text`;

const from = "tieout.statements as s";

const newestFirst: Keyset = { keys: [{ expression: "s.id", kind: "integer" }], descending: true };

export const statementPaging = { keyset: newestFirst, positionOf: (row: StatementSummary) => [row.id] };

export async function listStatementSummaries(
  reader: AccountReader,
  filters: { account?: readonly string[]; provider?: readonly string[]; state?: readonly string[] },
  page: PageWanted,
): Promise<Page<StatementSummary>> {
  const conditions = conditionsFor(reader, "s.account_id");
  addAccounts(conditions, "s.account_id", filters.account);
  addAnyOf(conditions, "s.provider", filters.provider);
  addAnyOf(conditions, "s.state", filters.state);
  return readPage<StatementSummary & Record<string, unknown>>(reader.database, {
    select: columns,
    from,
    conditions,
    keyset: newestFirst,
    page,
  });
}

/** One statement with its control totals, as exact decimals. */
export interface StatementDetail extends StatementSummary {
  encoding: string;
  delimiter: string;
  generated_at: string;
  rows_of_file: number;
  totals: unknown;
  stated: unknown;
  warnings: unknown;
  accepted_codes: string[] | null;
  accepted_reason: string | null;
}

export async function readStatement(reader: AccountReader, id: string): Promise<StatementDetail | null> {
  const conditions = conditionsFor(reader, "s.account_id");
  conditions.add(`s.id = ${conditions.bind(id)}::bigint`);
  const [row] = await reader.database.query<StatementDetail & Record<string, unknown>>(
    `select ${columns}, s.encoding, s.delimiter, s.generated_at::text, s.rows_of_file, s.totals, s.stated, s.warnings,
            s.accepted_codes, s.accepted_reason
     from ${from}
     where ${conditions.toSql()}`,
    conditions.values,
  );
  return row ?? null;
}

export interface RejectedGroup {
  code: string;
  field: string | null;
  reason: string;
  rows: number;
  first_lines: number[];
}

/** Rejected rows by what is to be done about them. The reader has been found to see the statement. */
export async function rejectedGroups(reader: AccountReader, id: string): Promise<RejectedGroup[]> {
  return reader.database.query<RejectedGroup & Record<string, unknown>>(
    `select r.code, r.field, min(r.reason) as reason, count(*)::int as rows,
            (array_agg(r.line_no order by r.line_no))[1:5] as first_lines
     from tieout.statement_rows as r
     where r.statement_id = $1::bigint and r.outcome = 'rejected'
     group by r.code, r.field
     order by rows desc, r.code, r.field
     limit 100`,
    [id],
  );
}

export interface RejectedLine {
  line_no: number;
  code: string;
  field: string | null;
  reason: string;
  original_text: string;
}

/** A page of rejected rows, for the file of them. */
export async function rejectedLines(
  reader: AccountReader,
  id: string,
  page: { after: number; limit: number },
): Promise<RejectedLine[]> {
  return reader.database.query<RejectedLine & Record<string, unknown>>(
    `select r.line_no, r.code, r.field, r.reason, r.original_text
     from tieout.statement_rows as r
     where r.statement_id = $1::bigint and r.outcome = 'rejected' and r.line_no > $2
     order by r.line_no
     limit $3`,
    [id, page.after, page.limit],
  );
}
