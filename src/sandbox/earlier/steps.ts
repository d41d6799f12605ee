import { bankAccountOf } from "../checkout/bank-account.ts";
import { decideCheckout, transferMethods } from "../checkout/decide.ts";
import type { JournalEntry, Purchase } from "../checkout/purchase.ts";
import { checkoutUrl } from "../checkout/routes.ts";
import { cardMethods } from "../checkout/steps/which-step.ts";
import type { SandboxDeps } from "../context.ts";
import type { Step } from "./schemas.ts";
import { sealToken, type OfferToken } from "./step-token.ts";

/**
 * The chain of steps of a purchase:
 * form → (pickOne → file, where the gateway wants to see a document) → iframe, redirect or requestBankTransaction,
 * by payment method → completed.
 */
export function firstStep(deps: SandboxDeps, offer: OfferToken): Step {
  return {
    type: "form",
    url: stepUrl(deps, "form", sealToken(deps, offer)),
    data: [
      { type: "string", name: "email", humanName: "E-mail address" },
      {
        type: "string",
        name: "cryptocurrencyAddress",
        humanName: `${offer.asset.toUpperCase()} address`,
        hint: "Where the coins are sent. Nobody can bring them back from a wrong address.",
      },
    ],
  };
}

export function stepAfterForm(deps: SandboxDeps, entry: JournalEntry): Step {
  const { purchase } = entry;
  const provider = deps.world.providerById.get(purchase.providerId);
  if (provider?.kyc === "low") return stepToPay(deps, entry);
  const token = sealToken(deps, { step: "file", transactionId: purchase.transactionId });
  const upload = (document: string) => ({
    type: "file" as const,
    url: `${stepUrl(deps, "file", token)}?document=${document}`,
    acceptedContentTypes: [...documentTypes],
  });
  return {
    type: "pickOne",
    options: [
      { title: "Passport", description: "The page with your picture", nextStep: upload("passport") },
      { title: "Driving licence", description: "The front side", nextStep: upload("drivingLicense") },
    ],
  };
}

export const documentTypes = ["image/jpeg", "image/png", "application/pdf"] as const;

/** How the money comes depends on the payment method. While documents are reviewed there is a page to wait on. */
export function stepToPay(deps: SandboxDeps, entry: JournalEntry): Step {
  const { purchase, progress, outcome } = entry;
  const isReviewed = (progress.identityMs ?? 0) > deps.now() || outcome?.reason === "identity_refused";
  if (transferMethods.has(purchase.method) && !isReviewed) return requestTransfer(deps, entry);
  const token = sealToken(deps, { step: "page", transactionId: purchase.transactionId });
  const type = cardMethods.has(purchase.method) ? "iframe" : "redirect";
  return { type, url: stepUrl(deps, "page", token) };
}

export function lastStep(deps: SandboxDeps, purchase: Purchase): Step {
  return { type: "completed", trackingUrl: checkoutUrl(deps.origin(), purchase) };
}

/** The flow is finished and nothing is paid yet; in the sandbox, the customer's bank always sends the money. */
function requestTransfer(deps: SandboxDeps, entry: JournalEntry): Step {
  const { purchase } = entry;
  if (!entry.outcome) decideCheckout(deps, entry, "pay");
  return {
    type: "requestBankTransaction",
    depositBankAccount: bankAccountOf(purchase),
    reference: purchase.transactionId,
    hint: `Send exactly ${purchase.inAmount} ${purchase.source.toUpperCase()} and give the reference.`,
  };
}

function stepUrl(deps: SandboxDeps, kind: "form" | "file" | "page", token: string): string {
  return `${deps.origin()}/legacy/steps/${kind}/${token}`;
}
