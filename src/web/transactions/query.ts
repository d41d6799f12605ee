import type { z } from "@hono/zod-openapi";
import { refuseInput } from "../../api/input.ts";
import { problem } from "../../api/problem.ts";
import { readQuestion, transactionQuery, type TransactionQuestion } from "../../api/transactions/query.ts";
import { classes } from "../../store/books/summary.ts";
import type { TransactionClass } from "../../store/transactions/transaction-reads.ts";
import { may, type Visitor } from "../deps.ts";
import { type ColumnName, chooseColumns, isStandard } from "./columns.tsx";

/** What the address of the list says: the API's own parameters, and how the list is to look. */
export interface ListQuery {
  /** Without what is empty: the address to share. */
  address: URLSearchParams;
  /** With the zone of plain days always said. */
  parsed: z.output<typeof transactionQuery>;
  question: TransactionQuestion;
  columns: ColumnName[];
  /** Whether to add up however many there are. */
  allTotals: boolean;
}

/** Parameters of the page that the API does not have. */
const ownParameters = new Set(["columns", "totals", "class"]);

export const classNames = classes;

/** A form sends all of its fields; an address that people share says only what was chosen. */
export function cleanAddress(given: URLSearchParams): URLSearchParams {
  const clean = new URLSearchParams();
  for (const [name, value] of given) {
    if (value.trim() !== "" && name !== "columns") clean.append(name, value.trim());
  }
  const columns = columnsIn(given);
  if (columns.length > 0 && !isStandard(columns)) clean.set("columns", columns.join(","));
  // The zone is that of plain days, and says nothing without one.
  if (![...clean.keys()].some((name) => name.includes("_date[") || name.includes("_at["))) clean.delete("tz");
  return clean;
}

function columnsIn(address: URLSearchParams): ColumnName[] {
  const wanted = address.getAll("columns").flatMap((value) => value.split(","));
  return wanted.length === 0 ? [] : chooseColumns(wanted);
}

export function readListQuery(address: URLSearchParams, visitor: Visitor): ListQuery {
  const forApi: Record<string, string[]> = {};
  for (const name of new Set(address.keys())) {
    if (!ownParameters.has(name)) forApi[name] = address.getAll(name);
  }
  forApi["tz"] ??= [visitor.preferences.zone];
  const parsed = transactionQuery.safeParse(forApi);
  if (!parsed.success) {
    const known = [...Object.keys(transactionQuery.shape), ...ownParameters];
    throw refuseInput(parsed.error.issues.map((issue) => ({ place: "query", issue, known })));
  }
  const question = readQuestion(parsed.data, visitor.caller);
  const wanted = address.get("class");
  if (wanted !== null) question.filters.class = readClass(wanted, visitor);
  return {
    address,
    parsed: parsed.data,
    question,
    columns: chooseColumns(columnsIn(address)),
    allTotals: address.get("totals") === "all",
  };
}

function readClass(wanted: string, visitor: Visitor): TransactionClass {
  if (!may(visitor, "reconcile:read")) {
    throw problem("invalid_parameter", "Filtering by class needs reconcile:read, which your key lacks.");
  }
  const known = classNames.find((name) => name === wanted);
  if (known === undefined) {
    throw problem(
      "invalid_parameter",
      `There is no class “${wanted.slice(0, 40)}”. Use ${classNames.join(", ")}.`,
    );
  }
  return known;
}
