import { z } from "zod";
import { withSecret, type SandboxUnderTest } from "./use-sandbox.ts";

const page = z.object({
  transactions: z.array(
    z.strictObject({
      apiKey: z.string(),
      country: z.string(),
      inAmount: z.number(),
      outAmount: z.number(),
      onramp: z.string(),
      onrampTransactionId: z.string(),
      paymentMethod: z.string(),
      sourceCurrency: z.string(),
      targetCurrency: z.string(),
      status: z.string(),
      statusDate: z.iso.datetime({ precision: 3 }),
      transactionId: z.string(),
      transactionType: z.enum(["buy", "sell"]),
      transactionHash: z.string(),
      walletAddress: z.string(),
    }),
  ),
});

/** The records of one transaction as GET /transactions shows them, oldest status first. */
export async function recordsOf(sandbox: SandboxUnderTest, transactionId: string) {
  const answer = await sandbox.get(`/transactions?transactionIds=${transactionId}`, withSecret);
  return page.parse(answer.json).transactions.toSorted((a, b) => (a.statusDate < b.statusDate ? -1 : 1));
}

export async function statusesOf(sandbox: SandboxUnderTest, transactionId: string): Promise<string[]> {
  return (await recordsOf(sandbox, transactionId)).map(({ status }) => status);
}
