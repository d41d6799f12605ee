import type { SandboxDeps } from "../context.ts";
import { RefusedError } from "../refusal.ts";
import { looksLikeAddress } from "../world/address-form.ts";
import type { OfferToken } from "./step-token.ts";

/** Checks the first form, field by field: the refusal names the key of the body that caused it. */
export function readCustomer(
  deps: SandboxDeps,
  offer: OfferToken,
  body: unknown,
): { email: string; address: string } {
  // `field` must be a key of the form: of a body that is none, all of them are missing, and this is the first.
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw wrong("email", "Expected a JSON object with the fields of the step; this one is missing.");
  }
  const fields = new Map<string, unknown>(Object.entries(body));
  const email = readText(fields, "email");
  if (!/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(email)) throw wrong("email", "That is not an e-mail address.");
  const address = readText(fields, "cryptocurrencyAddress");
  const network = deps.world.networkById.get(deps.world.assetById.get(offer.asset)?.network ?? "");
  if (network && !looksLikeAddress(network, address)) {
    throw wrong("cryptocurrencyAddress", `That is not an address on ${network.displayName}.`);
  }
  return { email, address };
}

function readText(fields: ReadonlyMap<string, unknown>, name: string): string {
  const value = fields.get(name);
  if (value === undefined || value === "") throw wrong(name, "This field is required.");
  if (typeof value !== "string") throw wrong(name, "Expected a text.");
  if (value.length > 200) throw wrong(name, "Expected at most 200 characters.");
  return value;
}

function wrong(field: string, message: string): RefusedError {
  return new RefusedError("INVALID_PARAMETER", message, field);
}
