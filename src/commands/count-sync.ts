import { SECOND } from "../core/duration.ts";
import { instantMs } from "../core/instant.ts";
import { isKnownStatus } from "../core/status.ts";
import type { TransactionRecord } from "../core/transaction.ts";
import type { Metrics } from "../metrics.ts";
import type { KeptPage } from "../sync/deps.ts";
import type { Tracer } from "../trace.ts";
import type { Attempt } from "../upstream/http.ts";

/** Counts and traces what the reading of accounts tells. */
export function countSync(deps: {
  metrics: Pick<Metrics, "countPage" | "countRateLimited" | "observeUpstream">;
  now: () => number;
  tracer: Pick<Tracer, "note">;
}) {
  const { metrics, now, tracer } = deps;
  return {
    /** `nameOf`: an account by its number. */
    pages:
      (nameOf: (accountId: number) => string) =>
      ({ accountId, kind, counts, newRecords }: KeptPage): void => {
        const { read, added, quarantined } = counts;
        // A backfill reads what is old: only what comes late afterwards tells how far to look back.
        const late = kind === "backfill" ? [] : newRecords;
        const nowMs = now();
        metrics.countPage({
          account: nameOf(accountId),
          added,
          seen: read - added - quarantined,
          quarantined,
          latenessSeconds: late.map(({ statusDate }) => (nowMs - instantMs(statusDate)) / SECOND),
          unknownFields: newRecords.flatMap(unknownFields),
        });
      },
    attempts:
      (account: string) =>
      ({ endpoint, outcome, sentAtMs, endedAtMs }: Attempt): void => {
        metrics.observeUpstream({ endpoint, status: outcome }, (endedAtMs - sentAtMs) / SECOND);
        if (outcome === "429") metrics.countRateLimited(account);
        const times = { begunMs: sentAtMs, endedMs: endedAtMs };
        tracer.note(endpoint, times, { account, outcome }, !outcome.startsWith("2"));
      },
  };
}

/** Fields with a closed set of words in them that hold another one. */
function unknownFields({ status, transactionType }: TransactionRecord): string[] {
  return [
    ...(isKnownStatus(status) ? [] : ["status"]),
    ...(transactionType === null || transactionType === "" || ["buy", "sell"].includes(transactionType)
      ? []
      : ["transaction_type"]),
  ];
}
