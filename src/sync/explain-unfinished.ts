import { MINUTE } from "../core/duration.ts";
import { formatInstant } from "../core/instant.ts";
import type { AccountWork } from "../store/windows/sync-duties.ts";
import { commonestFailure } from "../store/windows/window-failures.ts";
import { type GiveUp, patienceMs } from "./decide-next.ts";
import type { SyncAccount, SyncDeps } from "./deps.ts";

/** Why not everything could be read, and what to do about it. */
export interface Unfinished {
  code: GiveUp;
  message: string;
}

export async function explainUnfinished(
  deps: Pick<SyncDeps, "database">,
  account: SyncAccount,
  code: GiveUp,
  work: AccountWork,
): Promise<Unfinished> {
  const failure = await commonestFailure(deps.database, account.id);
  const said = failure === null ? "" : ` (${failure.error})`;
  switch (code) {
    case "refused":
      return { code, message: `key ${work.reason}` };
    case "paused":
      return { code, message: `${work.reason ?? "paused"}: resume it on the sync screen, and start again` };
    case "told_to_wait": {
      const until = formatInstant(work.nowMs + work.waitMs);
      return {
        code,
        message: `the aggregator asked for no requests before ${until}${said}: start again then`,
      };
    }
    case "unanswered": {
      const silence = `no answer for ${patienceMs / MINUTE} minutes${said}`;
      return { code, message: `${silence}: check the aggregator's address and the network, and start again` };
    }
    case "failed": {
      const { code: why, error, windows } = failure ?? { code: "unknown", error: "", windows: 0 };
      const many = windows === 1 ? "1 window" : `${windows} windows`;
      const advice = "start again to retry; if it fails again, report it to the aggregator";
      return { code, message: `${many} failed with ${why} (${error}): ${advice}` };
    }
    default:
      return code satisfies never;
  }
}
