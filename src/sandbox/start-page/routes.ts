import type { OpenAPIHono } from "@hono/zod-openapi";
import type { SandboxDeps, SandboxEnv } from "../context.ts";
import { sandboxDefaults } from "../options.ts";
import { consoleJs, startCss } from "./console-script.ts";
import { startPage } from "./start-page.ts";

/** The page at `/`, and the two files it loads. */
export function addStartPage(
  app: OpenAPIHono<SandboxEnv>,
  deps: SandboxDeps,
  { document, hasControl }: { document: () => unknown; hasControl: boolean },
): void {
  const { apiKey, apiSecret } = deps.accounts.first;
  app.get("/", (c) =>
    c.html(
      startPage({
        origin: deps.origin(),
        apiKey,
        // A secret that someone chose is nothing for a page that anyone can open.
        apiSecret: apiSecret === sandboxDefaults.apiSecret ? apiSecret : "",
        document: document(),
        hasControl,
      }),
      200,
      pageHeaders,
    ),
  );
  app.get("/sandbox/assets/start.css", (c) => c.body(startCss, 200, { "content-type": "text/css" }));
  app.get("/sandbox/assets/console.js", (c) => c.body(consoleJs, 200, { "content-type": "text/javascript" }));
}

const pageHeaders = {
  "content-security-policy":
    "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
};
