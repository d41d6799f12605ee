import type { FreshnessRow } from "../../store/accounts/account-reads.ts";
import { isoTime } from "../present.ts";

type AccountState = Pick<FreshnessRow, "name" | "state" | "state_reason" | "state_since">;

/** Why an account is not read, since when, and what to do, in one sentence; `null` when it is read. */
export function describeTrouble(account: AccountState): string | null {
  const since = `since ${isoTime(account.state_since)}`;
  switch (account.state) {
    case "active":
      return null;
    case "refused":
      return `account ${account.name}: key refused ${since}: ${account.state_reason}`;
    case "failing":
      return `account ${account.name}: no answer ${since}: ${account.state_reason}: ${failingAdvice}`;
    default:
      return `account ${account.name}: paused ${since}: ${account.state_reason}`;
  }
}

export const failingAdvice = "check its address and the network; tieout keeps trying";
