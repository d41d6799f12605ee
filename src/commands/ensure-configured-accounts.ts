import { DAY } from "../core/duration.ts";
import { ensureAccounts } from "../store/accounts.ts";
import type { Database } from "../store/database.ts";
import type { CommandContext } from "./context.ts";

const defaultHistoryMs = 90 * DAY;

/** Without a configured start an account is read from 90 days before it was first seen. */
export async function ensureConfiguredAccounts(context: CommandContext, database: Database): Promise<void> {
  const { accounts, sync } = context.config;
  const defaultStart = sync.start ?? new Date(context.now() - defaultHistoryMs).toISOString();
  const wanted = (accounts ?? []).map(({ name, baseUrl, syncStart }) => ({
    name,
    baseUrl,
    syncStart: syncStart ?? defaultStart,
  }));
  await ensureAccounts(database, wanted, "service");
  if (wanted.length > 0) context.say(`Accounts: ${wanted.map(({ name }) => name).join(", ")}`);
}
