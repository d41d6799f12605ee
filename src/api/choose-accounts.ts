import { accountIdsOf } from "../store/accounts/accounts.ts";
import { reportableAccounts } from "../store/accounts/account-reads.ts";
import type { AccountReader } from "../store/conditions.ts";
import { quote } from "../core/quote.ts";
import { problem } from "./problem.ts";

/** The accounts that a body names, as numbers; left out, those of the caller. `null`: all of them. */
export async function chooseAccounts(
  reader: AccountReader,
  names: readonly string[] | null | undefined,
): Promise<readonly number[] | null> {
  if (names === undefined) return reader.accountIds;
  if (names === null) return null;
  const { ids, unknown } = await accountIdsOf(reader.database, names);
  const hidden = reader.accountIds === null ? [] : ids.filter((id) => !reader.accountIds?.includes(id));
  if (unknown.length > 0 || hidden.length > 0) {
    throw problem("invalid_body", "accounts names an account that does not exist, or that you may not see.", {
      param: "accounts",
    });
  }
  return ids;
}

/** A mistyped account in a filter would be an empty list, which reads as if there were nothing. */
export async function refuseUnknownAccounts(
  { database, accountIds }: AccountReader,
  names: readonly string[] | undefined,
): Promise<void> {
  if (names === undefined) return;
  const known = new Set((await reportableAccounts(database, accountIds)).map(({ name }) => name));
  const unknown = names.find((name) => !known.has(name));
  if (unknown === undefined) return;
  throw problem(
    "invalid_parameter",
    `account names no account that you may see: ${quote(unknown)}. GET /v1/accounts lists them.`,
    { param: "account" },
  );
}
