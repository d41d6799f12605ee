/** The lines of one statement with the class of each, as people work through them. */
import { addDecimals, decimal } from "../../core/decimal.ts";
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
  const rows = await walk(reader, statement, filters, { beyond: after, limit: page.limit + 1 });
  const hasMore = rows.length > page.limit;
  return { rows: rows.slice(0, page.limit), hasMore };
}

export const linesPaging = {
  keyset: { keys: [{ expression: "line_no", kind: "integer" as const }], descending: false },
  positionOf: (row: LineOfStatement) => [String(row.line_no)],
};

/** Some lines before a line and some from it on, the line itself among them if it passes the filters. */
export async function linesAround(
  reader: AccountReader,
  statement: StatementOf,
  filters: LineFilters,
  around: { lineNo: number; before: number; after: number },
): Promise<LineOfStatement[]> {
  const sides: Wanted[] = [
    { beyond: around.lineNo, limit: around.before, backwards: true },
    { beyond: around.lineNo - 1, limit: around.after },
  ];
  if (filters.class === undefined) {
    const chosen = await Promise.all(sides.map((side) => chooseLines(reader, statement, filters, side)));
    return inOrder(await judgeLines(reader, statement, chosen.flat()));
  }
  return inOrder((await Promise.all(sides.map((side) => walk(reader, statement, filters, side)))).flat());
}

function inOrder(lines: readonly LineOfStatement[]): LineOfStatement[] {
  return lines.toSorted((one, other) => one.line_no - other.line_no);
}

export async function readLineOfStatement(
  reader: AccountReader,
  statement: StatementOf,
  lineNo: number,
): Promise<LineOfStatement | null> {
  const [row] = await walk(reader, statement, {}, { beyond: lineNo - 1, limit: 1 });
  return row?.line_no === lineNo ? row : null;
}

export interface LineTotal {
  class: LineClass;
  currency: string | null;
  lines: number;
  /** What they add to what is owed to us. A payout settles that, and a balance only states it: neither is in here. */
  net: string;
  payouts: number;
  paid: string;
  stated: number;
}

/** How many lines of each class, and what they come to in each currency: the classes together are all lines. */
export async function totalLines(
  reader: AccountReader,
  statement: StatementOf,
  filters: Omit<LineFilters, "class"> = {},
): Promise<LineTotal[]> {
  const all = await chooseLines(reader, statement, filters, { beyond: 0, limit: linesMax });
  const sums = new Map<string, LineTotal>();
  for (let at = 0; at < all.length; at += pieceMax) {
    for (const part of await totalPiece(reader, statement, all.slice(at, at + pieceMax))) {
      const key = JSON.stringify([part.class, part.currency]);
      const before = sums.get(key);
      sums.set(key, before === undefined ? part : addUp(before, part));
    }
  }
  return [...sums.values()];
}

async function totalPiece(
  reader: AccountReader,
  statement: StatementOf,
  piece: readonly ChosenLine[],
): Promise<LineTotal[]> {
  return reader.database.query<LineTotal & Record<string, unknown>>(
    `${judged}
     select class, net_currency as currency, count(*)::int as lines,
            trim_scale(coalesce(sum(net_amount) filter (where line_type <> 'payout' and not is_stated), 0))::text as net,
            count(*) filter (where line_type = 'payout')::int as payouts,
            trim_scale(coalesce(sum(net_amount) filter (where line_type = 'payout'), 0))::text as paid,
            count(*) filter (where is_stated)::int as stated
     from judged
     cross join lateral (select line_type in ('balance', 'commission_total')) as kind (is_stated)
     group by class, net_currency
     order by class, net_currency`,
    valuesOf(statement, piece),
  );
}

function addUp(one: LineTotal, other: LineTotal): LineTotal {
  return {
    ...one,
    lines: one.lines + other.lines,
    net: addDecimals(decimal(one.net), decimal(other.net)),
    payouts: one.payouts + other.payouts,
    paid: addDecimals(decimal(one.paid), decimal(other.paid)),
    stated: one.stated + other.stated,
  };
}

interface Wanted {
  /** The line number that is passed. */
  beyond: number;
  limit: number;
  backwards?: boolean;
}

interface ChosenLine {
  line_id: string;
  line_no: number;
}

/** More than any file may have. */
const linesMax = 100_000_000;
/** Few enough that each is looked up; for more the planner would rather read the matches of all statements. */
const pieceMax = 4_000;
const firstPiece = 500;

