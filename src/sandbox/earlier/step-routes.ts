import type { OpenAPIHono } from "@hono/zod-openapi";
import { decideCheckout } from "../checkout/decide.ts";
import { openPurchase } from "../checkout/open-purchase.ts";
import type { Purchase } from "../checkout/purchase.ts";
import { explained, pageHeaders, readDecision } from "../checkout/routes.ts";
import type { SandboxDeps, SandboxEnv } from "../context.ts";
import { RefusedError } from "../refusal.ts";
import { readBody, readJsonBody } from "../request-body.ts";
import { readCustomer } from "./customer-form.ts";
import { messagePage, paymentPage } from "./payment-pages.ts";
import { documentToken, offerToken, openToken, paymentToken, type OfferToken } from "./step-token.ts";
import { documentTypes, lastStep, stepAfterForm, stepToPay } from "./steps.ts";

/** The endpoints that step addresses lead to. */
export function addSteps(app: OpenAPIHono<SandboxEnv>, deps: SandboxDeps): void {
  app.post("/steps/form/:token", async (c) => {
    const offer = openToken(deps, offerToken, c.req.param("token"));
    const customer = readCustomer(deps, offer, await readJsonBody(c));
    return c.json(stepAfterForm(deps, startPurchase(deps, offer, customer.address)));
  });

  app.put("/steps/file/:token", async (c) => {
    const purchase = findPurchase(deps, openToken(deps, documentToken, c.req.param("token")));
    const type = (c.req.header("content-type") ?? "").split(";")[0]?.trim().toLowerCase() ?? "";
    if (!documentTypes.some((accepted) => accepted === type)) {
      throw new RefusedError(
        "UNSUPPORTED_MEDIA_TYPE",
        `Send the file itself as one of ${documentTypes.join(", ")}.`,
        "file",
      );
    }
    // Looked at and forgotten: a sandbox has no business keeping anybody's passport.
    const document = await readBody(c, documentBytesMax);
    if (document.byteLength === 0) throw new RefusedError("INVALID_BODY", "The file is empty.", "file");
    return c.json(stepToPay(deps, purchase));
  });

  app.get("/steps/page/:token", (c) =>
    explained(c, () => {
      const purchase = findPurchase(deps, openToken(deps, paymentToken, c.req.param("token")));
      return c.html(paymentPage(purchase, c.req.path), 200, pageHeaders);
    }),
  );

  app.post("/steps/page/:token", (c) =>
    explained(c, async () => {
      const purchase = findPurchase(deps, openToken(deps, paymentToken, c.req.param("token")));
      const decision = await readDecision(c);
      const entry = deps.journal.byTransaction(purchase.transactionId);
      // Sent twice, it is still one payment: the message goes out again.
      if (entry && entry.outcome?.decision !== decision) decideCheckout(deps, entry, decision);
      const message =
        decision === "pay"
          ? { nextStep: lastStep(deps, purchase) }
          : { error: { message: decision === "fail" ? "The payment failed." : "Cancelled.", fatal: true } };
      // A program that plays the browser's part reads the message as it is.
      if (c.req.header("accept")?.includes("application/json")) return c.json(message);
      return c.html(messagePage(message), 200, pageHeaders);
    }),
  );
}

const documentBytesMax = 5 * 1024 * 1024;

/** Rates stand for as long as a checkout session does. */
function startPurchase(deps: SandboxDeps, offer: OfferToken, walletAddress: string): Purchase {
  const started = deps.journal.byTransaction(offer.transactionId)?.purchase;
  // The same form sent again, by a client that did not see the answer.
  if (started) return started;
  if (deps.now() - offer.atMs > deps.settings.sessionSeconds * 1000) {
    throw new RefusedError("SESSION_EXPIRED", "This rate has expired; ask for rates again.");
  }
  const { world } = deps;
  const provider = world.providerById.get(offer.providerId);
  const fiat = world.fiatById.get(offer.fiat);
  const asset = world.assetById.get(offer.asset);
  const method = world.paymentTypeById.get(offer.method);
  if (!provider || !fiat || !asset || !method) throw new RefusedError("NOT_FOUND", "There is no such step.");
  const { country, inAmount, outAmount } = offer;
  const request = {
    side: "buy" as const,
    provider,
    fiat,
    asset,
    method,
    country,
    inAmount,
    outAmount,
    walletAddress,
  };
  return openPurchase(deps, request, offer.transactionId);
}

function findPurchase(deps: SandboxDeps, { transactionId }: { transactionId: string }): Purchase {
  const purchase = deps.journal.byTransaction(transactionId)?.purchase;
  if (!purchase) throw new RefusedError("NOT_FOUND", "There is no such purchase; ask for rates again.");
  return purchase;
}
