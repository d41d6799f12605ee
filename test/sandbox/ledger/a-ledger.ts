import type { HistoryOptions } from "../../../src/sandbox/ledger/history.ts";
import { createLedger, type Ledger } from "../../../src/sandbox/ledger/ledger.ts";
import type { SandboxRecord } from "../../../src/sandbox/record.ts";
import { createWorld } from "../../../src/sandbox/world/create-world.ts";

export const world = createWorld("ledger tests");
export const HOUR = 3_600_000;
export const DAY = 24 * HOUR;
export const fromMs = Date.parse("2024-04-20T00:00:00.000Z");
export const toMs = Date.parse("2024-06-10T00:00:00.000Z");
/** Long after the last status. */
export const afterAllMs = toMs + 30 * DAY;

export function historyOptions(options: Partial<HistoryOptions> = {}): HistoryOptions {
  return { world, seed: world.seed, transactions: 2000, fromMs, toMs, live: false, clusterMs: 1, ...options };
}

export function aLedger(
  options: Partial<HistoryOptions> = {},
  journal: readonly SandboxRecord[] = [],
): Ledger {
  return createLedger({
    ...historyOptions(options),
    apiKey: "pk_sandbox",
    journal: {
      records: ({ now }) =>
        journal.length === 0 ? journal : journal.filter(({ statusDate }) => Date.parse(statusDate) <= now),
    },
  });
}
