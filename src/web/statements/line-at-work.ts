import { type Candidate, listCandidates, listPartCandidates } from "../../store/books/match-candidates.ts";
import { type DiscrepancyRow, listDiscrepancies } from "../../store/books/discrepancy-reads.ts";
import type { MatchRow } from "../../store/books/match-reads.ts";
import type { LineOfStatement } from "../../store/statements/lines-of-statement.ts";
import type { LineWithFile } from "../../store/statements/statement-rows.ts";
import type { StoredStatement } from "../../store/statements/statements.ts";
import { findTransactions, type TransactionRow } from "../../store/transactions/transaction-reads.ts";
import { may, type Visitor } from "../deps.ts";

export interface CandidateRow extends Candidate {
  row: TransactionRow;
}

/** Everything that the workspace shows of one line. */
export interface LineAtWork {
  statement: StoredStatement;
  line: LineOfStatement;
  detail: LineWithFile;
  discrepancies: DiscrepancyRow[];
  /** The transaction that it is matched with, none, or those that a person split it over. */
  matchedWith: TransactionRow[];
  /** The parts of a split, in the order of `matchedWith`; of any other line none. */
  parts: MatchRow[];
  candidates: CandidateRow[];
  /** What it could be split over: the free candidates, and smaller orders near it. */
  partCandidates: TransactionRow[];
  /** What was looked for among the transactions. */
  asked: string | null;
  here: string;
  /** The same with what was looked for: a form that is refused must still have what was chosen in it. */
  hereAsked: string;
  /** Where to go when something was done: the next line of the same view, or this one. */
  next: string;
}

/** About the line itself, and about the transaction that it settles. */
export async function discrepanciesOf(visitor: Visitor, line: LineOfStatement): Promise<DiscrepancyRow[]> {
  const page = { limit: 20, after: null };
  const own = await listDiscrepancies(visitor.reader, { lineId: line.line_id }, page);
  if (line.transaction_ids.length === 0) return own.rows;
  const others = await listDiscrepancies(visitor.reader, { transactionId: line.transaction_ids }, page);
  const known = new Set(own.rows.map(({ id }) => id));
  return [...own.rows, ...others.rows.filter(({ id }) => !known.has(id))];
}

async function transactionOf(
  visitor: Visitor,
  statement: StoredStatement,
  transactionId: string,
): Promise<TransactionRow | null> {
  const [row] = await findTransactions(visitor.reader, transactionId, statement.account);
  return row ?? null;
}

/** In the order of its parts. One that may no longer be read is left out. */
export async function transactionsOf(
  visitor: Visitor,
  statement: StoredStatement,
  line: LineOfStatement,
): Promise<TransactionRow[]> {
  const rows = await Promise.all(line.transaction_ids.map((id) => transactionOf(visitor, statement, id)));
  return rows.filter((row) => row !== null);
}

/** A line that is matched, or that stands for no transaction, has none. */
export async function candidatesOf(
  visitor: Visitor,
  statement: StoredStatement,
  line: LineOfStatement,
  asked: string | null,
): Promise<CandidateRow[]> {
  if (!mayBeMatched(line) || !may(visitor, "transactions:read")) return [];
  const found = await listCandidates(visitor.reader, line.line_id, asked);
  const rows = await Promise.all(
    found.map(async (candidate) => ({
      ...candidate,
      row: await transactionOf(visitor, statement, candidate.transaction_id),
    })),
  );
  return rows.flatMap(({ row, ...candidate }) => (row === null ? [] : [{ ...candidate, row }]));
}

/** Those that a rule or a name leads to first. */
export async function partCandidatesOf(
  visitor: Visitor,
  statement: StoredStatement,
  line: LineOfStatement,
  candidates: readonly CandidateRow[],
): Promise<TransactionRow[]> {
  if (!mayBeMatched(line) || !may(visitor, "reconcile:write") || !may(visitor, "transactions:read"))
    return [];
  const free = candidates.filter((one) => one.settled_statement === null || line.line_type !== "charge");
  const known = new Set(free.map((one) => one.transaction_id));
  const near = await listPartCandidates(visitor.reader, line.line_id);
  const others = await Promise.all(
    near.filter((id) => !known.has(id)).map((id) => transactionOf(visitor, statement, id)),
  );
  return [...free.map(({ row }) => row), ...others.filter((row) => row !== null)].slice(0, partsShownMax);
}

/** What was typed comes back in a cookie, when it is refused: more would not fit. */
const partsShownMax = 12;

export function mayBeMatched(line: LineOfStatement): boolean {
  return (
    line.match_id === null &&
    line.class !== "superseded" &&
    line.line_type !== "payout" &&
    line.line_type !== "balance"
  );
}
