import { RefusedError } from "../refusal.ts";
import { hashBytes } from "../world/random.ts";
import type { Provider, World } from "../world/types.ts";
import { makeUlid, ulidTimeMs } from "../world/ulid.ts";
import type { QuoteWish } from "./offers.ts";

/**
 * A quote needs no storage: its id says when it was made, and prices are a function of time, so the checkout computes
 * the same offer again. The rest of the id is a digest of the question, so that an id fits no other order.
 */
export function makeQuoteId(world: World, provider: Provider, wish: QuoteWish): string {
  const question = [wish.side, provider.id, wish.fiat.id, wish.asset.id, wish.method.id, wish.amount].join(
    "|",
  );
  return makeUlid(wish.atMs, hashBytes(10, world.seed, "quote", question, wish.atMs)) + provider.id;
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

const quoteLifeMs = 5 * 60_000;

function refused(problem: string): RefusedError {
  return new RefusedError("QUOTE_INVALID", `metaData.quoteId: ${problem}`, "metaData.quoteId");
}
