import { counted } from "../core/counted.ts";
import { SECOND } from "../core/duration.ts";
import { describeTrouble } from "../api/accounts/trouble.ts";
import { listFreshness } from "../store/accounts/account-reads.ts";
import { readCoverage } from "../store/windows/coverage.ts";
import type { Database } from "../store/database.ts";
import { countRows } from "../store/health/service-figures.ts";
import type { CommandContext } from "./context.ts";

const lookIntervalMs = 2 * SECOND;

/**
 * Lets the person at the terminal see the first sync happen: a line whenever it moved on, what stands in its way, and
 * one when it is done; then whatever there is to show of what was read.
 */
export function showSync(
  context: CommandContext,
  database: Database,
  accounts: readonly { id: number; name: string }[],
  showMore: (stopping: AbortSignal) => Promise<void>,
): { stop: () => Promise<void> } {
  const stopping = new AbortController();
  const done = new Set<number>();
  const shown = new Map<number, string>();
  let looking: Promise<void> = Promise.resolve();
  const timer = setInterval(() => {
    looking = looking
      .then(look)
      .catch((error: unknown) => context.log.debug({ event: "progress_unknown", err: error }));
  }, lookIntervalMs);

  async function look(): Promise<void> {
    const names = accounts.filter(({ id }) => !done.has(id)).map(({ name }) => name);
    if (names.length > 0) {
      const page = { limit: names.length, after: null };
      const freshness = await listFreshness({ database, accountIds: null }, { account: names }, page);
      for (const { id, name } of accounts.filter((account) => !done.has(account.id))) {
        const state = freshness.rows.find((row) => row.name === name);
        await lookAt({ id, name }, state ? describeTrouble(state) : null);
      }
    }
    if (done.size < accounts.length) return;
    clearInterval(timer);
    await showMore(stopping.signal);
  }

  async function lookAt(account: { id: number; name: string }, trouble: string | null): Promise<void> {
    const { share } = await readCoverage(database, account.id);
    // Counting rows takes a scan: only when something has been read since.
    const seen = `${share} ${trouble}`;
    if (shown.get(account.id) === seen) return;
    shown.set(account.id, seen);
    if (trouble !== null) return context.say(`Waiting: ${trouble}`);
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
