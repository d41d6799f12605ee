import { createHash } from "node:crypto";
import type { Conditions } from "./conditions.ts";
import type { Queryable } from "./database.ts";

/**
 * Keyset paging: the next page begins after the last row of the one before, by a row comparison over the sort columns.
 * All of them are NOT NULL and run in one direction, and together they are unique: a time alone skips or repeats rows.
 */
export interface Keyset<Expression = string> {
  keys: readonly SortKey<Expression>[];
  descending: boolean;
}

interface SortKey<Expression> {
  expression: Expression;
  kind: PositionKind;
}

export type PositionKind = keyof typeof forms;

export interface PageWanted {
  limit: number;
  /** The position of the last row seen, as `positionOf` wrote it: the database's own text, microseconds included. */
  after: readonly string[] | null;
}

export interface Page<Row> {
  rows: Row[];
  hasMore: boolean;
}

/** The forms in which a position travels; a cursor that holds anything else was not written by us. */
const forms = {
  time: {
    pattern: /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{1,6})?\+00$/,
    read: (bound: string) => `${bound}::timestamptz`,
  },
  text: { pattern: /^[^\0]*$/, read: (bound: string) => `${bound}::text` },
  integer: { pattern: /^\d{1,15}$/, read: (bound: string) => `${bound}::bigint` },
  decimal: { pattern: /^-?\d{1,60}(?:\.\d{1,60})?$/, read: (bound: string) => `${bound}::numeric` },
  hex: { pattern: /^(?:[0-9a-f]{2})*$/, read: (bound: string) => `decode(${bound}, 'hex')` },
};

export function isPosition(keyset: Keyset<unknown>, position: readonly string[]): boolean {
  return (
    position.length === keyset.keys.length &&
    keyset.keys.every(
      ({ kind }, index) =>
        forms[kind].pattern.test(position[index] ?? "") && exists(kind, position[index] ?? ""),
    )
  );
}

/** A day that the calendar does not have would be an error of the database. */
function exists(kind: PositionKind, text: string): boolean {
  return kind !== "time" || !Number.isNaN(Date.parse(`${text.slice(0, 19).replace(" ", "T")}Z`));
}

export async function readPage<Row extends object>(
  database: Queryable,
  question: {
    select: string;
    from: string;
    conditions: Conditions;
    keyset: Keyset;
    page: PageWanted;
    /** Planned once for each connection: for questions of few forms, whose plan does not depend on their values. */
    planOnce?: boolean;
  },
): Promise<Page<Row>> {
  const { select, from, conditions, keyset, page } = question;
  if (page.after !== null) conditions.add(isBeyond(keyset, page.after, conditions));
  const direction = keyset.descending ? " desc" : "";
  const text = `select ${select}
     from ${from}
     where ${conditions.toSql()}
     order by ${keyset.keys.map(({ expression }) => expression + direction).join(", ")}
     limit ${conditions.bind(page.limit + 1)}`;
  const rows = await database.query<Row>(
    text,
    conditions.values,
    question.planOnce ? nameOf(text) : undefined,
  );
  const hasMore = rows.length > page.limit;
  if (hasMore) rows.pop();
  return { rows, hasMore };
}

function isBeyond(keyset: Keyset, after: readonly string[], conditions: Conditions): string {
  const columns = keyset.keys.map(({ expression }) => expression).join(", ");
  const bounds = keyset.keys.map(({ kind }, index) => forms[kind].read(conditions.bind(after[index])));
  return `(${columns}) ${keyset.descending ? "<" : ">"} (${bounds.join(", ")})`;
}

/** One name for one text, in every process. */
function nameOf(text: string): string {
  return `page_${createHash("sha256").update(text).digest("base64url").slice(0, 22)}`;
}
