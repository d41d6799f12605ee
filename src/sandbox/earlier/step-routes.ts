import type { OpenAPIHono } from "@hono/zod-openapi";
import { concludeIdentity } from "../checkout/conclude-identity.ts";
import { decideCheckout } from "../checkout/decide.ts";
import { openPurchase } from "../checkout/open-purchase.ts";
import type { JournalEntry, Purchase } from "../checkout/purchase.ts";
import { addStepPages, explained, pageHeaders, readDecision, showPlace } from "../checkout/routes.ts";
import { placeOf } from "../checkout/steps/which-step.ts";
import { identityOf } from "../checkout/test-data.ts";
import { openWalk, reopen, type Walk } from "../checkout/walk.ts";
import type { SandboxContext, SandboxDeps, SandboxEnv } from "../context.ts";
import { RefusedError } from "../refusal.ts";
import { isDown } from "../open-providers.ts";
import { readBody, tryJsonBody } from "../request-body.ts";
import { missedUserLimit, refuseTooManyOrders } from "../trouble/user-limits.ts";
import { readCustomer } from "./customer-form.ts";
import { messagePage, type StepMessage } from "./payment-pages.ts";
import { documentToken, offerToken, openToken, paymentToken, type OfferToken } from "./step-token.ts";
import { documentTypes, lastStep, stepAfterForm, stepToPay } from "./steps.ts";

