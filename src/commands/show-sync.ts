import { SECOND } from "../core/duration.ts";
import { readCoverage } from "../store/windows/coverage.ts";
import type { Database } from "../store/database.ts";
import { countRows } from "../store/health/service-figures.ts";
import type { CommandContext } from "./context.ts";

const lookIntervalMs = 2 * SECOND;

/**
 * Lets the person at the terminal see the first sync happen: a line whenever it moved on, and one when it is done; then
 * whatever there is to show of what was read.
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
    for (const { id, name } of accounts.filter((account) => !done.has(account.id))) {
      const [coverage, rows] = await Promise.all([readCoverage(database, id), countRows(database, id)]);
      const counts = `${number(rows.transactions)} transactions, ${number(rows.statusRows)} status rows`;
      const complete = coverage.share === 1;
      const line = complete
        ? `In sync: ${name}, ${counts}`
        : `Reading: ${name}, ${percent(coverage.share)}, ${counts}`;
      if (shown.get(id) !== line) context.say(line);
      shown.set(id, line);
      if (complete) done.add(id);
    }
    if (done.size < accounts.length) return;
    clearInterval(timer);
    await showMore(stopping.signal);
  }

  return {
    stop: async () => {
      clearInterval(timer);
      stopping.abort();
      await looking;
    },
  };
}

function number(count: number): string {
  return count.toLocaleString("en");
}

function percent(share: number): string {
  return `${Math.floor(share * 100)} %`;
}
