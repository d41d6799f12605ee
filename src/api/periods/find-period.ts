import { findPeriod, type Period } from "../../close/period.ts";
import type { AccountReader } from "../../store/conditions.ts";
import { chooseAccount } from "../choose-account.ts";
import { withPeriodProblems } from "./problems.ts";

/** The month of the account that a request is about. */
export async function findAskedPeriod(
  reader: AccountReader,
  asked: { account?: string | undefined; month: string },
): Promise<Period> {
  const { name: account } = await chooseAccount(reader.database, reader, asked.account);
  return withPeriodProblems(() => findPeriod(reader, { account, month: asked.month }));
}