/** Only a filter by class needs the classes of lines that are not shown: those are judged piece by piece, until enough pass. */
async function walk(
  reader: AccountReader,
  statement: StatementOf,
  filters: LineFilters,
  wanted: Wanted,
): Promise<LineOfStatement[]> {
  if (filters.class === undefined) {
    return judgeLines(reader, statement, await chooseLines(reader, statement, filters, wanted));
  }
  const passed: LineOfStatement[] = [];
  let { beyond } = wanted;
  for (
    let piece = filters.class === "discrepant" ? wanted.limit : firstPiece;
    passed.length < wanted.limit;
    piece = Math.min(pieceMax, piece * 4)
  ) {
    const chosen = await chooseLines(reader, statement, filters, { ...wanted, beyond, limit: piece });
    const rows = await judgeLines(reader, statement, chosen);
    passed.push(...rows.filter((row) => row.class === filters.class));
    const last = chosen.at(-1);
    if (last === undefined || chosen.length < piece) break;
    beyond = last.line_no;
  }
  return passed.slice(0, wanted.limit);
}

const isNamed = `lower($3) in (lower(l.provider_transaction_id), lower(l.our_reference), lower(l.transaction_hash),
                         lower(l.payout_ref), w.line_no::text)`;

/** Lines without findings need not be judged. `offset 0` keeps these look-ups: as joins they would read both tables in full. */
const isAccused = `(
         exists (select from tieout.findings as f where f.line_id = w.line_id and f.known_to is null offset 0)
         or exists (
           select
           from tieout.matches as m
           join tieout.findings as f on f.account_id = m.account_id and f.transaction_id = m.transaction_id
           where m.line_id = w.line_id and m.state = 'active' and f.known_to is null
           offset 0
         ))`;

/** By the lines' own columns, and by their findings. */
async function chooseLines(
  reader: AccountReader,
  { id }: StatementOf,
  { q, suggested, class: wanted }: LineFilters,
  { beyond, limit, backwards = false }: Wanted,
): Promise<ChosenLine[]> {
  return reader.database.query<ChosenLine & Record<string, unknown>>(
    `select w.line_id::text, w.line_no
     from tieout.statement_rows as w
     ${q === undefined ? "" : "join tieout.statement_lines as l on l.id = w.line_id"}
     where w.statement_id = $1::bigint
       and w.line_no ${backwards ? "<" : ">"} $2::int
       and w.line_id is not null
       and not exists (               -- a row that the file repeats is the same line
         select
         from tieout.statement_rows as earlier
         where earlier.line_id = ${q === undefined ? "w.line_id" : "l.id"} and earlier.statement_id = w.statement_id and earlier.line_no < w.line_no
         offset 0
       )
       and ($3::text is null ${q === undefined ? "" : `or ${isNamed}`})
       and ${wanted === "discrepant" ? isAccused : "true"}
       and ($4::boolean is null or $4 = exists (
         select from tieout.matches as m where m.line_id = w.line_id and m.state = 'suggested'
       ))
     order by w.line_no${backwards ? " desc" : ""}
     limit $5::int`,
    [id, beyond, q ?? null, suggested ?? null, limit],
  );
}

async function judgeLines(
  reader: AccountReader,
  statement: StatementOf,
  chosen: readonly ChosenLine[],
): Promise<LineOfStatement[]> {
  if (chosen.length === 0) return [];
  const rows = await reader.database.query<LineOfStatement & Record<string, unknown>>(
    `${judged}
     select line_no, line_id::int, class, pending_code, codes, match_id::int, line_type,
            exists (
              select from tieout.matches as m where m.line_id = judged.line_id and m.state = 'suggested'
            ) as is_suggested,
            array(
              select m.transaction_id
              from tieout.matches as m
              where m.line_id = judged.line_id and m.state = 'active'
              order by m.part_no
            ) as transaction_ids,
            effective_at::text, provider_transaction_id, payout_ref, fiat_currency,
            trim_scale(fiat_gross)::text as fiat_gross, trim_scale(net_amount)::text as net_amount, net_currency
     from judged`,
    valuesOf(statement, chosen),
  );
  const byId = new Map(rows.map((row) => [String(row.line_id), row]));
  return chosen.flatMap(({ line_id: id }) => byId.get(id) ?? []);
}

function valuesOf({ accountId }: StatementOf, chosen: readonly ChosenLine[]): unknown[] {
  return [accountId, chosen.map((line) => line.line_id), chosen.map((line) => line.line_no)];
}

/** Lines with their classes, by the one function that decides them. The ids are values, so that the planner knows how many they are. */
const judged = `
with classed as materialized (
  select c.line_id, c.class, c.pending_code, c.codes, c.match_id
  from tieout.line_classes(array[$1::int], now(), 'infinity', $2::bigint[]) as c
), judged as (
  select h.line_no, h.line_id, said.class, coalesce(c.pending_code, said.pending_code) as pending_code, c.codes, c.match_id,
         l.line_type, l.effective_at, l.provider_transaction_id, l.payout_ref, l.fiat_currency,
         l.fiat_gross, l.net_amount, l.net_currency
  from unnest($2::bigint[], $3::int[]) as h (line_id, line_no)
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
)`;
