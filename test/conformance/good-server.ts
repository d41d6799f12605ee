import { plainAccount } from "../../src/sandbox/accounts/account.ts";
import { type RunningSandbox, startSandbox } from "../../src/sandbox/server.ts";

export const credentials = { apiKey: "pk_conformance", apiSecret: "sk_conformance" };
export const otherCredentials = { apiKey: "pk_other", apiSecret: "sk_other" };

/** The clock stands still: two runs then see the same prices, and a difference is never an accident of time. */
export const nowMs = Date.parse("2026-03-15T12:00:00.000Z");

/** Two accounts, the second with fewer providers. */
export async function startGoodServer(transactions = 2_000): Promise<RunningSandbox> {
  const other = plainAccount("other", otherCredentials);
  const accounts = [
    plainAccount("conformance", credentials),
    { ...other, providers: new Set(["moonpay", "banxa", "transak"]), transactions: 300 },
  ] as const;
  return startSandbox({ port: 0, now: () => nowMs, seed: "conformance", transactions, accounts });
}
