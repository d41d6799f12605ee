import { type Context, Hono } from "hono";
import { routePath } from "hono/route";
import { secureHeaders } from "hono/secure-headers";
import { allowedMethods } from "./allowed-methods.ts";
import { answerProblem, ProblemError } from "./problem.ts";
import { checkReadiness, type ReadinessCheck } from "./readiness.ts";

export interface ApiDeps {
  now: () => number;
  newRequestId: () => string;
  version: Record<string, string | number | null>;
  readiness: ReadinessCheck[];
  metrics: {
    observeRequest(labels: { method: string; route: string; status: number }, seconds: number): void;
    render(): Promise<{ contentType: string; body: string }>;
  };
  log: {
    info(fields: object): void;
    error(fields: object): void;
  };
}

export type ApiEnv = { Variables: { requestId: string } };

export function createApp(deps: ApiDeps): Hono<ApiEnv> {
  const app = new Hono<ApiEnv>();

  app.use(async (c, next) => {
    const begun = deps.now();
    const given = c.req.header("request-id") ?? "";
    const requestId = /^[A-Za-z0-9_-]{1,64}$/.test(given) ? given : deps.newRequestId();
    c.set("requestId", requestId);
    await next();
    c.header("Request-Id", requestId);
    const route = routePath(c, -1);
    const durationMs = deps.now() - begun;
    const labels = { method: c.req.method, route: route === "/*" ? "unknown" : route, status: c.res.status };
    deps.metrics.observeRequest(labels, durationMs / 1_000);
    if (!route.endsWith("z"))
      deps.log.info({ event: "request", request_id: requestId, ...labels, duration_ms: durationMs });
  });

  app.use(
    secureHeaders({
      contentSecurityPolicy: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
      xFrameOptions: "DENY",
      referrerPolicy: "no-referrer",
      // Said over https only; the service itself speaks http, and a proxy in front of it adds this.
      strictTransportSecurity: false,
    }),
  );

  app.get("/", (c) =>
    c.json({
      name: "tieout",
      version: deps.version["version"],
      links: ["/livez", "/readyz", "/version", "/metrics"],
    }),
  );

  app.get("/livez", (c) => c.json({ status: "alive" }));

  for (const path of ["/readyz", "/healthz"]) {
    app.get(path, async (c) => {
      const report = await checkReadiness(deps.readiness, deps.now);
      c.header("Cache-Control", "no-store");
      return c.json(report, report.status === "ready" ? 200 : 503);
    });
  }

  app.get("/version", (c) => c.json(deps.version));

  app.get("/metrics", async (c) => {
    const { contentType, body } = await deps.metrics.render();
    return c.body(body, 200, { "content-type": contentType });
  });

  app.notFound((c) => {
    const allowed = allowedMethods(app, c.req.path);
    if (allowed.length === 0) {
      return answer(c, {
        status: 404,
        code: "not_found",
        title: "Not found",
        detail: `There is nothing at ${c.req.path}. Start at /.`,
      });
    }
    return answer(c, {
      status: 405,
      code: "method_not_allowed",
      title: "Method not allowed",
      detail: `${c.req.path} takes ${allowed.join(", ")}, not ${c.req.method}.`,
      headers: { Allow: allowed.join(", ") },
    });
  });

  app.onError((error, c) => {
    if (error instanceof ProblemError) return answer(c, error.problem);
    // What went wrong is for the log. The answer carries the request's id, by which the two are brought together.
    deps.log.error({ event: "request_failed", request_id: c.get("requestId"), err: error });
    return answer(c, {
      status: 500,
      code: "internal_error",
      title: "Internal error",
      detail: `Something failed on our side. Look for request ${c.get("requestId")} in the log.`,
    });
  });

  return app;
}

function answer(c: Context<ApiEnv>, problem: ProblemError["problem"]): Response {
  return answerProblem(c, problem, c.get("requestId"));
}
