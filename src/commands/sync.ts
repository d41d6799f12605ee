import { counted } from "../core/counted.ts";
import { MINUTE } from "../core/duration.ts";
import { TieoutError, usageError } from "../core/errors.ts";
import { extendHistory } from "../store/accounts/accounts.ts";
import { listWrongClocks } from "../store/accounts/aggregator-clocks.ts";
import { readCoverage } from "../store/windows/coverage.ts";
import type { SyncDeps } from "../sync/deps.ts";
import { patienceMs } from "../sync/decide-next.ts";
import { syncOnce, type SyncResult } from "../sync/sync-once.ts";
import type { CommandContext } from "./context.ts";
import { countFailedTries } from "./count-failed-tries.ts";
import { openAccounts, type OpenAccount } from "./open-accounts.ts";
import { openStore } from "./open-store.ts";
import { readPeriod } from "./option-problems.ts";
import { answer } from "./write-out.ts";
import { createProgressLine } from "./progress-line.ts";
import { openSyncDatabase, syncDeps } from "./sync-deps.ts";
import { describeWrongClock } from "./readiness-checks.ts";
import { untilStopped } from "./until-stopped.ts";

interface SyncOptions {
  from?: string;
  to?: string;
  account?: string;
  json: boolean;
}

/** Of one account; `windows` counts what has been read of it at any time, `run` what this command read. */
type CommandResult = SyncResult & { run: { pages: number; read: number; added: number } };

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
      const tries = countFailedTries(context.log);
      const deps = { ...syncDeps(context, database), log: tries.log };
      const results = await Promise.all(
        accounts.map((account) => syncAccount(context, deps, account, { period, signal: stop.signal })),
      );
      if (stop.signal.aborted)
        throw new TieoutError("interrupted", "interrupted: start again to go on where it stopped");
      if (tries.count() > 0)
        context.say(`${counted(tries.count(), "try", "tries")} failed; LOG_LEVEL=debug shows each of them`);
      for (const wrong of await listWrongClocks(database))
        if (accounts.some(({ name }) => name === wrong.account)) context.say(describeWrongClock(wrong));
      answer(options, results, summary(results));
      return results.every(isComplete);
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
): Promise<CommandResult> {
  const { from, to } = options.period;
  if (from) await extendHistory(deps.database, { ...account, from }, "command line");
  const line = createProgressLine(context.now);
  let said = "";
  const run = { pages: 0, read: 0, added: 0 };
  const observe: SyncDeps["observe"] = ({ counts }) => {
    run.pages += 1;
    run.read += counts.read;
    run.added += counts.added;
  };
  const synced = await syncOnce({ ...deps, observe }, account, {
    signal: options.signal,
    onProgress: ({ coverage, windows }) =>
      line.show({ name: account.name, share: coverage.share, pages: windows.pages, records: windows.read }),
    onWait: (error) => {
      if (error === said) return;
      said = error;
      context.say(
        `${account.name}: ${error}; trying again for up to ${counted(patienceMs / MINUTE, "minute")}`,
      );
    },
  });
  line.end();
  const result = { ...synced, run };
  if (!from && !to) return result;
  const coverage = await readCoverage(deps.database, account.id, {
    ...(from ? { from } : {}),
    ...(to ? { to } : {}),
  });
  return { ...result, coverage };
}

function chooseAccounts(accounts: OpenAccount[], name: string | undefined): OpenAccount[] {
  if (name === undefined) return accounts;
  const chosen = accounts.filter((account) => account.name === name);
  if (chosen.length > 0) return chosen;
  const known = accounts.map((account) => account.name).join(", ");
  throw usageError(`--account: there is no account "${name}"; there are: ${known}`);
}

/** Nothing is missing, and what may have changed was read again. */
function isComplete({ unfinished, coverage, windows }: SyncResult): boolean {
  return unfinished === null && coverage.gapCount === 0 && windows.failed === 0;
}

/** One line per account: what was read; what is missing, why, and what to do. */
function summary(results: CommandResult[]): string {
  return results
    .map((result) => {
      const { account, windows, run } = result;
      const counts = `${counted(run.added, "new status row")} from ${counted(run.read, "record")} on ${counted(run.pages, "page")}, ${counted(windows.added, "status row")} in all`;
      const quarantined = windows.quarantined > 0 ? `, ${windows.quarantined} quarantined` : "";
      if (isComplete(result)) return `${account}: complete, ${counts}${quarantined}`;
      const why = result.unfinished?.message ?? "see the sync screen, and start again";
      return `${account}: NOT complete, ${counts}${quarantined}; ${missing(result)}: ${why}`;
    })
    .join("\n");
}

function missing({ coverage }: SyncResult): string {
  const [first] = coverage.gaps;
  if (first === undefined) return "no gap, but not everything was read again";
  const more = coverage.gapCount - 1;
  const others = more === 0 ? "" : more === 1 ? " and 1 more gap" : ` and ${more} more gaps`;
  const time = (text: string) => new Date(text).toISOString();
  return `missing ${time(first.from)} to ${time(first.to)}${others}`;
}
