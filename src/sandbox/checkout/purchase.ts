import { z } from "zod";
import { formatInstant } from "../../core/instant.ts";
import { decimalText } from "../decimal-text.ts";
import type { SandboxRecord } from "../record.ts";
import type { Progress } from "./progress.ts";
import { themeSchema } from "./theme.ts";

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
  /** Tag or memo, on the chains that have one. */
  walletMemo: z.string().optional(),
  partnerContext: z.string().optional(),
  redirectUrl: z.string().optional(),
  /** Who orders: the widget's user id, or an e-mail address on the legacy surface. */
  user: z.string().optional(),
  /** How the page is to look. */
  theme: themeSchema.optional(),
  /** On the legacy surface contact and document were asked for before the page. Left out: the current one. */
  surface: z.literal("earlier").optional(),
  /** When the price was made. Left out: it stands as long as the session. */
  quotedMs: z.int().optional(),
  /** When the customer corrected it; everything before that is kept as it was. */
  amendedMs: z.int().optional(),
});
export type Purchase = z.output<typeof purchaseSchema>;

/** What the person decided, and when each status that follows from it comes true. */
export const outcomeSchema = z.object({
  transactionId: z.string(),
  decision: z.enum(["pay", "fail", "cancel"]),
  /** Why it failed, where the page knows. */
  reason: z.enum(["identity_refused", "payment_refused", "not_arrived", "deposit_returned"]).optional(),
  statuses: z.array(z.object({ status: z.string(), atMs: z.int() })),
});
export type Outcome = z.output<typeof outcomeSchema>;
export type Decision = Outcome["decision"];

export interface JournalEntry {
  readonly purchase: Purchase;
  /** What it said before each correction. */
  readonly before: readonly Purchase[];
  readonly progress: Progress;
  readonly outcome: Outcome | undefined;
}

/** All statuses the entry has had or will have. Without a decision, a session ends by itself. */
export function statusesOf({ purchase, before, outcome }: JournalEntry): Status[] {
  const after = outcome?.statuses ?? [{ status: "canceled", atMs: purchase.expiresMs }];
  return [
    ...[...before, purchase].map((each) => ({
      status: "new",
      atMs: each.amendedMs ?? each.createdMs,
      as: each,
    })),
    ...after.map((each) => ({ ...each, as: purchase })),
  ];
}

interface Status {
  readonly status: string;
  readonly atMs: number;
  /** The order as it stood then. */
  readonly as: Purchase;
}

/** The status in force at that time. */
export function statusAt(entry: JournalEntry, nowMs: number): string {
  return statusesOf(entry).findLast(({ atMs }) => atMs <= nowMs)?.status ?? "new";
}

/** One record per status that has come true by then. */
export function recordsOf(entry: JournalEntry, nowMs: number, extraFields: boolean): SandboxRecord[] {
  // The provider hears of an order when the customer goes on with it, and never of one that was left lying.
  const isHeardOf = entry.outcome?.statuses.some(({ status }) => status !== "canceled") ?? false;
  return statusesOf(entry)
    .filter(({ atMs }) => atMs <= nowMs)
    .map(({ status, atMs, as }) => {
      const record = recordOf(as, { status, statusDate: formatInstant(atMs), isHeardOf });
      return extraFields ? withContext(record, entry.purchase) : record;
    });
}

function withContext(record: SandboxRecord, { partnerContext }: Purchase): SandboxRecord {
  return partnerContext === undefined ? record : { ...record, partnerContext };
}

function recordOf(
  purchase: Purchase,
  { status, statusDate, isHeardOf }: { status: string; statusDate: string; isHeardOf: boolean },
): SandboxRecord {
  return {
    apiKey: purchase.apiKey,
    country: purchase.country.toLowerCase(),
    inAmount: purchase.inAmount,
    outAmount: purchase.outAmount,
    onramp: purchase.providerId,
    onrampTransactionId: status === "new" || !isHeardOf ? "" : purchase.providerTransactionId,
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
