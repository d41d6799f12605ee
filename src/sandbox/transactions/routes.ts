import { OpenAPIHono, z } from "@hono/zod-openapi";
import type { SandboxContext, SandboxEnv } from "../context.ts";
import { errorSchema } from "../endpoint.ts";
import type { Answers, TransactionRequest } from "./answers.ts";
import { listQuerySchema, transactionPageSchema, transactionRecordSchema } from "./schemas.ts";
import { deliver } from "./deliver.ts";

/** `GET /transactions` and `GET /transactions/{transactionId}`. */
export function transactionRoutes(answers: Answers): OpenAPIHono<SandboxEnv> {
  const app = new OpenAPIHono<SandboxEnv>();
  app.get("/transactions", (c) => deliver(c, answers.list(requestOf(c))));
  app.get("/transactions/:transactionId", (c) =>
    deliver(c, answers.single(requestOf(c), c.req.param("transactionId"))),
  );
  documentRoutes(app);
  return app;
}

function requestOf(c: SandboxContext): TransactionRequest {
  const { url } = c.req;
  const mark = url.indexOf("?");
  return {
    authorization: c.req.header("authorization"),
    serviceSecret: c.req.header("x-service-secret"),
    query: mark < 0 ? "" : url.slice(mark + 1),
  };
}

function documentRoutes(app: OpenAPIHono<SandboxEnv>): void {
  const shared = { method: "get" as const, tags: ["current"], security: [{ key: [], secret: [] }] };
  app.openAPIRegistry.registerPath({
    ...shared,
    path: "/transactions",
    operationId: "listTransactions",
    summary: "The transaction records of the calling account, page by page",
    request: { query: listQuerySchema },
    responses: {
      200: { description: "A page", content: json(transactionPageSchema) },
      400: refused("A parameter is wrong; `field` says which"),
      401: refused("The key or the secret is missing or wrong"),
      429: refused("Too many requests; `Retry-After` says how long to wait"),
    },
  });
  app.openAPIRegistry.registerPath({
    ...shared,
    path: "/transactions/{transactionId}",
    operationId: "getTransaction",
    summary: "The latest record of one transaction",
    request: { params: z.object({ transactionId: z.string() }) },
    responses: {
      200: { description: "The record, not wrapped", content: json(transactionRecordSchema) },
      401: refused("The key or the secret is missing or wrong"),
      404: refused("There is no such transaction"),
    },
  });
}

function json(schema: z.ZodType) {
  return { "application/json": { schema } };
}

function refused(description: string) {
  return { description, content: json(errorSchema) };
}
