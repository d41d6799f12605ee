import type { Scope } from "../core/scopes.ts";

/** Who may use a route. */
export interface Access {
  /** All of them are needed; none: everybody, without a key. */
  scopes: readonly Scope[];
  /** Concerns the service as a whole: not for keys that are limited to accounts. */
  wholeService?: boolean;
  /** How the key is sent: as a bearer, or in the aggregator's two headers. */
  credentials?: "bearer" | "aggregator";
  /** Which budget a request is counted against; probes are not counted. */
  policy?: "default" | "mirror" | "none";
}

export const everybody: Access = { scopes: [] };
/** Asked every few seconds by machines that watch the service, and cheap. */
export const probes: Access = { scopes: [], policy: "none" };

export function needs(...scopes: [Scope, ...Scope[]]): Access {
  return { scopes };
}

/** A route that serves GET serves HEAD as well. */
export function routeKey(method: string, path: string): string {
  return `${method === "HEAD" ? "GET" : method} ${path}`;
}
