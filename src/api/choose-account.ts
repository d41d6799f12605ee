import type { Queryable } from "../store/database.ts";
import { reportableAccounts } from "../store/accounts/account-reads.ts";
import type { Caller } from "../access/caller.ts";
import { problem } from "./problem.ts";

/** The account that a request is about: the one it names, or the only one that the key may see. */
export async function chooseAccount(
  database: Queryable,
  { accountIds }: Pick<Caller, "accountIds">,
  name: string | undefined,
): Promise<{ id: number; name: string }> {
  const accounts = await reportableAccounts(database, accountIds);
  const chosen = name === undefined ? accounts : accounts.filter((account) => account.name === name);
  if (chosen.length === 1 && chosen[0]) return chosen[0];
  if (name !== undefined) {
    throw problem("invalid_parameter", "account names no account that you may see.", { param: "account" });
  }
  const names = accounts.map((account) => account.name).join(", ");
  throw problem("account_required", `Name the account with account: ${names}.`, {
    param: "account",
  });
}
