/** What `tieout/client` exports: the client of the aggregator for programs on Node. docs/client.md shows it. */
import { createUpstream, type UpstreamOptions } from "./client.ts";
import { edge } from "./edge.ts";
import type { CallOptions, HttpDeps } from "./http.ts";
import { type TransactionFilter, walkPages } from "./walk-pages.ts";

export type ClientOptions = Omit<UpstreamOptions, keyof HttpDeps> & Partial<HttpDeps>;
export type Client = ReturnType<typeof createClient>;

export function createClient(options: ClientOptions) {
  const upstream = createUpstream({ ...edge, ...options });
  return {
    ...upstream,
    /** Every record that the filter selects, page after page. */
    readTransactions: (filter?: TransactionFilter, call?: CallOptions) =>
      walkPages((asked, more) => upstream.fetchPage(asked, more), filter, call),
  };
}

export { type Decimal, decimal } from "../core/decimal.ts";
export type { TransactionRecord } from "../core/transaction.ts";
export type { Checkout, CheckoutRequest } from "./checkout.ts";
export type { Rate } from "./earlier.ts";
export { type Problem, UpstreamError, type UpstreamErrorCode } from "./errors.ts";
export type { CallOptions } from "./http.ts";
export type { RecordOutcome } from "./normalise.ts";
export type { Quotes } from "./quotes.ts";
export type { FlowEnd, StepHandlers } from "./run-steps.ts";
export type { Step } from "./steps.ts";
export type { TransactionFilter } from "./walk-pages.ts";
