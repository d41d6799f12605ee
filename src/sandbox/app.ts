import { OpenAPIHono } from "@hono/zod-openapi";
import { cors } from "hono/cors";
import { methodNotAllowed } from "hono/method-not-allowed";
import { addCheckoutPages } from "./checkout/routes.ts";
import type { SandboxContext, SandboxDeps, SandboxEnv } from "./context.ts";
import { addCheckoutIntent } from "./current/checkout-intent.ts";
import { addDefaults } from "./current/defaults.ts";
import { addOnramps } from "./current/onramps.ts";
import { addQuotes } from "./current/quotes.ts";
import { addSupported } from "./current/supported.ts";
import { addGateways } from "./earlier/gateways.ts";
import { addRates } from "./earlier/rates.ts";
import { addSteps } from "./earlier/step-routes.ts";
import { addOpenApi } from "./openapi.ts";
import { RefusedError, refusalBody, refusalStatus } from "./refusal.ts";
import { addStartPage } from "./start-page/routes.ts";
import { addStaticFiles } from "./static-routes.ts";
import { troubleAnswers } from "./trouble/trouble-answers.ts";

/** Both surfaces and the sandbox's own pages as one application. `addMore` mounts what other parts of it serve. */
export function createSandboxApp(
  deps: SandboxDeps,
  { hasControl, addMore }: { hasControl: boolean; addMore: (app: OpenAPIHono<SandboxEnv>) => void },
): OpenAPIHono<SandboxEnv> {
  const app = new OpenAPIHono<SandboxEnv>();
  const refuse = (c: SandboxContext, refusal: RefusedError) => answerRefusal(deps, c, refusal);
  app.onError((error, c) => {
    if (error instanceof RefusedError) return refuse(c, error);
    deps.warn(`${c.req.method} ${c.req.path}: ${error.stack ?? error.message}`);
    return refuse(c, new RefusedError("INTERNAL", "The sandbox failed to answer; its log says why."));
  });
  app.notFound((c) =>
    refuse(c, new RefusedError("NOT_FOUND", `There is no ${c.req.path} here; GET / shows what there is.`)),
  );
  app.use(
    methodNotAllowed({
      app,
      onMethodNotAllowed: (c, methods) => {
        c.header("allow", methods.join(", "));
        const only = `${c.req.path} takes ${methods.join(", ")} only.`;
        return refuse(c, new RefusedError("METHOD_NOT_ALLOWED", only));
      },
    }),
  );
  // Public key and widgets: these paths are called from browsers. Those with a secret are not.
  for (const path of ["/supported/*", "/quotes/*", "/checkout/*", "/legacy/*"]) app.use(path, cors());
  app.use(troubleAnswers(deps));

  addSupported(app, deps);
  addDefaults(app, deps);
  addOnramps(app, deps);
  addQuotes(app, deps);
  addCheckoutIntent(app, deps);

  const earlier = new OpenAPIHono<SandboxEnv>();
  addGateways(earlier, deps);
  addRates(earlier, deps);
  addSteps(earlier, deps);
  app.route("/legacy", earlier);

  addCheckoutPages(app, deps);
  addStaticFiles(app, deps);
  addMore(app);
  const document = addOpenApi(app, deps.origin);
  addStartPage(app, deps, { document, hasControl });
  return app;
}

/** Each surface has its own error shape. */
function answerRefusal({ switches }: SandboxDeps, c: SandboxContext, refusal: RefusedError): Response {
  const body = c.req.path.startsWith("/legacy/") ? "earlier" : switches.dialect["error-body"];
  if (refusal.retryAfterSeconds !== undefined) c.header("retry-after", String(refusal.retryAfterSeconds));
  return c.json(refusalBody(refusal, body), refusalStatus(refusal.type));
}
