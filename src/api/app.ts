import { OpenAPIHono } from "@hono/zod-openapi";
import { secureHeaders } from "hono/secure-headers";
import { SECOND } from "../core/duration.ts";
import { everyone } from "../access/access.ts";
import { allowedMethods } from "./allowed-methods.ts";
import type { Api, ApiContext, ApiDeps, ApiEnv } from "./deps.ts";
import { answerFailure } from "./fail.ts";
import { createClientReader } from "./client.ts";
import { createGate } from "./gate.ts";
import { refuseInput } from "./input.ts";
import { createKeyRing } from "../access/key-ring.ts";
import { createSessionRing } from "../access/session-ring.ts";
import { observe } from "./observe.ts";
import { addOpenRoute } from "./open-route.ts";
import { addOpenApi } from "./openapi.ts";
import { createOwnWrites } from "./own-writes.ts";
import { problem } from "./problem.ts";
import { createRateLimits } from "./rate-limit.ts";
import { createRefusals } from "./refusals.ts";
import { createMemory } from "../core/remember.ts";
import { addAccountRoutes } from "./accounts/routes.ts";
import { addAccountSettings } from "./accounts/setting-routes.ts";
import { addAuditRoute } from "./audit/routes.ts";
import { addCatalogueRoutes } from "./catalogue/routes.ts";
import { addDiscrepancyRoutes } from "./discrepancies/routes.ts";
import { addDiscrepancyActions } from "./discrepancies/action-routes.ts";
import { addDiscrepancyWorkbook } from "./discrepancies/workbook-routes.ts";
import { addDocsRoutes } from "./docs/routes.ts";
import { addErasureRoutes } from "./erasures/routes.ts";
import { addFeeSchedules } from "./fee-schedules/routes.ts";
import { addHealthRoutes } from "./health/routes.ts";
import { addKeyRoutes } from "./keys/routes.ts";
import { addAlertRoutes } from "./alerts/routes.ts";
import { addApprovalRoutes } from "./approvals/routes.ts";
import { addMeRoute } from "./people/me.ts";
import { addPeopleRoutes } from "./people/routes.ts";
import { addMatchRoutes } from "./matches/routes.ts";
import { addMirrorRoutes } from "./mirror/routes.ts";
import { addProviderSettings } from "./provider-settings/routes.ts";
import { addPayoutRoutes } from "./payouts/routes.ts";
import { addProfileRoutes } from "./profiles/routes.ts";
import { addReceiptRoutes } from "./receipts/routes.ts";
import { addRateRoutes } from "./rates/routes.ts";
import { addStatementRoutes } from "./statements/routes.ts";
import { addStoryRoute } from "./transactions/story-route.ts";
import { addSummaryRoute } from "./transactions/summary-route.ts";
import { addSyncRoutes } from "./sync/routes.ts";
import { addTransactionRoutes } from "./transactions/routes.ts";

export function createApp(deps: ApiDeps): OpenAPIHono<ApiEnv> {
  return createApi(deps).app;
}

/** What machines ask of a process that serves nothing else: the same routes behind the same gate. */
export function createHealthApp(deps: ApiDeps): OpenAPIHono<ApiEnv> {
  return assemble(deps, addHealthRoutes).app;
}

/** The application together with what its routes declared, for those who check it. */
export function createApi(deps: ApiDeps): Api {
  return assemble(deps, addEverything);
}

function assemble(deps: ApiDeps, addRoutes: (api: Api) => void): Api {
  const app = new OpenAPIHono<ApiEnv>({
    defaultHook: (result) => {
      if (!result.success)
        throw refuseInput(result.error.issues.map((issue) => ({ place: "query", issue, known: [] })));
    },
  });
  const api: Api = {
    app,
    deps,
    access: new Map(),
    keys: createKeyRing({
      ...deps,
      onError: (err) => deps.log.error({ event: "key_use_not_noted", reason: nameOf(err) }),
    }),
    sessions: createSessionRing({
      ...deps,
      onError: (err) => deps.log.error({ event: "session_use_not_noted", reason: nameOf(err) }),
    }),
    limits: createRateLimits(deps.now, deps.rateLimits),
    refusals: createRefusals(deps),
    ownWrites: createOwnWrites(deps.now),
    freshness: createMemory({ now: deps.now, keepMs: SECOND }),
  };

  app.use(observe(deps, createClientReader(deps.trustedProxies ?? [])));
  app.use(
    secureHeaders({
      xFrameOptions: "DENY",
      referrerPolicy: "no-referrer",
      // Said over https only; the service itself speaks http, and a proxy in front of it adds this.
      strictTransportSecurity: false,
    }),
  );
  app.use(createGate(api));

  addRoutes(api);

  app.notFound((c) => {
    const allowed = allowedMethods(app, c.req.path);
    if (allowed.length === 0) throw problem("not_found", `There is nothing at ${c.req.path}. Start at /.`);
    throw problem("method_not_allowed", `${c.req.path} takes ${allowed.join(", ")}, not ${c.req.method}.`, {
      headers: { Allow: allowed.join(", ") },
    });
  });
  app.onError((error, c) =>
    api.failurePage !== undefined && isForPeople(c)
      ? api.failurePage(c, error)
      : answerFailure(deps, error, c),
  );
  return api;
}

function addEverything(api: Api): void {
  const { deps } = api;
  addOpenRoute(
    api,
    {
      path: "/",
      operationId: "getIndex",
      summary: "Where to go from here",
      access: everyone,
      contentType: "application/json",
      example: { name: "tieout", links: ["/docs"] },
    },
    (c) =>
      deps.home !== undefined && isForPeople(c)
        ? c.redirect(deps.home, 302)
        : c.json({
            name: "tieout",
            version: deps.version["version"],
            links: ["/docs", "/openapi.json", "/livez", "/readyz", "/version", "/metrics"],
          }),
  );
  addHealthRoutes(api);
  addTransactionRoutes(api);
  addStoryRoute(api);
  addSummaryRoute(api);
  addCatalogueRoutes(api);
  addAccountRoutes(api);
  addAccountSettings(api);
  addSyncRoutes(api);
  addMirrorRoutes(api);
  addStatementRoutes(api);
  addProfileRoutes(api);
  addPayoutRoutes(api);
  addReceiptRoutes(api);
  addMatchRoutes(api);
  addDiscrepancyRoutes(api);
  addDiscrepancyActions(api);
  addDiscrepancyWorkbook(api);
  addProviderSettings(api);
  addMeRoute(api);
  addPeopleRoutes(api);
  addFeeSchedules(api);
  addRateRoutes(api);
  addApprovalRoutes(api);
  addErasureRoutes(api);
  addAlertRoutes(api);
  addKeyRoutes(api);
  addAuditRoute(api);
  for (const extend of deps.extensions ?? []) extend(api);
  addDocsRoutes(api, addOpenApi(api));
}

/** Browsers ask for pages; programs ask for anything. What lies below /v1 is for programs, even when a browser asks. */
function isForPeople(c: ApiContext): boolean {
  return (
    c.req.method === "GET" &&
    !c.req.path.startsWith("/v1/") &&
    (c.req.header("accept") ?? "").includes("text/html")
  );
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : "unknown";
}
