import { OpenAPIHono } from "@hono/zod-openapi";
import { formatInstant } from "../../core/instant.ts";
import type { KeyRing } from "../accounts/key-ring.ts";
import type { SandboxEnv } from "../context.ts";
import type { Webhooks } from "./deliver.ts";

/** What was sent to the calling account's address, and what it said. Not of the specification. */
export function webhookRoutes(deps: { accounts: KeyRing; webhooks: Webhooks }): OpenAPIHono<SandboxEnv> {
  const app = new OpenAPIHono<SandboxEnv>();
  app.get("/sandbox/webhooks", (c) => {
    const account = deps.accounts.requireSecret(
      c.req.header("authorization"),
      c.req.header("x-service-secret"),
    );
    return c.json({
      url: account.webhook?.url ?? null,
      attempts: deps.webhooks
        .attemptsOf(account)
        .map(({ atMs, ...attempt }) => ({ ...attempt, at: formatInstant(atMs) })),
    });
  });
  return app;
}
