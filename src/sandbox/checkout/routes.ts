import type { OpenAPIHono } from "@hono/zod-openapi";
import type { SandboxContext, SandboxDeps, SandboxEnv } from "../context.ts";
import { bodyBytesMax, readBody } from "../request-body.ts";
import { RefusedError, refusalStatus } from "../refusal.ts";
import { decideCheckout } from "./decide.ts";
import { checkoutPage, problemPage } from "./pages.ts";
import type { Decision, JournalEntry, Purchase } from "./purchase.ts";
import { writeThemeCss } from "./theme.ts";

export function checkoutUrl(origin: string, purchase: Purchase): string {
  return `${origin}/sandbox/checkout/${purchase.sessionId}`;
}

/** The page of a checkout, and the form on it. Plain HTML: it works in a frame, in a tab and without script. */
export function addCheckoutPages(app: OpenAPIHono<SandboxEnv>, deps: SandboxDeps): void {
  const show = (c: SandboxContext, entry: JournalEntry) => {
    const name = deps.world.providerById.get(entry.purchase.providerId)?.displayName;
    return c.html(checkoutPage(entry, deps.now(), name ?? entry.purchase.providerId), 200, pageHeaders);
  };

  app.get("/sandbox/checkout/:sessionId", (c) =>
    explained(c, () => show(c, findEntry(deps, c.req.param("sessionId")))),
  );

  app.get("/sandbox/checkout/:sessionId/theme.css", (c) => {
    const { theme = {} } = findEntry(deps, c.req.param("sessionId")).purchase;
    return c.body(writeThemeCss(theme), 200, { "content-type": "text/css", "cache-control": "no-store" });
  });

  app.post("/sandbox/checkout/:sessionId", (c) =>
    explained(c, async () => {
      const entry = findEntry(deps, c.req.param("sessionId"));
      decideCheckout(deps, entry, await readDecision(c));
      // Seeing the page again must not send the form again. Relative, because the browser may know us by another name.
      return c.redirect(c.req.path, 303);
    }),
  );
}

/** Frames are the page's purpose, so any site may embed it; everything else is shut. */
export const pageHeaders = {
  "content-security-policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors *",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};

/** People read these pages: a refusal is a page too, with its right status. */
export async function explained(
  c: SandboxContext,
  answer: () => Response | Promise<Response>,
): Promise<Response> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    const status = refusalStatus(error.type);
    return c.html(problemPage("That did not work", error.message), status, pageHeaders);
  }
}

export async function readDecision(c: SandboxContext): Promise<Decision> {
  const form = new URLSearchParams(new TextDecoder().decode(await readBody(c, bodyBytesMax)));
  const decision = form.get("decision");
  if (decision === "pay" || decision === "fail" || decision === "cancel") return decision;
  throw new RefusedError("INVALID_PARAMETER", "decision: expected pay, fail or cancel", "decision");
}

function findEntry(deps: SandboxDeps, sessionId: string): JournalEntry {
  const entry = deps.journal.bySession(sessionId);
  if (!entry) throw new RefusedError("NOT_FOUND", "There is no such checkout.");
  return entry;
}
