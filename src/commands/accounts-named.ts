import { usageError } from "../core/errors.ts";
import { accountIdsOf, accountNames } from "../store/accounts/accounts.ts";
import type { Database } from "../store/database.ts";

/** The accounts that `--account` names; `null`, when it is left out: all of them. */
export async function accountsNamed(
  database: Database,
  given: string[] | undefined,
): Promise<number[] | null> {
  if (given === undefined) return null;
  const { ids, unknown } = await accountIdsOf(database, given);
  if (unknown.length === 0) return ids;
  const known = (await accountNames(database)).join(", ") || "none yet";
  throw usageError(`--account: there is no account ${unknown.join(", ")}; the accounts are ${known}`);
}
