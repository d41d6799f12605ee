import { z, type OpenAPIHono } from "@hono/zod-openapi";
import type { Caller, SandboxContext, SandboxDeps, SandboxEnv } from "./context.ts";
import { readJsonBody } from "./request-body.ts";
import { RefusedError } from "./refusal.ts";
import { tooManyRequests } from "./trouble/tamper.ts";
import { writeJson } from "./wire.ts";

/** An endpoint said once: the schemas that check a request are the ones that document it. */
export interface Endpoint<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType> {
  readonly method: "get" | "post";
  /** In OpenAPI's spelling: `/quotes/{source}/{destination}`. */
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly tag: "current" | "earlier" | "sandbox";
  /** `optional`: may be left out, must not be wrong. `none`: not looked at. */
  readonly auth: "none" | "optional" | "key";
  readonly params?: Params;
  readonly query?: Query;
  readonly body?: Body;
  readonly response: z.ZodType;
}

export interface Input<Params extends z.ZodObject, Query extends z.ZodObject, Body extends z.ZodType> {
  readonly c: SandboxContext;
  readonly caller: Caller;
  readonly params: z.output<Params>;
  readonly query: z.output<Query>;
  readonly body: z.output<Body>;
}

/** Mounts the endpoint and adds it to the document. The handler returns a value; exact numbers keep their digits. */
export function addEndpoint<
  Params extends z.ZodObject = typeof nothing,
  Query extends z.ZodObject = typeof nothing,
  Body extends z.ZodType = z.ZodUndefined,
>(
  app: OpenAPIHono<SandboxEnv>,
  deps: SandboxDeps,
  endpoint: Endpoint<Params, Query, Body>,
  handler: (input: Input<Params, Query, Body>) => unknown,
): void {
  documentEndpoint(app, endpoint);
  app.on(endpoint.method.toUpperCase(), endpoint.path.replaceAll(/\{(\w+)\}/g, ":$1"), async (c) => {
    const caller = readCaller(deps, endpoint.auth, c);
    const answer = await handler({
      c,
      caller,
      params: check(endpoint.params ?? nothing, c.req.param()) as z.output<Params>,
      query: check(endpoint.query ?? nothing, c.req.query()) as z.output<Query>,
      body: (endpoint.body ? check(endpoint.body, await readJsonBody(c)) : undefined) as z.output<Body>,
    });
    return c.body(writeJson(answer), 200, { "content-type": "application/json; charset=utf-8" });
  });
}

const nothing = z.object({});

export const errorSchema = z
  .object({
    errorId: z.int().openapi({ example: 4000 }),
    type: z.string().openapi({ example: "INVALID_PARAMETER" }),
    message: z.string().openapi({ example: "amount: expected a positive number" }),
    field: z.string().optional().openapi({ example: "amount" }),
  })
  .openapi("Error");

/** On the legacy surface an error is a sentence and, where there is one, the field it is about. */
export const earlierErrorSchema = z
  .object({ message: z.string(), field: z.string().optional() })
  .openapi("EarlierError");

function readCaller(
  { accounts, pace, switches, now }: SandboxDeps,
  auth: Endpoint<z.ZodObject, z.ZodObject, z.ZodType>["auth"],
  c: SandboxContext,
): Caller {
  const key = c.req.header("authorization");
  const isNeeded = auth === "key" || (auth === "optional" && switches.dialect.key === "everywhere");
  const caller = isNeeded ? accounts.require(key) : auth === "none" ? null : accounts.find(key);
  const waitMs = pace.waitMs(caller, now());
  if (waitMs === 0) return caller;
  throw new RefusedError("RATE_LIMIT_EXCEEDED", tooManyRequests, undefined, Math.ceil(waitMs / 1000));
}

/** The first problem decides: one clear sentence, and the field it is about. */
function check<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const issue = result.error.issues[0];
  const field = issue?.path.join(".") ?? "";
  if (field === "") throw new RefusedError("INVALID_BODY", "The body is not a JSON object.", "body");
  throw new RefusedError("INVALID_PARAMETER", `${field}: ${issue?.message ?? "is not valid"}`, field);
}

function documentEndpoint(
  app: OpenAPIHono<SandboxEnv>,
  {
    method,
    path,
    operationId,
    summary,
    tag,
    auth,
    params,
    query,
    body,
    response,
  }: Endpoint<z.ZodObject, z.ZodObject, z.ZodType>,
): void {
  const problem = tag === "earlier" ? earlierErrorSchema : errorSchema;
  const refused = (description: string) => ({ description, content: json(problem) });
  app.openAPIRegistry.registerPath({
    method,
    path,
    operationId,
    summary,
    tags: [tag],
    security: securityOf[auth],
    request: {
      ...(params ? { params } : {}),
      ...(query ? { query } : {}),
      ...(body ? { body: { content: json(body), required: true } } : {}),
    },
    responses: {
      200: { description: "As specified", content: json(response) },
      400: refused("A parameter or the body is wrong; `field` says which"),
      ...(auth === "none" ? {} : { 401: refused("The key is missing or wrong") }),
      ...(params ? { 404: refused("There is no such thing") } : {}),
      ...(body ? { 413: refused("The body is larger than 64 KB") } : {}),
      429: refused("Too many requests; `Retry-After` says how long to wait"),
    },
  });
}

function json(schema: z.ZodType) {
  return { "application/json": { schema } };
}

const securityOf = {
  none: [],
  optional: [{}, { key: [] }],
  key: [{ key: [] }],
};
