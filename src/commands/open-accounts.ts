import { randomInt } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { AccountConfig } from "../accounts-file.ts";
import { DAY } from "../core/duration.ts";
import { fingerprintOf, secret } from "../core/secret.ts";
import { type AccountToKeep, ensureAccounts } from "../store/accounts/accounts.ts";
import type { Database } from "../store/database.ts";
import { ensureMonths } from "../store/transactions/months.ts";
import type { RunnerAccount } from "../sync/sync-runner.ts";
import { createUpstream, type Upstream, type UpstreamOptions } from "../upstream/client.ts";
import type { CommandContext } from "./context.ts";
import { startDemoSandbox } from "./demo-sandbox.ts";
import type { DemoSandbox } from "./demo-statements.ts";

export interface OpenAccount extends RunnerAccount {
  upstream: Upstream;
  baseUrl: string;
}

export interface OpenAccounts {
  accounts: OpenAccount[];
  /** Connects again where key or secret have changed; returns those accounts. What is under way ends as it began. */
  renew: (configs: readonly AccountConfig[]) => OpenAccount[];
  /** What plays the aggregator when none is configured. */
  sandbox: DemoSandbox | null;
  close: () => Promise<void>;
}

const defaultHistoryMs = 90 * DAY;

/** The configured accounts with a connection each; without any, the sandbox with an account of its own. */
export async function openAccounts(
  context: CommandContext,
  database: Database,
  listen: { attempts?: (account: string) => UpstreamOptions["onAttempt"] } = {},
): Promise<OpenAccounts> {
  const { config, now, say } = context;
  const sandbox = config.accounts === null ? await startDemoSandbox(context) : null;
  const defaultStart = config.sync.start ?? new Date(now() - defaultHistoryMs).toISOString();
  const configs: AccountConfig[] = config.accounts ?? [
    {
      name: "default",
      baseUrl: sandbox?.url ?? "",
      legacyBaseUrl: sandbox?.legacyUrl ?? "",
      apiKey: secret(sandbox?.apiKey ?? ""),
      apiSecret: secret(sandbox?.apiSecret ?? ""),
      credentialsAdvice: "start again: the sandbox makes its own",
      syncStart: config.sync.start ?? sandbox?.from ?? null,
      webhookSecret: null,
    },
  ];
  const wanted: AccountToKeep[] = configs.map(({ name, baseUrl, syncStart }) => ({
    name,
    // The sandbox listens on another port at every start; that is not a change of the account.
    baseUrl: sandbox ? "sandbox" : baseUrl,
    syncStart: syncStart ?? defaultStart,
  }));
  const ids = await noteAccounts(database, wanted).catch(async (error: unknown) => {
    // Its open port would keep the process alive, and the command would never end.
    await sandbox?.close();
    throw error;
  });
  const accounts = configs.map((account) => ({
    id: ids.get(account.name) ?? 0,
    name: account.name,
    baseUrl: account.baseUrl,
    upstream: connect(context, account, listen.attempts?.(account.name)),
    credentials: credentialsOf(account),
  }));
  function renew(found: readonly AccountConfig[]): OpenAccount[] {
    return accounts.filter((account) => {
      const given = found.find(({ name }) => name === account.name);
      if (!given || fingerprintOf(given) === account.credentials.fingerprint) return false;
      const { upstream } = account;
      // Everyone holds the account, and looks at it again for each request.
      account.upstream = connect(
        context,
        { ...given, baseUrl: account.baseUrl },
        listen.attempts?.(account.name),
      );
      account.credentials = credentialsOf(given);
      upstream.close().catch((error: unknown) => context.log.warn({ event: "connection_close", err: error }));
      return true;
    });
  }
  say(
    `Accounts: ${accounts.map(({ name }) => name).join(", ")}${sandbox ? ` (the sandbox at ${sandbox.url})` : ""}`,
  );
  return {
    accounts,
    renew,
    sandbox,
    close: async () => {
      await Promise.all(accounts.map(({ upstream }) => upstream.close()));
      await sandbox?.close();
    },
  };
}

async function noteAccounts(database: Database, wanted: AccountToKeep[]): Promise<Map<string, number>> {
  const ids = await ensureAccounts(database, wanted, "service");
  await ensureMonths(database);
  return ids;
}

function credentialsOf(account: AccountConfig) {
  return { fingerprint: fingerprintOf(account), advice: account.credentialsAdvice };
}

function connect(
  context: CommandContext,
  account: AccountConfig,
  onAttempt: UpstreamOptions["onAttempt"],
): Upstream {
  return createUpstream({
    baseUrl: account.baseUrl,
    ...(account.legacyBaseUrl === null ? {} : { legacyBaseUrl: account.legacyBaseUrl }),
    apiKey: account.apiKey.reveal(),
    apiSecret: account.apiSecret.reveal(),
    now: context.now,
    random: randomShare,
    sleep: pause,
    ...(onAttempt ? { onAttempt } : {}),
  });
}

/** A number from 0 to 1, for jitter. */
export function randomShare(): number {
  return randomInt(1_000_000) / 1_000_000;
}

/** Ends early, without an error, when the wait is called off. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await sleep(ms, undefined, signal ? { signal } : {}).catch(() => undefined);
}
