import { z, type OpenAPIHono } from "@hono/zod-openapi";
import type { SandboxEnv } from "./context.ts";
import { step } from "./earlier/schemas.ts";
import { earlierErrorSchema } from "./endpoint.ts";

/** Serves the document of everything that was added to the application before, and returns it for pages. */
export function addOpenApi(app: OpenAPIHono<SandboxEnv>, origin: () => string): () => unknown {
  const registry = app.openAPIRegistry;
  registry.registerComponent("securitySchemes", "key", {
    type: "apiKey",
    in: "header",
    name: "Authorization",
    description: "The key itself, without a scheme",
  });
  registry.registerComponent("securitySchemes", "secret", {
    type: "apiKey",
    in: "header",
    name: "x-service-secret",
  });
  documentSteps(app);
  const document = () =>
    app.getOpenAPI31Document({
      openapi: "3.1.0",
      info: {
        title: "Aggregator sandbox",
        version: "1",
        description: "Both surfaces of the aggregator's interface, on a simulated world.",
      },
      servers: [{ url: origin() }],
      tags: [
        { name: "current", description: "The current surface" },
        { name: "earlier", description: "The legacy surface" },
        { name: "sandbox", description: "Beside the specified paths" },
      ],
    });
  app.get("/sandbox/openapi.json", (c) => c.json(document()));
  return document;
}

/** Step addresses are opaque to a client, and still endpoints: what they take and give belongs into the document. */
function documentSteps(app: OpenAPIHono<SandboxEnv>): void {
  const nextStep = { description: "The next step", content: { "application/json": { schema: step } } };
  const params = z.object({ token: z.string() });
  app.openAPIRegistry.registerPath({
    method: "post",
    path: "/legacy/steps/form/{token}",
    operationId: "submitForm",
    summary: "Executes a form step",
    tags: ["earlier"],
    request: {
      params,
      body: { required: true, content: { "application/json": { schema: z.record(z.string(), z.string()) } } },
    },
    responses: {
      200: nextStep,
      400: refused("A field is wrong; `field` names its key"),
      404: refused("There is no such step"),
      410: refused("The rate has expired"),
    },
  });
  app.openAPIRegistry.registerPath({
    method: "put",
    path: "/legacy/steps/file/{token}",
    operationId: "uploadFile",
    summary: "Executes a file step: the body is the file",
    tags: ["earlier"],
    request: { params, body: { required: true, content: { "image/jpeg": { schema: z.string() } } } },
    responses: {
      200: nextStep,
      404: refused("There is no such step"),
      413: refused("The file is larger than 5 MB"),
      415: refused("Not one of acceptedContentTypes"),
    },
  });
}

function refused(description: string) {
  return { description, content: { "application/json": { schema: earlierErrorSchema } } };
}
