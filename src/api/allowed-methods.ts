import type { Hono } from "hono";

/** The methods for which some route would have matched this path: the difference between 404 and 405. */
export function allowedMethods(app: Pick<Hono, "routes">, path: string): string[] {
  const methods = new Set<string>();
  for (const route of app.routes) {
    if (route.method !== "ALL" && patternOf(route.path).test(path)) methods.add(route.method);
  }
  if (methods.has("GET")) methods.add("HEAD");
  return [...methods].toSorted();
}

/** `/v1/transactions/:id` and `/static/*`, as Hono writes them. */
function patternOf(routePath: string): RegExp {
  const source = routePath
    .split("/")
    .map((part) => {
      if (part === "*") return ".*";
      const named = /^:\w+(?:\{(.+)\})?(\?)?$/.exec(part);
      return named ? (named[1] ?? "[^/]+") : part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
    })
    .join("/");
  return new RegExp(`^${source}$`);
}
