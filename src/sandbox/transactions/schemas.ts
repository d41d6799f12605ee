import { z } from "@hono/zod-openapi";
import { limitMax, transactionIdsMax } from "./query.ts";

/** The document's words for what `answers.ts` sends; a test holds real pages against them. */
export const transactionRecordSchema = z
  .object({
    apiKey: z
      .string()
      .openapi({ example: "pk_sandbox", description: "Key identifier of the owning account" }),
    country: z.string().openapi({ example: "de", description: "Lower case" }),
    inAmount: z
      .number()
      .openapi({ example: 100, description: "Amount paid; may have more digits than a double" }),
    outAmount: z
      .number()
      .openapi({ example: 0.00152087, description: "Amount received; 0 or an estimate before" }),
    onramp: z.string().openapi({ example: "moonpay" }),
    onrampTransactionId: z.string().describe("The provider's own id; empty until it has one"),
    paymentMethod: z.string().openapi({ example: "creditcard" }),
    sourceCurrency: z.string().openapi({ example: "eur" }),
    targetCurrency: z.string().openapi({ example: "usdc" }),
    status: z
      .string()
      .openapi({ example: "completed", description: "new, pending, paid, completed, failed, canceled" }),
    statusDate: z.string().openapi({ example: "2024-05-01T10:00:00.000Z", format: "date-time" }),
    transactionId: z.string().openapi({ example: "01HD670DNG2MNSDS4XGJ1EESV7" }),
    transactionType: z.enum(["buy", "sell"]),
    transactionHash: z.string().describe("Empty until the chain has one"),
    walletAddress: z.string(),
    partnerContext: z.string().optional().describe("Only when the sandbox is told to send it"),
  })
  .openapi("TransactionRecord");

export const transactionPageSchema = z
  .object({
    transactions: z.array(transactionRecordSchema),
    limit: z.int().openapi({ example: limitMax, description: "The limit in force" }),
    cursor: z.string().nullable().optional().describe("For the next page; see the dialects for the last"),
  })
  .openapi("TransactionPage");

export const listQuerySchema = z.object({
  startDateTime: z.string().optional().openapi({ format: "date-time", example: "2024-05-01T00:00:00.000Z" }),
  endDateTime: z.string().optional().openapi({ format: "date-time", example: "2024-06-01T00:00:00.000Z" }),
  limit: z.string().optional().openapi({ type: "integer", minimum: 1, maximum: limitMax, default: limitMax }),
  transactionIds: z.string().optional().describe(`Comma-separated, at most ${transactionIdsMax}`),
  cursor: z.string().optional().describe("The cursor of the previous page"),
});
