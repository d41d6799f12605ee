import { setTimeout as sleep } from "node:timers/promises";
import { SECOND } from "../core/duration.ts";
import { forgetRefusals } from "../store/accounts/account-pace.ts";
import type { Database } from "../store/database.ts";
import { recordAudit } from "../store/people/audit-log.ts";
import type { CommandContext } from "./context.ts";
import type { OpenAccounts } from "./open-accounts.ts";

/** A few small files; watching them would miss those that an orchestrator replaces by moving a link. */
const everyMs = 2 * SECOND;

/**
 * Looks at the keys and secrets of the accounts again and again, so that a new one is used without a restart; an account
 * that was refused is asked again at once.
 */
export function watchSecrets(
  context: Pick<CommandContext, "config" | "log" | "readConfigAgain">,
  deps: {
    database: Database;
    opened: Pick<OpenAccounts, "renew">;
    wake: () => Promise<void>;
    everyMs?: number;
  },
): { stop: () => Promise<void> } {
  const controller = new AbortController();
  const { signal } = controller;
  const running = (async () => {
    // The sandbox makes its own.
    if (context.config.accounts === null) return;
    while (!signal.aborted) {
      await sleep(deps.everyMs ?? everyMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (!signal.aborted) await renewAccounts(context, deps).catch(ignoreOnce(context));
    }
  })();
  return {
    stop: async () => {
      controller.abort();
      await running;
    },
  };
}

async function renewAccounts(
  { log, readConfigAgain }: Pick<CommandContext, "log" | "readConfigAgain">,
  { database, opened, wake }: Parameters<typeof watchSecrets>[1],
): Promise<void> {
  const renewed = opened.renew(readConfigAgain().accounts ?? []);
  if (renewed.length === 0) return;
  await database.transaction(async (tx) => {
    const ids = renewed.map(({ id }) => id);
    await forgetRefusals(tx, ids);
    for (const { name } of renewed)
      await recordAudit(tx, { actor: "service", action: "account.secret_renewed", subject: name });
  });
  for (const { name } of renewed) log.info({ event: "secret_renewed", account: name });
  await wake();
}

/** A file that is being written may be empty for a moment; a lasting problem is reported once, not every two seconds. */
function ignoreOnce({ log }: Pick<CommandContext, "log">): (error: unknown) => void {
  return (error) => log.debug({ event: "secrets_unreadable", err: error });
}
