import type { MiddlewareHandler } from "hono";
import { type Access, isOpen, routeKey } from "../access/access.ts";
import { type Credentials, readCredentials } from "../access/credentials.ts";
import type { Caller } from "../access/caller.ts";
import { refusalOf } from "../access/decide.ts";
import type { Api, ApiContext, ApiEnv } from "./deps.ts";
import { matchedRoute } from "./matched-route.ts";
import { refusalProblem } from "./access-problem.ts";
import { problem, type ProblemError } from "./problem.ts";
import type { RateState } from "./rate-limit.ts";

/** Stands before every route: access is refused unless a route grants it. */
export function createGate(api: Api): MiddlewareHandler<ApiEnv> {
  return async (c, next) => {
    refuseOtherHost(api, c);
    const path = matchedRoute(c);
    if (path === null) {
      // There is no such path, and the answer says so.
      countVisitor(api, c, {});
      return next();
    }
    const access = api.access.get(routeKey(c.req.method, path));
    if (access === undefined) {
      throw problem(
        "scope_missing",
        `${path} names no scope, so it cannot be used. This is a fault of the service.`,
      );
    }
    if (isOpen(access)) countVisitor(api, c, access);
    else await admit(api, c, access);
    const actor = c.get("caller")?.actor;
    const mayWrite = actor !== undefined && c.req.method !== "GET" && c.req.method !== "HEAD";
    // Before, because what is written rests on what was read; and after, because that may be long.
    if (mayWrite) api.ownWrites.note(actor);
    await next();
    if (mayWrite) api.ownWrites.note(actor);
  };
}

function countVisitor(api: Api, c: ApiContext, { policy = "default" }: Pick<Access, "policy">): void {
  if (policy !== "none") spend(c, api.limits.take(policy, `address ${c.get("client").address}`));
}

async function admit(api: Api, c: ApiContext, access: Access): Promise<void> {
  const inside = c.env?.inside;
  const caller = inside?.caller ?? (await identify(api, c, access));
  c.set("caller", caller);
  const { policy = "default" } = access;
  // The page counts its own visitors.
  if (policy !== "none" && inside === undefined) spend(c, api.limits.take(policy, caller.actor));
  const refusal = refusalOf(caller, access);
  if (refusal !== null) throw refusalProblem(refusal, caller);
}

/** The page asks itself without naming a host, and a proxy that is trusted answers for the names that it lets through. */
function refuseOtherHost({ deps }: Api, c: ApiContext): void {
  const host = c.req.header("host");
  if (deps.isOurHost === undefined || host === undefined || c.get("client").proxied) return;
  if (deps.isOurHost(host)) return;
  throw problem(
    "host_unknown",
    "This service does not answer to the host name of the request. Its operator can set PUBLIC_URL to its address.",
  );
}

async function identify(api: Api, c: ApiContext, access: Access): Promise<Caller> {
  const credentials = readCredentials(access, {
    authorization: c.req.header("authorization"),
    serviceSecret: c.req.header("x-service-secret"),
  });
  if (credentials.kind !== "key") throw refuse(api, c, access, { reason: credentials.kind, key: "" });
  const { key } = credentials;
  const verdict = await api.keys.check(key);
  if (verdict.kind !== "good") throw refuse(api, c, access, { reason: verdict.kind, key });
  return verdict.caller;
}

type RefusalReason =
  | Exclude<Credentials["kind"], "key">
  | "malformed"
  | "unknown"
  | "revoked"
  | "expired"
  | "owner_suspended"
  | "unapproved";

/** Guessing keys is slowed down by address; good keys of the same address are not touched by it. */
function refuse(
  api: Api,
  c: ApiContext,
  access: Access,
  { reason, key }: { reason: RefusalReason; key: string },
): ProblemError {
  const state = api.limits.take("refused", `address ${c.get("client").address}`);
  if (!state.allowed) return tooMany(c, state);
  c.set("rate", state);
  // No key at all is a mistake rather than an attempt.
  if (reason !== "missing") api.refusals.note(c, { action: "key.refused", key, reason });
  const how =
    access.credentials === "aggregator"
      ? "Send the key itself in Authorization, and its secret part, or the whole key again, in x-service-secret."
      : "Send it as Authorization: Bearer tieout_…, or as the user name of Basic with an empty password.";
  const headers = { "WWW-Authenticate": 'Bearer realm="tieout"' };
  switch (reason) {
    case "missing":
      return problem("key_missing", `This needs an API key. ${how}`, { headers });
    case "expired":
      return problem("key_expired", "The key has expired. Create another with tieout keys create.", {
        headers,
      });
    case "unapproved":
      return problem("key_invalid", "The key waits for a second admin to approve it: see /approvals.", {
        headers,
      });
    case "secret_wrong":
      return problem("key_invalid", `x-service-secret does not belong to the key. ${how}`, { headers });
    case "malformed":
    case "unreadable":
      return problem("key_invalid", `This is not an API key, or it is mistyped. ${how}`, { headers });
    default:
      return problem("key_invalid", "The key is unknown or was revoked.", { headers });
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