/** The endpoints that step addresses lead to. */
export function addSteps(app: OpenAPIHono<SandboxEnv>, deps: SandboxDeps): void {
  app.post("/steps/form/:token", async (c) => {
    const offer = openToken(deps, offerToken, c.req.param("token"));
    const customer = readCustomer(deps, offer, await tryJsonBody(c));
    const { transactionId } = keepPurchase(deps, offer, customer);
    return c.json(stepAfterForm(deps, findEntry(deps, { transactionId })));
  });

  app.put("/steps/file/:token", async (c) => {
    const token = openToken(deps, documentToken, c.req.param("token"));
    const type = (c.req.header("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
    if (!documentTypes.some((accepted) => accepted === type)) {
      throw new RefusedError(
        "UNSUPPORTED_MEDIA_TYPE",
        `Send the file itself as one of ${documentTypes.join(", ")}.`,
        "file",
      );
    }
    // Looked at and forgotten: a sandbox has no business keeping anyone's passport.
    const document = await readBody(c, documentBytesMax);
    if (document.byteLength === 0) throw new RefusedError("INVALID_BODY", "The file is empty.", "file");
    checkDocument(deps, findEntry(deps, token), document);
    return c.json(stepToPay(deps, findEntry(deps, token)));
  });

  const walkOf = (c: SandboxContext) => {
    const token = c.req.param("token") ?? "";
    return openWalk(
      deps,
      findEntry(deps, openToken(deps, paymentToken, token)),
      `/legacy/steps/page/${token}`,
    );
  };

  app.get("/steps/page/:token", (c) =>
    explained(c, () => {
      const walk = walkOf(c);
      const message = messageOf(deps, walk);
      return message === null ? showPlace(c, walk) : sendMessage(c, message);
    }),
  );

  app.post("/steps/page/:token", (c) =>
    explained(c, async () => {
      const decision = await readDecision(c);
      const walk = walkOf(c);
      // Sent twice, it is still one payment: the message goes out again.
      if (walk.entry.outcome?.decision !== decision) decideCheckout(deps, walk.entry, decision);
      const message = messageOf(deps, reopen(walk));
      if (message === null) throw new RangeError("a decided order has a message");
      return sendMessage(c, message);
    }),
  );

  addStepPages(app, "/steps/page/:token", walkOf);
}

/** What the page tells the window that shows it once the order is decided; `null` before that. */
function messageOf(deps: SandboxDeps, walk: Walk): StepMessage | null {
  const { outcome } = walk.entry;
  const place = placeOf(walk);
  if (outcome?.decision === "pay") return { nextStep: lastStep(deps, walk.purchase) };
  // A refusal already decided is announced when the review is over.
  if (place === "review" || (!outcome && place !== "expired")) return null;
  return { error: { message: whyNotPaid(outcome), fatal: true } };
}

function whyNotPaid(outcome: JournalEntry["outcome"]): string {
  if (!outcome) return "This rate has expired.";
  if (outcome.reason === "identity_refused") return "We could not confirm your identity.";
  return outcome.decision === "fail" ? "The payment failed." : "Cancelled.";
}

/** A program that plays the browser's part reads the message as it is. */
function sendMessage(c: SandboxContext, message: StepMessage): Response | Promise<Response> {
  return c.req.header("accept")?.includes("application/json")
    ? c.json(message)
    : c.html(messagePage(message), 200, pageHeaders);
}

/** A file that holds nothing but one of the test names is the document of that person. */
function checkDocument(deps: SandboxDeps, entry: JournalEntry, document: Uint8Array): void {
  const isShort = document.byteLength < 100;
  const result = isShort ? identityOf(new TextDecoder().decode(document).trim()) : "approved";
  // A second document changes nothing about an order that is decided.
  if (!entry.outcome && deps.now() < entry.purchase.expiresMs) concludeIdentity(deps, entry, result);
  const isRefused = result === "refused" || entry.outcome?.reason === "identity_refused";
  if (!isRefused) return;
  throw new RefusedError(
    "IDENTITY_REFUSED",
    "We could not confirm your identity with this document.",
    "file",
  );
}

const documentBytesMax = 5 * 1024 * 1024;

interface Customer {
  readonly email: string;
  readonly address: string;
}

/** The first form opens the purchase; the same one again changes nothing, and a corrected one corrects it. */
function keepPurchase(deps: SandboxDeps, offer: OfferToken, customer: Customer): Purchase {
  const started = deps.journal.byTransaction(offer.transactionId);
  if (!started) return startPurchase(deps, offer, customer);
  const { purchase, outcome } = started;
  if (purchase.walletAddress === customer.address && purchase.user === customer.email) return purchase;
  if (outcome) {
    const field = purchase.walletAddress === customer.address ? "email" : "cryptocurrencyAddress";
    throw new RefusedError(
      "ALREADY_DECIDED",
      "The order is under way; this can no longer be changed.",
      field,
    );
  }
  if (deps.now() >= purchase.expiresMs) throw expired();
  const last = purchase.amendedMs ?? purchase.createdMs;
  const amended = {
    ...purchase,
    walletAddress: customer.address,
    user: customer.email,
    // Two records of one status and one date would contradict each other.
    amendedMs: Math.max(deps.now(), last + 1),
  };
  deps.journal.amend(amended);
  return amended;
}

/** Rates stand for as long as a checkout session does. */
function startPurchase(deps: SandboxDeps, offer: OfferToken, { email, address }: Customer): Purchase {
  if (deps.now() - offer.atMs > deps.settings.sessionSeconds * 1000) throw expired();
  const { world, accounts } = deps;
  const provider = world.providerById.get(offer.providerId);
  const fiat = world.fiatById.get(offer.fiat);
  const asset = world.assetById.get(offer.asset);
  const method = world.paymentTypeById.get(offer.method);
  const caller = accounts.accounts.find(({ apiKey }) => apiKey === offer.apiKey);
  if (!provider || !fiat || !asset || !method || !caller) {
    throw new RefusedError("NOT_FOUND", "There is no such step.");
  }
  if (isDown(deps, provider)) {
    throw new RefusedError("PROVIDER_UNAVAILABLE", `${provider.displayName} does not answer.`, undefined, 30);
  }
  refuseTooManyOrders(deps, caller, email);
  const { country, inAmount, outAmount } = offer;
  const missed = missedUserLimit(deps, caller, { fiat, fiatAmount: inAmount, user: email });
  if (missed) {
    throw new RefusedError("USER_LIMIT", `You can order for ${missed.limit} ${fiat.code} today.`, "email");
  }
  const request = {
    side: "buy" as const,
    provider,
    fiat,
    asset,
    method,
    country,
    inAmount,
    outAmount,
    walletAddress: address,
    user: email,
    surface: "earlier" as const,
  };
  return openPurchase(deps, caller, request, offer.transactionId);
}

function expired(): RefusedError {
  return new RefusedError("SESSION_EXPIRED", "This rate has expired; ask for rates again.");
}

function findEntry(deps: SandboxDeps, { transactionId }: { transactionId: string }): JournalEntry {
  const entry = deps.journal.byTransaction(transactionId);
  if (!entry) throw new RefusedError("NOT_FOUND", "There is no such purchase; ask for rates again.");
  return entry;
}
