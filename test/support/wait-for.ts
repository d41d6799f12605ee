import { setTimeout as sleep } from "node:timers/promises";

/** Waits for a condition, never for a time. The limit is generous: it tells "never" from "slow machine". */
export async function waitFor<T>(
  what: string,
  look: () => T | Promise<T>,
  options: { timeoutMs?: number; everyMs?: number } = {},
): Promise<NonNullable<T>> {
  const { timeoutMs = 20_000, everyMs = 25 } = options;
  for (let waitedMs = 0; waitedMs < timeoutMs; waitedMs += everyMs) {
    const found = await look();
    if (found) return found;
    await sleep(everyMs);
  }
  throw new Error(`waited ${timeoutMs} ms in vain until ${what}`);
}
