import { type AccountReader, addAccounts, addAnyOf, type Conditions, conditionsFor } from "../conditions.ts";
import { type Keyset, type Page, type PageWanted, readPage } from "../keyset.ts";
import { accountName } from "../transactions/record-columns.ts";

/** A match, with the place of its line: every figure leads to a file and a line number. */
export interface MatchRow {
  id: string;
  account_id: number;
  account: string;
  provider: string;
  transaction_id: string;
  record_hash: string;
  line_id: string;
  line_type: string;
  line_no: number;
  statement_id: string;
  file_name: string;
  payout_ref: string | null;
  role: string;
  rule: string;
  keys: Record<string, string>;
  state: string;
  made_by: string;
  reason: string | null;
  in_expected: string | null;
  in_actual: string | null;
  in_difference: string | null;
  out_expected: string | null;
  out_actual: string | null;
  out_difference: string | null;
  difference_name: string | null;
  effective_at: string;
  matched_at: string;
  ended_at: string | null;
  ended_by: string | null;
  ended_reason: string | null;
  /** A person ended it: no rule makes the pair again. */
  barred: boolean;
}

export interface MatchFilters {
  account?: readonly string[];
  provider?: readonly string[];
  state?: readonly string[];
  rule?: readonly string[];
  role?: readonly string[];
  transactionId?: readonly string[];
  lineId?: string;
}

const exact = (leg: "in" | "out") =>
  ["expected", "actual", "difference"]
    .map((part) => `trim_scale(m.${leg}_${part}) as ${leg}_${part}`)
    .join(", ");
const columns = `m.id::text, m.account_id, ${accountName("m")}, m.provider, m.transaction_id, encode(m.record_hash, 'hex') as record_hash,
  m.line_id::text, l.line_type, l.line_no, l.statement_id::text, s.file_name, l.payout_ref, m.role, m.rule, m.keys, m.state,
  m.made_by, m.reason, ${exact("in")}, ${exact("out")}, m.difference_name, m.effective_at::text, m.matched_at::text,
  m.ended_at::text, m.ended_by, m.ended_reason, m.barred`;

const from = `tieout.matches as m
  join tieout.statement_lines as l on l.id = m.line_id
  join tieout.statements as s on s.id = l.statement_id`;

const newestFirst: Keyset = { keys: [{ expression: "m.id", kind: "integer" }], descending: true };

export const matchPaging = { keyset: newestFirst, positionOf: (row: MatchRow) => [row.id] };

export async function listMatches(
  reader: AccountReader,
  filters: MatchFilters,
  page: PageWanted,
): Promise<Page<MatchRow>> {
  const conditions = conditionsFor(reader, "m.account_id");
  addFilters(conditions, filters);
  return readPage<MatchRow & Record<string, unknown>>(reader.database, {
    select: columns,
    from,
    conditions,
    keyset: newestFirst,
    page,
  });
}

export async function readMatch(reader: AccountReader, id: string): Promise<MatchRow | null> {
  const conditions = conditionsFor(reader, "m.account_id");
  conditions.add(`m.id = ${conditions.bind(id)}::bigint`);
  const [row] = await reader.database.query<MatchRow & Record<string, unknown>>(
    `select ${columns} from ${from} where ${conditions.toSql()}`,
    conditions.values,
  );
  return row ?? null;
}

function addFilters(conditions: Conditions, filters: MatchFilters): void {
  addAccounts(conditions, "m.account_id", filters.account);
  addAnyOf(conditions, "m.provider", filters.provider);
  addAnyOf(conditions, "m.state", filters.state);
  addAnyOf(conditions, "m.rule", filters.rule);
  addAnyOf(conditions, "m.role", filters.role);
  addAnyOf(conditions, "m.transaction_id", filters.transactionId);
  if (filters.lineId !== undefined) conditions.add(`m.line_id = ${conditions.bind(filters.lineId)}::bigint`);
}
