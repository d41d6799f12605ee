/** The lines of one statement with the class of each, as people work through them. */
import type { AccountReader } from "../conditions.ts";
import type { Page, PageWanted } from "../keyset.ts";

/** `superseded`: another version of the line counts, or its file was withdrawn. */
export const lineClasses = ["matched", "pending", "discrepant", "excluded", "superseded"] as const;
export type LineClass = (typeof lineClasses)[number];

export interface LineOfStatement {
  line_no: number;
  line_id: number;
  class: LineClass;
  /** Why it waits, where it is pending; `dated_ahead`: its own date has not come yet. */
  pending_code: string | null;
  /** What is open about it, parted by spaces. */
  codes: string | null;
  match_id: number | null;
  /** The transaction it is matched with, none, or those that a person split it over. */
  transaction_ids: string[];
  /** Whether a rule suggests a transaction for it. */
  is_suggested: boolean;
  line_type: string;
  effective_at: string;
  provider_transaction_id: string | null;
  payout_ref: string | null;
  fiat_currency: string | null;
  fiat_gross: string | null;
  net_amount: string;
  net_currency: string | null;
}

export interface StatementOf {
  id: number;
  accountId: number;
}

export interface LineFilters {
  class?: LineClass | undefined;
  /** An id, a reference, a hash or a line number. */
  q?: string | undefined;
  suggested?: boolean | undefined;
}

/** Lines in the order of the file. */
export async function listLines(
  reader: AccountReader,
  statement: StatementOf,
  filters: LineFilters,
  page: PageWanted,
): Promise<Page<LineOfStatement>> {
  const after = page.after === null ? 0 : Number(page.after[0]);
  const rows = await readLines(reader, statement, filters, {
    shown: () => "line_no > $6::bigint order by line_no limit $7::int",
    values: [after, page.limit + 1],
  });
  const hasMore = rows.length > page.limit;
  return { rows: rows.slice(0, page.limit), hasMore };
}

export const linesPaging = {
  keyset: { keys: [{ expression: "line_no", kind: "integer" as const }], descending: false },
  positionOf: (row: LineOfStatement) => [String(row.line_no)],
};

/** Some lines before a line and some after it, the line itself among them if it passes the filters. */
export async function linesAround(
  reader: AccountReader,
  statement: StatementOf,
  filters: LineFilters,
  around: { lineNo: number; before: number; after: number },
): Promise<LineOfStatement[]> {
  return readLines(reader, statement, filters, {
    shown: (lines) => `(line_no >= $6::int or line_no in (
        select line_no from ${lines} where line_no < $6::int order by line_no desc limit $7::int
      ))
      order by line_no
      limit $8::int`,
    values: [around.lineNo, around.before, around.before + around.after],
  });
}

export async function readLineOfStatement(
  reader: AccountReader,
  statement: StatementOf,
  lineNo: number,
): Promise<LineOfStatement | null> {
  const shown = () => "line_no = $6::int";
  const [row] = await readLines(reader, statement, {}, { shown, values: [lineNo] });
  return row ?? null;
}

export interface LineTotal {
  class: LineClass;
  currency: string | null;
  lines: number;
  /** What they owe us, signed. */
  net: string;
}

/** How many lines of each class, and what they come to in each currency: the classes together are all lines. */
export async function totalLines(
  reader: AccountReader,
  statement: StatementOf,
  filters: LineFilters = {},
): Promise<LineTotal[]> {
  return reader.database.query<LineTotal & Record<string, unknown>>(
    `${judged("passing")}
     select class, net_currency as currency, count(*)::int as lines,
            trim_scale(coalesce(sum(net_amount) filter (where line_type <> 'balance'), 0))::text as net
     from filtered
     group by class, net_currency
     order by class, net_currency`,
    parametersOf(statement, filters),
  );
}

async function readLines(
  reader: AccountReader,
  statement: StatementOf,
  filters: LineFilters,
  { shown, values }: { shown: (lines: string) => string; values: readonly unknown[] },
): Promise<LineOfStatement[]> {
  // Only a filter by class needs the class of every line; otherwise those that are shown are chosen first.
  const chosen =
    filters.class === undefined ? `(select * from passing where ${shown("passing")})` : "passing";
  return reader.database.query<LineOfStatement & Record<string, unknown>>(
    `${judged(chosen)}
     select line_no, line_id::int, class, pending_code, codes, match_id::int, is_suggested, line_type,
            array(
              select m.transaction_id
              from tieout.matches as m
              where m.line_id = filtered.line_id and m.state = 'active'
              order by m.part_no
            ) as transaction_ids,
            effective_at::text, provider_transaction_id, payout_ref, fiat_currency,
            trim_scale(fiat_gross)::text as fiat_gross, trim_scale(net_amount)::text as net_amount, net_currency
     from filtered
     where ${filters.class === undefined ? "true order by line_no" : shown("filtered")}`,
    [...parametersOf(statement, filters), ...values],
  );
}

function parametersOf({ id, accountId }: StatementOf, filters: LineFilters): unknown[] {
  return [id, accountId, filters.class ?? null, filters.q ?? null, filters.suggested ?? null];
}

/**
 * Lines of the file that pass the filters, each once, with its class by the one function that decides it. That one looks at
 * whole accounts; asked for the ids of these lines it reads no others.
 */
const judged = (chosen: string) => `
with held as materialized (
  select w.line_id, min(w.line_no) as line_no
  from tieout.statement_rows as w
  where w.statement_id = $1::bigint
    and w.line_id is not null
  group by w.line_id
), passing as (
  select h.line_no, h.line_id
  from held as h
  join tieout.statement_lines as l on l.id = h.line_id
  where ($4::text is null
      or lower($4) in (lower(l.provider_transaction_id), lower(l.our_reference), lower(l.transaction_hash),
                       lower(l.payout_ref), h.line_no::text))
    and ($5::boolean is null or $5 = exists (
      select from tieout.matches as m where m.line_id = h.line_id and m.state = 'suggested'
    ))
), chosen as materialized (
  select line_no, line_id from ${chosen} as lines
), classed as materialized (
  select c.line_id, c.class, c.pending_code, c.codes, c.match_id
  from tieout.line_classes(array[$2::int], now(), 'infinity') as c
  where c.line_id = any (array(select line_id from chosen))
), filtered as (
  select h.line_no, h.line_id, said.class, coalesce(c.pending_code, said.pending_code) as pending_code, c.codes, c.match_id,
         l.line_type, l.effective_at, l.provider_transaction_id, l.payout_ref, l.fiat_currency,
         l.fiat_gross, l.net_amount, l.net_currency,
         exists (
           select from tieout.matches as m where m.line_id = h.line_id and m.state = 'suggested'
         ) as is_suggested
  from chosen as h
  join tieout.statement_lines as l on l.id = h.line_id
  left join classed as c on c.line_id = h.line_id
  cross join lateral (
    select coalesce(c.class, case when retired then 'superseded' else 'pending' end),
           case when c.class is null and not retired then 'dated_ahead' end
    from (
      select exists (
        select from tieout.line_retirements as r where r.line_id = h.line_id and r.restored_at is null
      ) as retired
    ) as counts
  ) as said (class, pending_code)
  where ($3::text is null or said.class = $3)
)`;
