import type { Scope } from "../core/scopes.ts";
import type { Needed } from "./decide.ts";

/** Who may use a route. */
export interface Access extends Needed {
  /** Needs no scope, but a key that is good. */
  anyKey?: boolean;
  /** How the key is sent: as a bearer, or in the aggregator's two headers. */
  credentials?: "bearer" | "aggregator";
  /** Of a page: what the session has to bring, which the page looks at itself. Left out: no session is needed. */
  session?: readonly Scope[];
  /** Which budget a request is counted against. */
  policy?: "default" | "mirror" | "download" | "probe" | "none";
}

export const everyone: Access = { scopes: [] };
/** Answered without looking anything up, so it costs less than counting it would be worth. */
export const uncounted: Access = { scopes: [], policy: "none" };
/** Asked every few seconds by machines that watch the service. */
export const probes: Access = { scopes: [], policy: "probe" };
/** A signed link needs no key. */
export const linkHolders: Access = { scopes: [], policy: "download" };

/** Open to everyone, without a key. */
export function isOpen({ scopes, anyKey }: Access): boolean {
  return scopes.length === 0 && anyKey !== true;
}

export function needs(...scopes: [Scope, ...Scope[]]): Access {
  return { scopes };
}

/** A route that serves GET serves HEAD as well. */
export function routeKey(method: string, path: string): string {
  return `${method === "HEAD" ? "GET" : method} ${path}`;
}
