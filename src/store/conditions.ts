import { inArray, type SQL, sql } from "drizzle-orm";
import { type PgColumn, QueryBuilder } from "drizzle-orm/pg-core";
import type { Queryable } from "./database.ts";
import { accounts } from "./schema/accounts.ts";

/** A database seen through a key: what lies outside the key's accounts is not there. */
export interface AccountReader {
  database: Queryable;
  /** `null`: every account. */
  accountIds: readonly number[] | null;
}

/** What a list is narrowed to, by name of the filter; left out, any. */
export type Filters<Name extends string> = Readonly<Partial<Record<Name, readonly string[] | undefined>>>;

/** The first condition of every question of the API: the limit to the accounts of its key. */
export function seenBy({ accountIds }: Pick<AccountReader, "accountIds">, column: PgColumn): SQL | undefined {
  return accountIds === null ? undefined : inArray(column, [...accountIds]);
}

/** For what was made for several accounts, `column`: it is there for those who see them all. */
export function seenWhollyBy(
  { accountIds }: Pick<AccountReader, "accountIds">,
  column: PgColumn,
): SQL | undefined {
  return accountIds === null ? undefined : sql`${column} <@ ${sql.param(accountIds, column)}`;
}

/** Several values of one column; left out, any. */
export function anyOf(column: PgColumn, wanted: readonly string[] | undefined): SQL | undefined {
  return wanted && inArray(column, [...wanted]);
}

/** Accounts by name, as people know them. */
export function ofAccounts(column: PgColumn, names: readonly string[] | undefined): SQL | undefined {
  if (names === undefined) return undefined;
  const ids = new QueryBuilder().select({ id: accounts.id }).from(accounts);
  return inArray(column, ids.where(inArray(accounts.name, [...names])));
}

/** The `where` of one statement and its bound values, as they are gathered. */
export interface Conditions {
  readonly values: unknown[];
  /** The placeholder of a value: text never becomes part of a statement. */
  bind: (value: unknown) => string;
  add: (condition: string) => void;
  toSql: () => string;
}

/** The same for a statement that is SQL text; `column` holds the account's number. */
export function conditionsFor(reader: AccountReader, column: string): Conditions {
  const values: unknown[] = [];
  const parts: string[] = [];
  const bind = (value: unknown) => `$${values.push(value)}`;
  const { accountIds } = reader;
  if (accountIds?.length === 1) parts.push(`${column} = ${bind(accountIds[0])}`);
  else if (accountIds !== null) parts.push(`${column} = any(${bind(accountIds)}::int[])`);
  return {
    values,
    bind,
    add: (condition) => void parts.push(condition),
    toSql: () => (parts.length === 0 ? "true" : parts.join("\n  and ")),
  };
}

/** Several values of one column; one is the common case, and the cheaper plan. */
export function addAnyOf(
  conditions: Conditions,
  column: string,
  wanted: readonly string[] | undefined,
): void {
  if (wanted === undefined) return;
  if (wanted.length === 1) conditions.add(`${column} = ${conditions.bind(wanted[0])}`);
  else conditions.add(`${column} = any(${conditions.bind(wanted)}::text[])`);
}

/** The same for words of records, which are kept as they came: people write EUR and DE, the aggregator eur and de. */
export function addAnyWord(
  conditions: Conditions,
  column: string,
  wanted: readonly string[] | undefined,
): void {
  addAnyOf(conditions, column, wanted && inAnyCase(wanted));
}

/** As given, all small and all large. Not `lower(column)`: of that the planner knows no frequencies, and reads whole tables. */
export function inAnyCase(words: readonly string[]): string[] {
  return [...new Set(words.flatMap((word) => [word, word.toLowerCase(), word.toUpperCase()]))];
}

/** Accounts by name, as people know them. */
export function addAccounts(
  conditions: Conditions,
  column: string,
  names: readonly string[] | undefined,
): void {
  if (names === undefined) return;
  const bound = conditions.bind(names);
  conditions.add(`${column} in (select id from tieout.accounts where name = any(${bound}::text[]))`);
}
