import { z } from "zod";
import { formatInstant } from "../../core/instant.ts";
import { decimalText } from "../decimal-text.ts";
import type { SandboxRecord } from "../record.ts";

/** One order of a person, on either surface, as it is kept: everything its records need, so that no later seed, price
 * or setting can rewrite them. */
export const purchaseSchema = z.object({
  transactionId: z.string(),
  sessionId: z.string(),
  createdMs: z.int(),
  expiresMs: z.int(),
  apiKey: z.string(),
  country: z.string(),
  side: z.enum(["buy", "sell"]),
  providerId: z.string(),
  providerTransactionId: z.string(),
  method: z.string(),
  source: z.string(),
  target: z.string(),
  inAmount: decimalText,
  outAmount: decimalText,
  transactionHash: z.string(),
  walletAddress: z.string(),
  partnerContext: z.string().optional(),
  redirectUrl: z.string().optional(),
});
export type Purchase = z.output<typeof purchaseSchema>;

/** What the person decided, and when each status that follows from it comes true. */
export const outcomeSchema = z.object({
  transactionId: z.string(),
  decision: z.enum(["pay", "fail", "cancel"]),
  statuses: z.array(z.object({ status: z.string(), atMs: z.int() })),
});
export type Outcome = z.output<typeof outcomeSchema>;
export type Decision = Outcome["decision"];

export interface JournalEntry {
  readonly purchase: Purchase;
  readonly outcome: Outcome | undefined;
}

/** All statuses the entry has had or will have. Without a decision, a session ends by itself. */
export function statusesOf({ purchase, outcome }: JournalEntry): { status: string; atMs: number }[] {
  const after = outcome?.statuses ?? [{ status: "canceled", atMs: purchase.expiresMs }];
  return [{ status: "new", atMs: purchase.createdMs }, ...after];
}

/** The status in force at that time. */
export function statusAt(entry: JournalEntry, nowMs: number): string {
  return statusesOf(entry).findLast(({ atMs }) => atMs <= nowMs)?.status ?? "new";
}

/** One record per status that has come true by then. */
export function recordsOf(entry: JournalEntry, nowMs: number, extraFields: boolean): SandboxRecord[] {
  return statusesOf(entry)
    .filter(({ atMs }) => atMs <= nowMs)
    .map(({ status, atMs }) => {
      const record = recordOf(entry.purchase, status, formatInstant(atMs));
      return extraFields ? withContext(record, entry.purchase) : record;
    });
}

function withContext(record: SandboxRecord, { partnerContext }: Purchase): SandboxRecord {
  return partnerContext === undefined ? record : { ...record, partnerContext };
}

function recordOf(purchase: Purchase, status: string, statusDate: string): SandboxRecord {
  return {
    apiKey: purchase.apiKey,
    country: purchase.country.toLowerCase(),
    inAmount: purchase.inAmount,
    outAmount: purchase.outAmount,
    onramp: purchase.providerId,
    // The provider hears of the order when the customer goes on with it.
    onrampTransactionId: status === "new" ? "" : purchase.providerTransactionId,
    paymentMethod: purchase.method,
    sourceCurrency: purchase.source,
    targetCurrency: purchase.target,
    status,
    statusDate,
    transactionId: purchase.transactionId,
    transactionType: purchase.side,
    transactionHash: status === "completed" ? purchase.transactionHash : "",
    walletAddress: purchase.walletAddress,
  };
}
