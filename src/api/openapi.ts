import { everyone } from "../access/access.ts";
import type { Api } from "./deps.ts";
import { addOpenRoute } from "./open-route.ts";
import { documentHeaders, problemSchema } from "./document.ts";

export type OpenApiDocument = ReturnType<Api["app"]["getOpenAPI31Document"]>;

/** Serves the document of everything that was added to the application before. It is written once: routes do not change. */
export function addOpenApi(api: Api): () => OpenApiDocument {
  const { app, deps } = api;
  const registry = app.openAPIRegistry;
  registry.register("Problem", problemSchema);
  documentHeaders(api);
  const scheme = (
    name: string,
    fields: Parameters<typeof registry.registerComponent<"securitySchemes">>[2],
  ) => registry.registerComponent("securitySchemes", name, fields);
  scheme("bearer", {
    type: "http",
    scheme: "bearer",
    description: "An API key: `Authorization: Bearer tieout_…`",
  });
  scheme("basic", {
    type: "http",
    scheme: "basic",
    description: "The key as user name, with an empty password: `curl -u KEY:`",
  });
  scheme("aggregatorKey", {
    type: "apiKey",
    in: "header",
    name: "Authorization",
    description: "The key itself, without a scheme",
  });
  scheme("aggregatorSecret", {
    type: "apiKey",
    in: "header",
    name: "x-service-secret",
    description: "The key's secret part, after its last underscore, or the whole key again",
  });

  let written: { document: OpenApiDocument; text: string } | null = null;
  const write = () => {
    const document = app.getOpenAPI31Document({
      openapi: "3.1.0",
      info: {
        title: "tieout",
        version: String(deps.version["version"] ?? "0"),
        description:
          "Every transaction of the aggregator, proven complete. Times are ISO 8601 in UTC, amounts exact decimals as text.",
      },
      servers: [{ url: deps.baseUrl ?? "/" }],
      tags: [
        { name: "Transactions", description: "The records, their statuses and their sums" },
        { name: "Catalogue", description: "What the accounts may use" },
        { name: "Accounts", description: "The aggregator's keys that are copied here" },
        { name: "Sync", description: "How current and how complete the copy is" },
        { name: "Mirror", description: "The aggregator's own endpoints, answered from the copy" },
        { name: "Reports", description: "Files for people: immediate downloads, or exports" },
        { name: "Administration", description: "Keys and the audit log" },
        { name: "Service", description: "The service itself" },
      ],
    });
    return { document, text: JSON.stringify(document) };
  };
  const once = () => (written ??= write());

  addOpenRoute(
    api,
    {
      path: "/openapi.json",
      operationId: "getOpenApi",
      summary: "This interface as an OpenAPI 3.1 document",
      access: everyone,
      contentType: "application/json",
      example: { openapi: "3.1.0" },
    },
    (c) =>
      c.body(once().text, 200, {
        "content-type": "application/json; charset=utf-8",
        "Cache-Control": "no-cache",
      }),
  );
  return () => once().document;
}
