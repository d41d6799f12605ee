import { setTimeout as sleep } from "node:timers/promises";
import { describeTrouble } from "../api/accounts/trouble.ts";
import { SECOND } from "../core/duration.ts";
import { listFreshness } from "../store/accounts/account-reads.ts";
import type { Database } from "../store/database.ts";
import type { CommandContext } from "./context.ts";

/** One question to the database, however many accounts there are. */
const everyMsDefault = 5 * SECOND;

/** Says at the terminal, for as long as the service runs, which account cannot be read and why; and that it answers again. */
export function tellTroubles(
  { say, log }: Pick<CommandContext, "say" | "log">,
  database: Database,
  accounts: readonly { name: string }[],
  { everyMs = everyMsDefault } = {},
): { isTroubled: (name: string) => boolean; stop: () => Promise<void> } {
  const controller = new AbortController();
  const { signal } = controller;
  const troubled = new Map<string, string>();
  const names = accounts.map(({ name }) => name);

  async function look(): Promise<void> {
    const page = { limit: names.length, after: null };
    const { rows } = await listFreshness({ database, accountIds: null }, { account: names }, page);
    for (const row of rows) {
      const trouble = describeTrouble(row);
      // While it lasts, its last error may be another one at each look.
      const kind = trouble === null ? undefined : `${row.state} ${row.state_since}`;
      if (troubled.get(row.name) === kind) continue;
      if (kind === undefined) troubled.delete(row.name);
      else troubled.set(row.name, kind);
      say(trouble === null ? `Reading again: account ${row.name} answers` : `Waiting: ${trouble}`);
    }
  }

  const running = (async () => {
    while (!signal.aborted && names.length > 0) {
      await look().catch((error: unknown) => log.debug({ event: "troubles_unknown", err: error }));
      await sleep(everyMs, undefined, { signal, ref: false }).catch(() => undefined);
    }
  })();
  return {
    isTroubled: (name) => troubled.has(name),
    stop: async () => {
      controller.abort();
      await running;
    },
  };
}
