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
import { RefusedError, refusalBody, refusalStatus, type RefusalType } from "./refusal.ts";
import { addStaticFiles } from "./static-routes.ts";

/** Both surfaces and the sandbox's own pages as one application. `addMore` mounts what other rooms of it serve. */
export function createSandboxApp(
  deps: SandboxDeps,
  addMore: (app: OpenAPIHono<SandboxEnv>) => void,
): OpenAPIHono<SandboxEnv> {
  const app = new OpenAPIHono<SandboxEnv>();
  app.onError((error, c) => answerError(c, error, deps.warn));
  app.notFound((c) => refuse(c, "NOT_FOUND", `There is no ${c.req.path} here; see /sandbox/openapi.json.`));
  app.use(
    methodNotAllowed({
      app,
      onMethodNotAllowed: (c, methods) => {
        c.header("allow", methods.join(", "));
        return refuse(c, "METHOD_NOT_ALLOWED", `${c.req.path} takes ${methods.join(", ")} only.`);
      },
    }),
  );
  // Public key and widgets: these paths are called from browsers. Those with a secret are not.
  for (const path of ["/supported/*", "/quotes/*", "/checkout/*", "/legacy/*"]) app.use(path, cors());

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
  addOpenApi(app, deps.origin);
  return app;
}

function answerError(c: SandboxContext, error: Error, warn: (message: string) => void): Response {
  if (error instanceof RefusedError) return refuse(c, error.type, error.message, error.field);
  warn(`${c.req.method} ${c.req.path}: ${error.stack ?? error.message}`);
  return refuse(c, "INTERNAL", "The sandbox failed to answer; its log says why.");
}

/** Each surface has its own error shape. */
function refuse(c: SandboxContext, type: RefusalType, message: string, field?: string): Response {
  const body = c.req.path.startsWith("/legacy/")
    ? { message, ...(field === undefined ? {} : { field }) }
    : refusalBody(type, message, field);
  return c.json(body, refusalStatus(type));
}
