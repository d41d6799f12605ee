import { parseApiKey } from "../core/api-key.ts";
import { auditRefusal } from "../store/people/audit-log.ts";
import type { ApiDeps, Refusals } from "./deps.ts";
import { createRateLimits } from "./rate-limit.ts";

/** Strangers cause these entries, so their number is limited; all of them are in the service's own log. */
const entriesPerMinuteMax = 120;

export function createRefusals(deps: ApiDeps): Refusals {
  const budget = createRateLimits(deps.now, { refused: { quota: entriesPerMinuteMax, windowSeconds: 60 } });
  return {
    note(c, refused) {
      const { action, reason } = refused;
      const subject = action === "key.refused" ? subjectOf(refused.key) : refused.subject;
      const { address } = c.get("client");
      const requestId = c.get("requestId");
      deps.log.warn?.({ event: action.replace(".", "_"), request_id: requestId, address, subject, reason });
      if (!budget.take("refused", "all").allowed) return;
      // Not awaited: a refusal must not wait for other writers of the audit log.
      auditRefusal(deps.database, { action, subject, after: { reason, address }, requestId }).catch(
        (error: unknown) =>
          deps.log.error({
            event: "refusal_not_audited",
            request_id: requestId,
            reason: error instanceof Error ? error.name : "unknown",
          }),
      );
    },
  };
}

function subjectOf(key: string): string {
  const id = parseApiKey(key)?.id;
  return id === undefined ? "an unreadable key" : `key_${id}`;
}
