import { matchedRoutes } from "hono/route";
import type { ApiContext } from "./deps.ts";

/** The path of the route that answers, as it was declared; `null` when nothing but middleware matched. */
export function matchedRoute(c: ApiContext): string | null {
  const last = matchedRoutes(c).at(-1);
  return last === undefined || last.method === "ALL" ? null : last.path;
}
