import { z } from "@hono/zod-openapi";
import { SECOND } from "../../core/duration.ts";
import { everyone, probes, uncounted } from "../../access/access.ts";
import type { Api } from "../deps.ts";
import { addOpenRoute } from "../open-route.ts";
import { checkReadiness, type ReadinessReport } from "./readiness.ts";
import { createMemory } from "../../core/remember.ts";

/** What machines ask of the service itself. */
export function addHealthRoutes(api: Api): void {
  const { deps } = api;
  const json = { contentType: "application/json" };
  // Any number of watchers costs the database one look a second.
  const looked = createMemory<ReadinessReport>({ now: deps.now, keepMs: SECOND });

  addOpenRoute(
    api,
    {
      ...json,
      path: "/livez",
      operationId: "getLiveness",
      summary: "Whether the process is running; checks nothing else",
      access: uncounted,
      schema: z.strictObject({ status: z.literal("alive") }),
      example: { status: "alive" },
    },
    (c) => c.json({ status: "alive" }),
  );

  for (const [path, operationId] of [
    ["/readyz", "getReadiness"],
    ["/healthz", "getHealth"],
  ] as const) {
    addOpenRoute(
      api,
      {
        ...json,
        path,
        operationId,
        summary: "Whether the service can do its work, check by check; 503 when it cannot",
        access: probes,
        schema: readinessSchema,
        example: readinessExample,
        unready: "Something that the service needs is failing: the checks say what.",
      },
      async (c) => {
        const report = await looked.get("all", () => checkReadiness(deps.readiness, deps.now));
        c.header("Cache-Control", "no-store");
        return c.json(report, report.status === "ready" ? 200 : 503);
      },
    );
  }

  addOpenRoute(
    api,
    {
      ...json,
      path: "/version",
      operationId: "getVersion",
      summary: "Which version runs",
      access: everyone,
      schema: z.record(z.string(), z.union([z.string(), z.number(), z.null()])),
      example: { version: "1.0.0", node: "20.20.2", schema_version: 9 },
    },
    (c) => c.json(deps.version),
  );

  addOpenRoute(
    api,
    {
      path: "/metrics",
      operationId: "getMetrics",
      summary: "Metrics for Prometheus",
      access: { scopes: ["metrics:read"], wholeService: true },
      contentType: "text/plain",
      example: "tieout_build_info 1",
    },
    async (c) => {
      const { contentType, body } = await deps.metrics.render();
      return c.body(body, 200, { "content-type": contentType });
    },
  );
}

const readinessSchema = z
  .strictObject({
    status: z.enum(["ready", "not_ready"]),
    checks: z.record(
      z.string(),
      z.strictObject({
        state: z.enum(["ok", "failing"]),
        critical: z.boolean(),
        duration_ms: z.number(),
        reason: z.string().optional(),
        details: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
      }),
    ),
  })
  .openapi("Readiness");

const readinessExample = {
  status: "ready",
  checks: { database: { state: "ok", critical: true, duration_ms: 1 } },
};
