/**
 * The statuses of a transaction. The specification shows two and says there are more: a word we do not know is data,
 * kept as received, open, and of the lowest rank, so that it never displaces one we know.
 */
import { compareInstants, type Instant } from "./instant.ts";

export type KnownStatus = "new" | "pending" | "paid" | "canceled" | "failed" | "completed";

interface StatusMeaning {
  /** Decides only between rows of one status date. `completed` beats the other finals: it is then reconciled. */
  readonly rank: number;
  /** Normally does not change any more. */
  readonly final: boolean;
}

const meanings: ReadonlyMap<string, StatusMeaning> = new Map<KnownStatus, StatusMeaning>([
  ["new", { rank: 10, final: false }],
  ["pending", { rank: 20, final: false }],
  ["paid", { rank: 30, final: false }],
  ["canceled", { rank: 40, final: true }],
  ["failed", { rank: 50, final: true }],
  ["completed", { rank: 60, final: true }],
]);

// `paid` is not here: the customer's money has come, the delivery is not proven.
const aliases: ReadonlyMap<string, KnownStatus> = new Map([
  ["in_progress", "pending"],
  ["cancelled", "canceled"],
  ["expired", "canceled"],
  ["declined", "failed"],
  ["success", "completed"],
]);

/** The status a received word stands for; a word we do not know stands for itself, letter by letter. */
export function foldStatus(word: string): string {
  const lower = word.toLowerCase();
  return aliases.get(lower) ?? (meanings.has(lower) ? lower : word);
}

export const knownStatuses: readonly string[] = [...meanings.keys()];

export function isKnownStatus(status: string): status is KnownStatus {
  return meanings.has(status);
}

export function statusRank(status: string): number {
  return meanings.get(status)?.rank ?? 0;
}

export function isFinalStatus(status: string): boolean {
  return meanings.get(status)?.final ?? false;
}

/** For statements that decide in SQL. */
export const finalStatuses: readonly string[] = [...meanings.keys()].filter(isFinalStatus);

export interface StatusRowKey {
  readonly statusDate: Instant;
  readonly status: string;
  readonly recordHash: string;
}

/** A total order that does not depend on the order of arrival: the greatest row of a transaction is its latest. */
export function compareStatusRows(a: StatusRowKey, b: StatusRowKey): number {
  return (
    compareInstants(a.statusDate, b.statusDate) ||
    statusRank(a.status) - statusRank(b.status) ||
    (a.recordHash < b.recordHash ? -1 : a.recordHash > b.recordHash ? 1 : 0)
  );
}
