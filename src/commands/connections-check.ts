import type { ReadinessCheck } from "../api/health/readiness.ts";
import { SECOND } from "../core/duration.ts";
import type { CommandContext } from "./context.ts";
import { testConnection } from "./test-connection.ts";

/** Longer than one answer may take. */
const timeoutMs = 15 * SECOND;

/**
 * For `doctor`: asks the aggregator for one record of each account, with the key that is configured now. The check
 * `aggregator` reports what workers have seen, which is nothing before their first request.
 */
export function connectionsProbe(context: CommandContext): ReadinessCheck {
  const names = context.config.accounts?.map(({ name }) => name) ?? [];
  return {
    name: "connections",
    // What was read stays right, and is still served; an aggregator that is away comes back by itself, a wrong key does not.
    critical: false,
    isCriticalFor: (error) => error instanceof KeyRefused,
    timeoutMs,
    run: async () => {
      const results = await Promise.all(
        names.map(async (name) => ({ name, ...(await testConnection(context, name)) })),
      );
      const failed = results.filter(({ answered }) => !answered);
      const said = failed.map(({ name, says }) => `account ${name}: ${says}`).join("; ");
      if (failed.some(({ isRefused }) => isRefused)) throw new KeyRefused(said);
      if (failed.length > 0) throw new Error(said);
      return names.length === 0 ? undefined : { accounts: names.length };
    },
  };
}

class KeyRefused extends Error {}
