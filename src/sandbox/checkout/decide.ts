import type { Account } from "../accounts/account.ts";
import type { SandboxDeps } from "../context.ts";
import { RefusedError } from "../refusal.ts";
import { happens, hash32 } from "../world/random.ts";
import type { Provider } from "../world/types.ts";
import type { Decision, JournalEntry, Outcome, Purchase } from "./purchase.ts";

/** Writes down what the person decided. From here on the transaction moves by itself, in scaled time. */
export function decideCheckout(deps: SandboxDeps, entry: JournalEntry, decision: Decision): void {
  const nowMs = deps.now();
  if (entry.outcome === undefined && nowMs >= entry.purchase.expiresMs) {
    throw new RefusedError("SESSION_EXPIRED", "This checkout has expired; make a new one.");
  }
  deps.journal.decide({
    transactionId: entry.purchase.transactionId,
    decision,
    statuses: planStatuses(deps, entry.purchase, decision, nowMs),
  });
}

function planStatuses(
  deps: SandboxDeps,
  purchase: Purchase,
  decision: Decision,
  nowMs: number,
): Outcome["statuses"] {
  if (decision === "cancel") return [{ status: "canceled", atMs: nowMs }];
  const account = deps.accounts.accounts.find(({ apiKey }) => apiKey === purchase.apiKey);
  const provider = deps.world.providerById.get(purchase.providerId);
  const fate = fateOf(deps, { purchase, account, provider });
  // At least a millisecond apart, or two statuses would share one date and their order would be lost.
  const after = (sinceMs: number, seconds: number) =>
    sinceMs + Math.max(1, Math.round((seconds * 1000 * fate.slowness) / timeScaleOf(deps, account)));
  const pending = { status: "pending", atMs: nowMs };
  if (decision === "fail" || fate.isDeclined) {
    return [pending, { status: "failed", atMs: after(nowMs, secondsToFail) }];
  }
  const paidMs = after(nowMs, slowMethods.has(purchase.method) ? secondsOfTransfer : secondsOfCard);
  const paid = { status: "paid", atMs: paidMs };
  if (fate.isStuck) return fate.isPaid ? [pending, paid] : [pending];
  const completedMs = after(paidMs, provider?.secondsToDeliver ?? 300);
  return [pending, paid, { status: "completed", atMs: completedMs }];
}

/** What befalls the order beyond the person's decision: drawn from its id, so that it is the same whoever asks. */
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

/** Live accounts go by the clock on the wall. */
function timeScaleOf({ settings }: SandboxDeps, account: Account | undefined): number {
  return account?.mode === "live" ? 1 : settings.timeScale;
}

const secondsToFail = 15;
const secondsOfCard = 20;
const secondsOfTransfer = 3600;
const slowMethods: ReadonlySet<string> = new Set(["banktransfer", "ach", "sepainstant", "fasterpaybank"]);
