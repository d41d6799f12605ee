import type { SandboxDeps } from "../context.ts";
import { RefusedError } from "../refusal.ts";
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
  // At least a millisecond apart, or two statuses would share one date and their order would be lost.
  const after = (sinceMs: number, seconds: number) =>
    sinceMs + Math.max(1, Math.round((seconds * 1000) / deps.settings.timeScale));
  if (decision === "cancel") return [{ status: "canceled", atMs: nowMs }];
  const pending = { status: "pending", atMs: nowMs };
  if (decision === "fail") return [pending, { status: "failed", atMs: after(nowMs, secondsToFail) }];
  const paidMs = after(nowMs, slowMethods.has(purchase.method) ? secondsOfTransfer : secondsOfCard);
  const deliverSeconds = deps.world.providerById.get(purchase.providerId)?.secondsToDeliver ?? 300;
  return [
    pending,
    { status: "paid", atMs: paidMs },
    { status: "completed", atMs: after(paidMs, deliverSeconds) },
  ];
}

const secondsToFail = 15;
const secondsOfCard = 20;
const secondsOfTransfer = 3600;
const slowMethods: ReadonlySet<string> = new Set(["banktransfer", "ach", "sepainstant", "fasterpaybank"]);
