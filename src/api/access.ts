import type { Scope } from "../core/scopes.ts";

/** Who may use a route. */
export interface Access {
  /** All of them are needed; none: everybody, without a key. */
  scopes: readonly Scope[];
  /** Concerns the service as a whole: not for keys that are limited to accounts. */
  wholeService?: boolean;
  /** How the key is sent: as a bearer, or in the aggregator's two headers. */
  credentials?: "bearer" | "aggregator";
  /** Of a page: what the session has to bring, which the page looks at itself. Left out: no session is needed. */
  session?: readonly Scope[];
  /** Which budget a request is counted against. */
  policy?: "default" | "mirror" | "download" | "probe" | "none";
}

export const everybody: Access = { scopes: [] };
/** Answered without looking anything up, so it costs less than counting it would be worth. */
export const uncounted: Access = { scopes: [], policy: "none" };
/** Asked every few seconds by machines that watch the service. */
export const probes: Access = { scopes: [], policy: "probe" };
/** Whoever has a signed link needs no key. */
export const linkHolders: Access = { scopes: [], policy: "download" };

export function needs(...scopes: [Scope, ...Scope[]]): Access {
  return { scopes };
}

/** A route that serves GET serves HEAD as well. */
export function routeKey(method: string, path: string): string {
  return `${method === "HEAD" ? "GET" : method} ${path}`;
}
