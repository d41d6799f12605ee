import { usageError } from "../core/errors.ts";
import { reportableAccounts } from "../store/accounts/account-reads.ts";
import type { Database } from "../store/database.ts";

/** The account that a flag names, or the only one. */
export async function chooseAccount(
  database: Database,
  name: string | undefined,
): Promise<{ id: number; name: string }> {
  const accounts = await reportableAccounts(database, null);
  const known = accounts.map((account) => account.name).join(", ") || "none; start tieout once to make it";
  if (name === undefined && accounts.length === 1 && accounts[0]) return accounts[0];
  if (name === undefined) throw usageError(`--account: say which; there are: ${known}`);
  const account = accounts.find((each) => each.name === name);
  if (account) return account;
  throw usageError(`--account: there is no account ${JSON.stringify(name)}; there are: ${known}`);
}
