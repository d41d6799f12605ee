import { bindNamed } from "../named.ts";
import type { Transaction } from "../database.ts";

/** One run of the matcher over an account and some of its providers, inside one database transaction. */
export interface Run {
  readonly tx: Transaction;
  readonly accountId: number;
  /** All of them at once: what a statement costs does not grow with their number. */
  readonly providers: readonly string[];
  /** Stamps everything that the run writes. */
  readonly stamp: string;
  /** Everything, or what `touched_lines` and `touched_transactions` name. */
  readonly scope: "all" | "touched";
}

/**
 * Runs a statement of a run. Its named parameters are `:account_id`, `:'providers'` and `:'stamp'`; what it reads beside the
 * tables are the relations that `openRun` has made.
 */
export async function execute<Row extends object>(
  { tx, accountId, providers, stamp }: Omit<Run, "scope">,
  statement: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Row[]> {
  const { text, values } = bindNamed(statement, { account_id: accountId, providers, stamp, ...more });
  return tx.query<Row>(text, values);
}

/**
 * Tells the planner about what a run has made. A tenth of the usual sample says as much, and taking all of it took a tenth
 * of a run's time.
 */
export async function analyze({ tx }: Pick<Run, "tx">, ...relations: readonly string[]): Promise<void> {
  await tx.query(
    `set local default_statistics_target = 10; analyze ${relations.join(", ")}; set local default_statistics_target to default`,
  );
}

/** Whether a query finds any row; `from` is its text from that word on. */
export async function isAny(run: Omit<Run, "scope">, from: string): Promise<boolean> {
  return (await count(run, `select count(*)::int as count from (select ${from} limit 1) as one`)) > 0;
}

/**
 * Makes a relation that later statements read. When nothing can be in it, it is created empty: in small books,
 * planning a large statement takes longer than running it.
 */
export async function make(
  run: Omit<Run, "scope">,
  relation: string,
  select: string,
  { empty = false } = {},
): Promise<void> {
  await execute(
    run,
    `create temp table ${relation} on commit drop as ${select}${empty ? " with no data" : ""}`,
  );
}

export async function count(run: Omit<Run, "scope">, statement: string): Promise<number> {
  const [row] = await execute<{ count: number }>(run, statement);
  return row?.count ?? 0;
}

/** How many of something there were, by provider; of those that are not named, none. */
export type Counts = ReadonlyMap<string, number>;

/** Of a statement that ends with a part named `written`: a row for everything that it wrote, with its provider. */
export async function countEach(run: Omit<Run, "scope">, written: string): Promise<Counts> {
  const rows = await execute<{ provider: string; count: number }>(
    run,
    `${written}
     select provider, count(*)::int as count
     from written
     group by provider`,
  );
  return new Map(rows.map((row) => [row.provider, row.count]));
}

export function total(counts: Counts): number {
  return [...counts.values()].reduce((sum, one) => sum + one, 0);
}
