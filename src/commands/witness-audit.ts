import { setTimeout as sleep } from "node:timers/promises";
import { SECOND } from "../core/duration.ts";
import { createTrouble } from "../core/trouble.ts";
import type { Database } from "../store/database.ts";
import { type AuditHead, findCutOff } from "../store/people/audit-head.ts";
import { listenForAuditHeads } from "../store/people/audit-listen.ts";
import { asDatabaseError, isTransient } from "../store/sql-errors.ts";
import { appendHead, openAuditHeads, readHeads } from "./audit-heads-file.ts";
import type { CommandContext } from "./context.ts";

const retryMs = 2 * SECOND;

/**
 * Writes down every new head of the audit log at once, signed, in a file outside the database: an intruder who changes or
 * cuts off the log afterwards, and makes its chain anew, cannot make that file say so. `tieout verify` compares the two.
 */
export async function witnessAudit(
  { config, log, now }: Pick<CommandContext, "config" | "log" | "now">,
  database: Database,
): Promise<{ stop: () => Promise<void> }> {
  const file = await openAuditHeads(config);
  const { heads } = await readHeads(file);
  for (const problem of await findCutOff(database, heads))
    log.error({ event: "audit_log_cut_off", ...problem });
  let last = heads.at(-1) ?? null;
  const trouble = createTrouble({ log, now }, { event: "audit_witness_interrupted" });
  const keep = async (head: AuditHead) => {
    if (head.number !== last?.number || head.hash !== last.hash) {
      await appendHead(file, head, new Date(now()).toISOString());
      last = head;
    }
    // Only now: the file may be what failed.
    trouble.over();
  };
  const controller = new AbortController();
  const { signal } = controller;
  const running = (async () => {
    while (!signal.aborted) {
      try {
        await listenForAuditHeads(database, keep, signal);
      } catch (error) {
        const { message, code } = isTransient(error)
          ? asDatabaseError(error)
          : (error as NodeJS.ErrnoException);
        trouble.came(message, code);
        await sleep(retryMs, undefined, { signal }).catch(() => undefined);
      }
    }
  })();
  return {
    stop: async () => {
      controller.abort();
      await running;
    },
  };
}
