import { type RunningSandbox, startSandbox } from "../../../src/sandbox/server.ts";

export const credentials = { apiKey: "pk_conformance", apiSecret: "sk_conformance" };

/** The clock stands still: two runs then see the same prices, and a difference is never an accident of time. */
export const nowMs = Date.parse("2026-03-15T12:00:00.000Z");

export async function startGoodServer(transactions = 2_000): Promise<RunningSandbox> {
  return startSandbox({ port: 0, now: () => nowMs, seed: "conformance", transactions, ...credentials });
}
