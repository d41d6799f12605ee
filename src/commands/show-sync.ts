import { counted } from "../core/counted.ts";
import { SECOND } from "../core/duration.ts";
import { readCoverage } from "../store/windows/coverage.ts";
import type { Database } from "../store/database.ts";
import { countRows } from "../store/health/service-figures.ts";
import type { CommandContext } from "./context.ts";

const lookIntervalMs = 2 * SECOND;

/**
 * Lets the person at the terminal see the first sync happen: a line whenever it moved on, and one when it is done; then
 * what was read.
 */
export function showSync(
  context: CommandContext,
  database: Database,
  accounts: readonly { id: number; name: string }[],
  more: {
    /** What cannot be read now is not in sync, although nothing is missing yet. */
    isTroubled: (name: string) => boolean;
    showMore: (stopping: AbortSignal) => Promise<void>;
  },
): { stop: () => Promise<void> } {
  const stopping = new AbortController();
  const done = new Set<number>();
  const shown = new Map<number, number>();
  let looking: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    looking = looking
      .then(look)
      .catch((error: unknown) => context.log.debug({ event: "progress_unknown", err: error }));
  }, lookIntervalMs);

  async function look(): Promise<void> {
    for (const account of accounts) if (!done.has(account.id)) await lookAt(account);
    if (done.size < accounts.length) return;
    clearInterval(timer);
    await more.showMore(stopping.signal);
  }

  async function lookAt(account: { id: number; name: string }): Promise<void> {
    const { share } = await readCoverage(database, account.id);
    // Counting rows takes a scan: only when something has been read since.
    if (shown.get(account.id) === share || (share === 1 && more.isTroubled(account.name))) return;
    shown.set(account.id, share);
    const rows = await countRows(database, account.id);
    const counts = `${counted(rows.transactions, "transaction")}, ${counted(rows.statusRows, "status row")}`;
    if (share === 1) done.add(account.id);
    context.say(
      share === 1
        ? `In sync: ${account.name}, ${counts}`
        : `Reading: ${account.name}, ${percent(share)}, ${counts}`,
    );
  }

  return {
    stop: async () => {
      clearInterval(timer);
      stopping.abort();
      await looking;
    },
  };
}

function percent(share: number): string {
  return `${Math.floor(share * 100)} %`;
}
