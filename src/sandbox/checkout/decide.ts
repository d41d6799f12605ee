import type { Account } from "../accounts/account.ts";
import type { SandboxDeps } from "../context.ts";
import { RefusedError } from "../refusal.ts";
import { happens, hash32 } from "../world/random.ts";
import type { Provider } from "../world/types.ts";
import type { Decision, JournalEntry, Outcome, Purchase } from "./purchase.ts";

/** How it comes to its end, where the decision alone does not say. */
export interface Course {
  readonly reason?: Outcome["reason"];
  /** Sandbox seconds until the money is there, or until it is clear that it never will be. */
  readonly seconds?: number;
  /** Refused before any payment: there is nothing to be pending. */
  readonly isUnpaid?: boolean;
}

/** Writes down what the person decided. From here on the transaction moves by itself, in scaled time. */
export function decideCheckout(
  deps: SandboxDeps,
  entry: JournalEntry,
  decision: Decision,
  course: Course = {},
): void {
  const nowMs = deps.now();
  const { purchase } = entry;
  if (entry.outcome === undefined && nowMs >= purchase.expiresMs) {
    throw new RefusedError("SESSION_EXPIRED", "This checkout has expired; make a new one.");
  }
  deps.journal.decide({
    transactionId: purchase.transactionId,
    decision,
    ...(course.reason === undefined ? {} : { reason: course.reason }),
    // After a correction made in the same moment, or the two would share one date.
    statuses: planStatuses(deps, purchase, decision, course, Math.max(nowMs, (purchase.amendedMs ?? 0) + 1)),
  });
}

function planStatuses(
  deps: SandboxDeps,
  purchase: Purchase,
  decision: Decision,
  course: Course,
  startMs: number,
): Outcome["statuses"] {
  if (decision === "cancel") return [{ status: "canceled", atMs: startMs }];
  const account = deps.accounts.accounts.find(({ apiKey }) => apiKey === purchase.apiKey);
  const provider = deps.world.providerById.get(purchase.providerId);
  const fate = fateOf(deps, { purchase, account, provider });
  const scale = timeScaleOf(deps, account);
  // At least a millisecond apart, or two statuses would share one date and their order would be lost.
  const after = (sinceMs: number, seconds: number) =>
    sinceMs + Math.max(1, Math.round((seconds * 1000 * fate.slowness) / scale));
  const failed = { status: "failed", atMs: after(startMs, course.seconds ?? secondsToFail) };
  if (course.isUnpaid) return [failed];
  const pending = { status: "pending", atMs: startMs };
  if (decision === "fail" || fate.isDeclined) return [pending, failed];
  const paidMs = after(startMs, course.seconds ?? secondsToBePaid(purchase));
  const paid = { status: "paid", atMs: paidMs };
  if (fate.isStuck) return fate.isPaid ? [pending, paid] : [pending];
  const completedMs = after(paidMs, provider?.secondsToDeliver ?? 300);
  return [pending, paid, { status: "completed", atMs: completedMs }];
}

/** What happens to the order apart from the person's decision: drawn from its id, so that every caller gets the same. */
function fateOf(
  { switches, world }: SandboxDeps,
  order: { purchase: Purchase; account: Account | undefined; provider: Provider | undefined },
) {
  const { declined, slow, stuck } = switches.trouble.world;
  const draw = (what: string) => hash32(world.seed, "order", order.purchase.transactionId, what);
  const isLive = order.account?.mode === "live";
  const refusedAnyway = isLive ? 1 - (order.provider?.successRate ?? 1) : 0;
  return {
    isDeclined: happens(Math.max(declined, refusedAnyway), draw("declined")),
    isStuck: happens(stuck, draw("stuck")),
    isPaid: happens(0.5, draw("stuck-paid")),
    slowness: happens(slow, draw("slow")) ? 10 : 1,
  };
}

/** When something that takes so many sandbox seconds, and begins now, is over. */
export function afterSandboxSeconds(deps: SandboxDeps, purchase: Purchase, seconds: number): number {
  const account = deps.accounts.accounts.find(({ apiKey }) => apiKey === purchase.apiKey);
  return deps.now() + Math.max(1, Math.round((seconds * 1000) / timeScaleOf(deps, account)));
}

/** Live accounts go by the clock on the wall. */
function timeScaleOf({ settings }: SandboxDeps, account: Account | undefined): number {
  return account?.mode === "live" ? 1 : settings.timeScale;
}

/** A sale is paid when its deposit is confirmed, however the customer gets the money. */
function secondsToBePaid({ side, method }: Purchase): number {
  if (side === "sell") return secondsOfConfirmations;
  return transferMethods.has(method) ? secondsOfTransfer : secondsOfCard;
}

const secondsToFail = 15;
const secondsOfCard = 20;
const secondsOfConfirmations = 180;
export const secondsOfTransfer = 3600;
export const transferMethods: ReadonlySet<string> = new Set([
  "banktransfer",
  "ach",
  "sepainstant",
  "fasterpaybank",
]);
