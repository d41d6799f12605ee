import type { OpenAPIHono } from "@hono/zod-openapi";
import type { SandboxContext, SandboxDeps, SandboxEnv } from "../context.ts";
import { bodyBytesMax, readBody } from "../request-body.ts";
import { RefusedError, refusalStatus } from "../refusal.ts";
import { decideCheckout } from "./decide.ts";
import { checkoutPage, isStep, statusOf } from "./page/checkout-page.ts";
import { FieldError, nothingGiven } from "./page/fields.ts";
import { problemPage } from "./page/shell.ts";
import type { Decision, JournalEntry, Purchase } from "./purchase.ts";
import { detailOf } from "./steps/result.ts";
import { stepNames, type StepName } from "./steps/step.ts";
import { steps } from "./steps/steps.ts";
import { isOpen, placeOf } from "./steps/which-step.ts";
import { writeThemeCss } from "./theme.ts";
import { openWalk, reopen, type Walk } from "./walk.ts";

export function checkoutUrl(origin: string, purchase: Purchase): string {
  return `${origin}${homeOf(purchase)}`;
}

function homeOf({ sessionId }: Purchase): string {
  return `/sandbox/checkout/${sessionId}`;
}

/** The page of a checkout and its steps. Plain HTML: it works in a frame, in a tab and without script. */
export function addCheckoutPages(app: OpenAPIHono<SandboxEnv>, deps: SandboxDeps): void {
  const walkOf = (sessionId: string) => {
    const entry = findEntry(deps, sessionId);
    return openWalk(deps, entry, homeOf(entry.purchase));
  };

  app.get("/sandbox/checkout/:sessionId", (c) =>
    explained(c, () => showPlace(c, walkOf(c.req.param("sessionId")))),
  );

  app.get("/sandbox/checkout/:sessionId/theme.css", (c) => {
    const { theme = {} } = findEntry(deps, c.req.param("sessionId")).purchase;
    return c.body(writeThemeCss(theme), 200, { "content-type": "text/css", "cache-control": "no-store" });
  });

  app.post("/sandbox/checkout/:sessionId", (c) =>
    explained(c, async () => {
      const decision = await readDecision(c);
      decideCheckout(deps, findEntry(deps, c.req.param("sessionId")), decision);
      // Seeing the page again must not send the form again. Relative, because the browser may know us by another name.
      return c.redirect(c.req.path, 303);
    }),
  );

  addStepPages(app, "/sandbox/checkout/:sessionId", (c) => walkOf(c.req.param("sessionId") ?? ""));
}

/** The steps below a checkout's page, on either surface. */
export function addStepPages(
  app: OpenAPIHono<SandboxEnv>,
  path: string,
  findWalk: (c: SandboxContext) => Walk,
): void {
  app.get(`${path}/state`, (c) => {
    const walk = findWalk(c);
    const state = { step: placeOf(walk), status: statusOf(walk), detail: detailOf(walk) };
    return c.json(state, 200, { "cache-control": "no-store" });
  });

  for (const step of stepNames) {
    app.get(`${path}/${step}`, (c) =>
      explained(c, () => {
        const walk = findWalk(c);
        return isOpen(walk, step) ? show(c, walk, step) : c.redirect(walk.home, 303);
      }),
    );
    app.post(`${path}/${step}`, (c) => explained(c, () => takeStep(c, findWalk, step)));
  }
}

export function showPlace(c: SandboxContext, walk: Walk): Response | Promise<Response> {
  return c.html(checkoutPage(walk, placeOf(walk), nothingGiven), 200, pageHeaders);
}

function show(c: SandboxContext, walk: Walk, step: StepName): Response | Promise<Response> {
  return c.html(checkoutPage(walk, step, nothingGiven), 200, pageHeaders);
}

/** A step that is no longer open changes nothing, so a form sent again from the browser's history cannot pay twice. */
async function takeStep(
  c: SandboxContext,
  findWalk: (c: SandboxContext) => Walk,
  step: StepName,
): Promise<Response> {
  const form = await readForm(c);
  // Only now: while the body came in, the same form may have been taken from another window.
  const walk = findWalk(c);
  const { take } = steps[step];
  if (!take || !isOpen(walk, step)) return c.redirect(walk.home, 303);
  try {
    take(walk, form);
  } catch (error) {
    if (!(error instanceof FieldError)) throw error;
    const problem = { field: error.field, message: error.message };
    return c.html(checkoutPage(walk, step, { values: form, problem }), 422, pageHeaders);
  }
  const place = placeOf(reopen(walk));
  return c.redirect(isStep(place) ? `${walk.home}/${place}` : walk.home, 303);
}

/** Frames are the page's purpose, so any site may embed it; everything else is shut. */
export const pageHeaders = {
  "content-security-policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors *",
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
  const decision = (await readForm(c)).get("decision");
  if (decision === "pay" || decision === "fail" || decision === "cancel") return decision;
  throw new RefusedError("INVALID_PARAMETER", "decision: expected pay, fail or cancel", "decision");
}

async function readForm(c: SandboxContext): Promise<URLSearchParams> {
  return new URLSearchParams(new TextDecoder().decode(await readBody(c, bodyBytesMax)));
}

function findEntry(deps: SandboxDeps, sessionId: string): JournalEntry {
  const entry = deps.journal.bySession(sessionId);
  if (!entry) throw new RefusedError("NOT_FOUND", "There is no such checkout.");
  return entry;
}
