import type { MiddlewareHandler } from "hono";
import type { ReadClient } from "./client.ts";
import type { ApiDeps, ApiEnv } from "./deps.ts";
import { matchedRoute } from "./matched-route.ts";
import { rateHeaders } from "./rate-limit.ts";

/**
 * Gives every request its id, and every answer the headers that belong to all of them; logs it and measures it. The id is
 * ours: it is in the audit log, and a client must not be able to use the id of another request. What the
 * client calls the request is given back and logged beside it.
 */
export function observe(deps: ApiDeps, readClient: ReadClient): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const begun = deps.now();
    const inside = c.env?.inside;
    const requestId = inside?.requestId ?? deps.newRequestId();
    const client = inside?.client ?? readClient(c);
    c.set("requestId", requestId);
    c.set("client", client);
    await next();
    // Not by `c.header`: once there is an answer, that makes a copy of it, and of its body a stream.
    const { headers } = c.res;
    headers.set("Request-Id", requestId);
    const given = c.req.header("request-id") ?? "";
    const theirs = /^[A-Za-z0-9_-]{1,64}$/.test(given) ? { client_request_id: given } : {};
    if (theirs.client_request_id !== undefined) headers.set("Client-Request-Id", theirs.client_request_id);
    headers.set("Content-Security-Policy", c.get("contentSecurityPolicy") ?? strictPolicy);
    const rate = c.get("rate");
    if (rate !== undefined)
      for (const [name, value] of Object.entries(rateHeaders(rate))) headers.set(name, value);
    const route = matchedRoute(c) ?? "unknown";
    const durationMs = deps.now() - begun;
    const labels = { method: c.req.method, route, status: c.res.status };
    deps.metrics.observeRequest(labels, durationMs / 1_000);
    if (route.endsWith("z")) return;
    const caller = c.get("caller");
    deps.log.info({
      event: "request",
      request_id: requestId,
      ...theirs,
      ...labels,
      duration_ms: durationMs,
      address: client.address,
      ...(caller === undefined ? {} : { actor: caller.actor }),
      ...(inside === undefined ? {} : { from_page: true }),
    });
  };
}

const strictPolicy = "default-src 'none'; frame-ancestors 'none'";
