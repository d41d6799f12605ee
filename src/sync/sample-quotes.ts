import { decimal } from "../core/decimal.ts";
import { MINUTE } from "../core/duration.ts";
import { slowDown } from "../store/accounts/account-pace.ts";
import {
  keepAsk,
  listWantedAsks,
  type QuoteAnswer,
  readAskBudgetMs,
  type WantedAsk,
} from "../store/quotes/quote-asks.ts";
import type { Upstream } from "../upstream/client.ts";
import { UpstreamError } from "../upstream/errors.ts";
import type { CallOptions } from "../upstream/http.ts";
import type { Quotes } from "../upstream/quotes.ts";
import type { SyncDeps } from "./deps.ts";
import { collectLeftOut } from "./left-out.ts";

/** An order is compared with quotes from a quarter of an hour around its start: asking that often meets every order. */
export const sampleIntervalMs = 15 * MINUTE;
/** However quick the answers: more than this at once would look like an attack. */
const asksMax = 40;
/** How long to stay away from a server that says "slower" and does not say for how long. */
const slowDownMs = MINUTE;

/** What concerns one pair alone does not stop the others; a server in trouble is left alone. */
const ofOnePair: ReadonlySet<string> = new Set(["bad_request", "not_found", "body_unexpected"]);

type QuoteSource = Pick<Upstream, "fetchBuyQuotes" | "fetchSellQuotes">;

/**
 * Asks for quotes for what the account really trades, one after the other, and keeps every answer. Asking takes no more
 * than `share` of the time that the account's requests may take together; the reading of transactions comes first.
 */
export async function sampleQuotes(
  deps: Pick<SyncDeps, "database" | "log">,
  account: { id: number; name: string; upstream: QuoteSource },
  { share, now, stopping }: { share: number; now: () => number; stopping: AbortSignal },
): Promise<{ asked: number; failed: number }> {
  const counts = { asked: 0, failed: 0 };
  const { onLeftOut, logTo } = collectLeftOut();
  // Less than the interval, so that a round that comes a little early still finds everything due.
  const notSinceMs = sampleIntervalMs / 2;
  const wanted = await listWantedAsks(deps.database, account.id, { notSinceMs, limit: asksMax });
  for (const ask of wanted) {
    const leftMs = await readAskBudgetMs(deps.database, account.id, { share, periodMs: sampleIntervalMs });
    if (stopping.aborted || leftMs === null || leftMs <= 0) break;
    const begun = now();
    try {
      const answers = await fetchAnswers(account.upstream, ask, { signal: stopping, onLeftOut });
      await keepAsk(deps.database, account.id, ask, { tookMs: now() - begun, error: null, answers });
      counts.asked += 1;
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      if (error.code === "aborted") break;
      await keepAsk(deps.database, account.id, ask, {
        tookMs: now() - begun,
        error: error.message,
        answers: [],
      });
      counts.failed += 1;
      if (error.code === "rate_limited" || error.code === "server_error") {
        await slowDown(deps.database, account.id, error.retryAfterMs ?? slowDownMs);
      }
      if (!ofOnePair.has(error.code)) break;
    }
  }
  logTo(deps.log, { event: "quotes_left_out", account: account.name });
  return counts;
}

async function fetchAnswers(
  upstream: QuoteSource,
  ask: WantedAsk,
  call: CallOptions,
): Promise<QuoteAnswer[]> {
  const isBuy = ask.transactionType === "buy";
  const asked = {
    fiat: isBuy ? ask.sourceCurrency : ask.targetCurrency,
    crypto: isBuy ? ask.targetCurrency : ask.sourceCurrency,
    amount: decimal(ask.amount),
    ...(ask.paymentMethod === null ? {} : { paymentMethod: ask.paymentMethod }),
    ...(ask.country === null ? {} : { country: ask.country }),
  };
  const found = await (isBuy ? upstream.fetchBuyQuotes(asked, call) : upstream.fetchSellQuotes(asked, call));
  return readAnswers(found);
}

/** It is kept with every quote, and shown in a cell. */
const refusalCharactersMax = 500;

function readAnswers({ quotes, refusals }: Quotes): QuoteAnswer[] {
  return [
    ...quotes.map(({ ramp, payout, rate, networkFee, transactionFee }) => ({
      provider: ramp,
      // A payout of nothing is not an offer.
      payout: /[1-9]/.test(payout) && !payout.startsWith("-") ? payout : null,
      rate,
      networkFee,
      transactionFee,
      refusal: /[1-9]/.test(payout) && !payout.startsWith("-") ? null : "quoted no payout",
    })),
    ...refusals.map(({ ramp, errors }) => ({
      provider: ramp,
      payout: null,
      rate: null,
      networkFee: null,
      transactionFee: null,
      refusal:
        errors
          .map(({ message, type }) => message ?? type ?? "no reason given")
          .join("; ")
          .slice(0, refusalCharactersMax) || "no reason given",
    })),
  ];
}
