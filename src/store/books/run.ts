import { bindNamed } from "../named.ts";
import type { Transaction } from "../database.ts";

/** One run of the matcher over an account and a provider, inside one database transaction. */
export interface Run {
  readonly tx: Transaction;
  readonly accountId: number;
  readonly provider: string;
  /** Stamps everything that the run writes. */
  readonly stamp: string;
  /** Everything, or what `touched_lines` and `touched_transactions` name. */
  readonly scope: "all" | "touched";
}

/**
 * Runs a statement of a run. Its named parameters are `:account_id`, `:'provider'` and `:'stamp'`; what it reads beside the
 * tables are the relations that `openRun` has made.
 */
export async function execute<Row extends object>(
  { tx, accountId, provider, stamp }: Omit<Run, "scope">,
  statement: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Row[]> {
  const { text, values } = bindNamed(statement, { account_id: accountId, provider, stamp, ...more });
  return tx.query<Row>(text, values);
}

export async function count(run: Omit<Run, "scope">, statement: string): Promise<number> {
  const [row] = await execute<{ count: number }>(run, statement);
  return row?.count ?? 0;
}
