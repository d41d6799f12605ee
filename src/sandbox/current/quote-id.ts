import { quoteLifeMs } from "../checkout/price.ts";
import { RefusedError } from "../refusal.ts";
import { hashBytes } from "../world/random.ts";
import type { Provider, World } from "../world/types.ts";
import { makeUlid, ulidTimeMs } from "../world/ulid.ts";
import type { QuoteWish } from "./offers.ts";

/**
 * A quote needs no storage: its id says when and for which country it was made, and prices are a function of time, so
 * the checkout computes the same offer again. The rest of the id is a digest of the question, so that an id fits no
 * other order.
 */
export function makeQuoteId(world: World, provider: Provider, wish: QuoteWish): string {
  const { side, fiat, asset, method, amount, country, atMs } = wish;
  const question = [side, provider.id, fiat.id, asset.id, method.id, amount, country].join("|");
  const digest = hashBytes(10, world.seed, "quote", question, atMs);
  return `${makeUlid(atMs, digest)}${provider.id}_${country.toLowerCase()}`;
}

/** The country the quote was made for; `null` when the text is not a quote's id. */
export function quotedCountry(quoteId: string): string | null {
  return /^[0-9A-Z]{26}[a-z]+_([a-z]{2})$/.exec(quoteId)?.[1]?.toUpperCase() ?? null;
}

/** The time at which the quote was made, if it is one for this very order and still young enough. */
export function readQuoteId(world: World, provider: Provider, wish: QuoteWish, quoteId: string): number {
  const atMs = ulidTimeMs(quoteId.slice(0, 26));
  if (atMs === null || makeQuoteId(world, provider, { ...wish, atMs }) !== quoteId) {
    throw refused("this is not the id of a quote for this order");
  }
  if (wish.atMs - atMs > quoteLifeMs) throw refused("the quote has expired; ask for a new one");
  return atMs;
}

function refused(problem: string): RefusedError {
  return new RefusedError("QUOTE_INVALID", `metaData.quoteId: ${problem}`, "metaData.quoteId");
}
