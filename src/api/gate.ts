import type { MiddlewareHandler } from "hono";
import { type Access, routeKey } from "./access.ts";
import { type Credentials, readCredentials } from "./credentials.ts";
import type { Caller } from "./caller.ts";
import type { Api, ApiContext, ApiEnv } from "./deps.ts";
import { matchedRoute } from "./matched-route.ts";
import { problem, type ProblemError } from "./problem.ts";
import type { RateState } from "./rate-limit.ts";

/** Stands before every route: what a route does not open stays shut. */
export function createGate(api: Api): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    const path = matchedRoute(c);
    // There is no such path, and the answer says so.
    if (path === null) return next();
    const access = api.access.get(routeKey(c.req.method, path));
    if (access === undefined) {
      throw problem(
        "scope_missing",
        `${path} names no scope, so nobody may use it. This is a fault of the service.`,
      );
    }
    if (access.scopes.length === 0) countVisitor(api, c, access);
    else await admit(api, c, access);
    return next();
  };
}

function countVisitor(api: Api, c: ApiContext, { policy = "default" }: Access): void {
  if (policy !== "none") spend(c, api.limits.take(policy, `address ${addressOf(c)}`));
}

async function admit(api: Api, c: ApiContext, access: Access): Promise<void> {
  const inside = c.env?.inside;
  const caller = inside ?? (await identify(api, c, access));
  const { policy = "default" } = access;
  // The page counts its own visitors.
  if (policy !== "none" && inside === undefined) spend(c, api.limits.take(policy, `key ${caller.keyId}`));
  const missing = access.scopes.filter((scope) => !caller.scopes.has(scope));
  if (missing.length > 0) {
    const detail = `This key lacks the scope ${missing.join(" and ")}. Use a key whose role has it, or make one with --scope.`;
    throw problem("scope_missing", detail, { scopes: missing });
  }
  if (access.wholeService === true && caller.accountIds !== null) {
    throw problem(
      "key_limited",
      "This concerns all accounts, and the key is limited to some. Use a key without a limit.",
    );
  }
  c.set("caller", caller);
}

async function identify(api: Api, c: ApiContext, access: Access): Promise<Caller> {
  const credentials = readCredentials(access, {
    authorization: c.req.header("authorization"),
    serviceSecret: c.req.header("x-service-secret"),
  });
  if (credentials.kind !== "key") throw refuse(api, c, access, credentials.kind);
  const verdict = await api.keys.check(credentials.key);
  if (verdict.kind !== "good") throw refuse(api, c, access, verdict.kind);
  return verdict.caller;
}

type RefusalReason = Exclude<Credentials["kind"], "key"> | "malformed" | "unknown" | "revoked" | "expired";

/** Whoever tries keys is slowed down by address; good keys of the same address are not touched by it. */
function refuse(api: Api, c: ApiContext, access: Access, reason: RefusalReason): ProblemError {
  const state = api.limits.take("refused", `address ${addressOf(c)}`);
  if (!state.allowed) return tooMany(c, state);
  const how =
    access.credentials === "aggregator"
      ? "Send the key itself in Authorization, and its secret part or the key once more in x-service-secret."
      : "Send it as Authorization: Bearer tieout_…, or as the user name of Basic with an empty password.";
  const headers = { "WWW-Authenticate": 'Bearer realm="tieout"' };
  switch (reason) {
    case "missing":
      return problem("key_missing", `This needs an API key. ${how}`, { headers });
    case "expired":
      return problem("key_expired", "The key has expired. Make another with tieout keys create.", {
        headers,
      });
    case "secret_wrong":
      return problem("key_invalid", `x-service-secret does not belong to the key. ${how}`, { headers });
    case "malformed":
    case "unreadable":
      return problem("key_invalid", `This is no API key, or it is mistyped. ${how}`, { headers });
    default:
      return problem("key_invalid", "The key is not known here, or was revoked.", { headers });
  }
}

function spend(c: ApiContext, state: RateState): void {
  if (!state.allowed) throw tooMany(c, state);
  c.set("rate", state);
}

function tooMany(c: ApiContext, state: RateState): ProblemError {
  c.set("rate", state);
  const { quota, windowSeconds, resetSeconds } = state;
  return problem(
    "rate_limited",
    `More than ${quota} requests in ${windowSeconds} s. Wait ${resetSeconds} s.`,
    {
      headers: { "Retry-After": String(resetSeconds) },
    },
  );
}

/** Of the socket, never of a header that anybody can write. */
function addressOf(c: ApiContext): string {
  return c.env?.incoming?.socket?.remoteAddress ?? "unknown";
}
