import { SECOND } from "../core/duration.ts";
import { createUpstream } from "../upstream/client.ts";
import { UpstreamError } from "../upstream/errors.ts";
import type { ConnectionResult } from "../web/deps.ts";
import type { CommandContext } from "./context.ts";
import { pause, randomShare } from "./open-accounts.ts";

/** Someone sits in front of it and waits. */
const limits = { connectTimeoutMs: 5 * SECOND, headersTimeoutMs: 8 * SECOND, deadlineMs: 10 * SECOND };

/** Asks for one record, once, as the sync would ask. Says whose key and which variable to correct, and neither's value. */
export async function testConnection(context: CommandContext, name: string): Promise<ConnectionResult> {
  const { config, now } = context;
  if (config.accounts === null) {
    return {
      answered: true,
      says: "this is the sandbox, which needs no key; UPSTREAM_BASE_URL names another",
    };
  }
  const account = config.accounts.find((each) => each.name === name);
  if (account === undefined) {
    return { answered: false, says: "it is no longer configured: its name is in no variable and no file" };
  }
  const upstream = createUpstream({
    baseUrl: account.baseUrl,
    apiKey: account.apiKey.reveal(),
    apiSecret: account.apiSecret.reveal(),
    now,
    random: randomShare,
    sleep: pause,
    limits,
  });
  try {
    await upstream.fetchPage({ limit: 1 }, { attemptsMax: 1 });
    return { answered: true, says: "the key and the secret are good" };
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    const isRefused = error.code === "unauthorized" || error.code === "forbidden";
    const mend = isRefused
      ? account.credentialsAdvice
      : "check UPSTREAM_BASE_URL or the account's baseUrl, and the network";
    return { answered: false, isRefused, says: `${error.message.replace(/\.$/, "")}: ${mend}` };
  } finally {
    await upstream.close();
  }
}
