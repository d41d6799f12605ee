import { everyone } from "../../access/access.ts";
import type { Api, ApiContext } from "../deps.ts";
import { errorsPage, type Page, referencePage } from "./page.tsx";
import { docsStyle } from "./style.ts";
import { addOpenRoute } from "../open-route.ts";
import type { OpenApiDocument } from "../openapi.ts";

const policy =
  "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/** The reference, rendered by ourselves from the document: nothing is loaded from elsewhere, and no script is needed. */
export function addDocsRoutes(api: Api, document: () => OpenApiDocument): void {
  let reference: Page | null = null;
  const page = { access: everyone, contentType: "text/html", example: "<!doctype html>" };
  addOpenRoute(
    api,
    { ...page, path: "/docs", operationId: "getDocs", summary: "This interface for people" },
    (c) => sendPage(c, (reference ??= referencePage(document()))),
  );
  addOpenRoute(
    api,
    { ...page, path: "/docs/errors", operationId: "getErrorCodes", summary: "All error codes for people" },
    (c) => sendPage(c, errorsPage()),
  );
  addOpenRoute(
    api,
    {
      path: "/docs/style.css",
      operationId: "getDocsStyle",
      summary: "How these pages look",
      access: everyone,
      contentType: "text/css",
      example: "body { margin: 0 }",
    },
    (c) =>
      c.body(docsStyle, 200, { "content-type": "text/css; charset=utf-8", "Cache-Control": "max-age=3600" }),
  );
}

function sendPage(c: ApiContext, html: Page): Response | Promise<Response> {
  c.set("contentSecurityPolicy", policy);
  return c.html(html);
}
