import { z } from "@hono/zod-openapi";
import { resolveCountry, type SandboxContext, type SandboxDeps } from "../context.ts";
import { isIsoCountry } from "../world/iso-countries.ts";

/** An ISO code, or `all` for the union over all countries. */
export const anyCountryParameter = z
  .string()
  .refine(
    (text) => text.toLowerCase() === "all" || isIsoCountry(text.toUpperCase()),
    "expected a two-letter ISO 3166 code such as US or GB, or all",
  )
  .optional()
  .openapi({ type: "string", example: "US", description: "Left out: the country of the request's address" });

/** Where the customer is, and where the gateways must do business: nowhere in particular with `all`. */
export function readPlace(
  deps: SandboxDeps,
  c: SandboxContext,
  asked: string | undefined,
): { home: string; within: { country?: string } } {
  const all = asked?.toLowerCase() === "all";
  const home = resolveCountry(deps, c, all ? undefined : asked?.toUpperCase());
  return { home, within: all ? {} : { country: home } };
}
