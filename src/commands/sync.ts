import { TieoutError } from "../core/errors.ts";
import { extendHistory } from "../store/accounts/accounts.ts";
import { listWrongClocks } from "../store/accounts/aggregator-clocks.ts";
import { readCoverage } from "../store/windows/coverage.ts";
import type { SyncDeps } from "../sync/deps.ts";
import { type SyncProgress, syncOnce } from "../sync/sync-once.ts";
import type { CommandContext } from "./context.ts";
import { openAccounts, type OpenAccount } from "./open-accounts.ts";
import { openStore } from "./open-store.ts";
import { readTime } from "./option-problems.ts";
import { createProgressLine } from "./progress-line.ts";
import { openSyncDatabase, syncDeps } from "./sync-deps.ts";
import { describeWrongClock } from "./readiness-checks.ts";
import { untilStopped } from "./until-stopped.ts";

export interface SyncOptions {
  from?: string;
  to?: string;
  account?: string;
  json: boolean;
}

/** Reads everything up to now. True only when nothing is missing. */
export async function sync(context: CommandContext, options: SyncOptions): Promise<boolean> {
  const period = readPeriod(options);
  const store = await openStore(context, { migrate: false });
  const database = openSyncDatabase(context, store.url);
  const stop = new AbortController();
  void untilStopped().then(() => stop.abort());
  try {
    const open = await openAccounts(context, database);
    try {
      const accounts = chooseAccounts(open.accounts, options.account);
      const deps = syncDeps(context, database);
      const results = await Promise.all(
        accounts.map((account) => syncAccount(context, deps, account, { period, signal: stop.signal })),
      );
      if (stop.signal.aborted)
        throw new TieoutError("interrupted", "interrupted: start again to go on where it stopped");
      for (const wrong of await listWrongClocks(database))
        if (accounts.some(({ name }) => name === wrong.account)) context.say(describeWrongClock(wrong));
      process.stdout.write(options.json ? `${JSON.stringify(results)}\n` : `${summary(results)}\n`);
      return results.every(({ coverage, windows }) => coverage.gapCount === 0 && windows.failed === 0);
    } finally {
      await open.close();
    }
  } finally {
    await database.close();
    await store.close();
  }
}

async function syncAccount(
  context: CommandContext,
  deps: SyncDeps,
  account: OpenAccount,
  options: { period: { from: string | null; to: string | null }; signal: AbortSignal },
): Promise<SyncProgress> {
  const { from, to } = options.period;
  if (from) await extendHistory(deps.database, { ...account, from }, "command line");
  const line = createProgressLine(context.now);
  const progress = await syncOnce(deps, account, {
    signal: options.signal,
    onProgress: ({ coverage, windows }) =>
      line.show({ name: account.name, share: coverage.share, pages: windows.pages, records: windows.read }),
  });
  line.end();
  if (!from && !to) return progress;
  const coverage = await readCoverage(deps.database, account.id, {
    ...(from ? { from } : {}),
    ...(to ? { to } : {}),
  });
  return { ...progress, coverage };
}

function readPeriod(options: SyncOptions): { from: string | null; to: string | null } {
  const period = { from: readTime("--from", options.from), to: readTime("--to", options.to) };
  if (period.from && period.to && period.from >= period.to)
    throw new TieoutError("usage", "--to: must be later than --from");
  return period;
}

function chooseAccounts(accounts: OpenAccount[], name: string | undefined): OpenAccount[] {
  if (name === undefined) return accounts;
  const chosen = accounts.filter((account) => account.name === name);
  if (chosen.length > 0) return chosen;
  const known = accounts.map((account) => account.name).join(", ");
  throw new TieoutError("usage", `--account: there is no account "${name}"; there are: ${known}`);
}

function summary(results: SyncProgress[]): string {
  return results
    .map(({ account, windows, coverage }) => {
      const counts = `${windows.added} status rows from ${windows.read} records on ${windows.pages} pages`;
      const quarantined = windows.quarantined > 0 ? `, ${windows.quarantined} quarantined` : "";
      if (coverage.gapCount === 0 && windows.failed === 0)
        return `${account}: complete, ${counts}${quarantined}`;
      const gaps = coverage.gaps.map(({ from, to }) => `  missing ${from} to ${to}`);
      const more = coverage.gapCount > gaps.length ? [`  and ${coverage.gapCount - gaps.length} more`] : [];
      return [`${account}: NOT complete, ${counts}${quarantined}`, ...gaps, ...more].join("\n");
    })
    .join("\n");
}
