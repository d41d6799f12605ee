import { z } from "@hono/zod-openapi";
import type { Access } from "../access/access.ts";
import type { Api, ApiContext } from "./deps.ts";
import { documentOperation, problemResponses } from "./document.ts";
import { declareAccess, describeNeeds } from "./route.ts";

/** A route of the service itself: no parameters, and mostly no key. */
export interface OpenRoute {
  path: string;
  operationId: string;
  summary: string;
  access: Access;
  contentType: string;
  /** Left out: a text, or an object of any shape. */
  schema?: z.ZodType;
  example: unknown;
  /** The same form of answer with 503, and what that means. */
  unready?: string;
}

export function addOpenRoute(
  api: Api,
  route: OpenRoute,
  handler: (c: ApiContext) => Promise<Response> | Response,
): void {
  const { path, operationId, summary, access, contentType, example } = route;
  declareAccess(api, "get", path, access);
  api.app.get(path, handler);
  const schema = route.schema ?? (contentType === "application/json" ? z.looseObject({}) : z.string());
  const needsKey = access.scopes.length > 0;
  const content = { [contentType]: { schema, example } };
  const operation = {
    method: "get" as const,
    path,
    operationId,
    summary,
    tags: ["Service"],
    description: describeNeeds(access),
    security: needsKey ? [{ bearer: [] }, { basic: [] }] : [],
    responses: {
      200: { description: "The answer.", content },
      ...problemResponses(
        needsKey
          ? [
              "key_missing",
              "key_invalid",
              "key_expired",
              "scope_missing",
              "key_limited",
              "rate_limited",
              "internal_error",
              "not_ready",
            ]
          : ["rate_limited", "internal_error"],
      ),
      ...(route.unready === undefined ? {} : { 503: { description: route.unready, content } }),
    },
  };
  documentOperation(api, operation, { gives: ["Cache-Control"] });
}
