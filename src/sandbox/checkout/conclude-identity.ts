import type { SandboxDeps } from "../context.ts";
import { afterSandboxSeconds, decideCheckout } from "./decide.ts";
import type { JournalEntry } from "./purchase.ts";
import type { IdentityResult } from "./test-data.ts";

/** Writes down what the check of a person's identity leads to, at once or after a review. */
export function concludeIdentity(deps: SandboxDeps, entry: JournalEntry, result: IdentityResult): void {
  const { purchase, progress } = entry;
  const isReviewed = result === "review" || result === "review_refused";
  if (result === "refused" || result === "review_refused") {
    const seconds = isReviewed ? reviewSeconds : 0;
    return decideCheckout(deps, entry, "fail", { reason: "identity_refused", isUnpaid: true, seconds });
  }
  const identityMs = isReviewed ? afterSandboxSeconds(deps, purchase, reviewSeconds) : deps.now();
  deps.journal.note({ ...progress, identityMs });
}

const reviewSeconds = 300;
