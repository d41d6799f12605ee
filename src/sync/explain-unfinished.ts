import { counted } from "../core/counted.ts";
import { durationWords } from "../core/duration.ts";
import { formatInstant } from "../core/instant.ts";
import type { AccountWork } from "../store/windows/sync-duties.ts";
import { commonestFailure } from "../store/windows/window-failures.ts";
import type { GiveUp } from "./decide-next.ts";
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
  work: AccountWork & { beganAtMs: number },
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
      if (failure !== null && refusals.has(failure.code)) return failed(failure);
      // It also ends when the next try would come after the end of its patience.
      const silentMs = work.nowMs - Math.max(work.beganAtMs, work.answeredAtMs ?? 0);
      const isSilent = failure === null || silences.has(failure.code);
      const what = isSilent ? "no answer for" : "no usable answer for";
      const silence = `${what} ${durationWords(silentMs)}${said}`;
      return { code, message: `${silence}: check the aggregator's address and the network, and start again` };
    }
    case "failed":
      return failed(failure ?? { code: "unknown", error: "", windows: 0 });
    default:
      return code satisfies never;
  }
}

/** Failures in which the aggregator did answer: the network is fine, and waiting would not help. */
const refusals: ReadonlySet<string> = new Set(["bad_request", "page_too_large"]);

/** Failures in which nothing answered. In all others something did, perhaps a firewall, and the failure says what. */
const silences: ReadonlySet<string> = new Set(["unreachable", "timeout", "connection_lost", "tls_refused"]);

function failed({ code, error, windows }: { code: string; error: string; windows: number }): Unfinished {
  const advice = "start again to retry; if it fails again, report it to the aggregator";
  return {
    code: "failed",
    message: `${counted(windows, "window")} failed with ${code} (${error}): ${advice}`,
  };
}
