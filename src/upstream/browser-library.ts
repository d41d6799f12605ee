/**
 * What `tieout/client/browser` exports: everything that needs no secret, over `fetch`. The secret reads all transactions
 * of the account and has no place in a page, so there is no way to give it one.
 */
import { edge } from "./edge.ts";
import { type Limits, limitsDefault } from "./exchange.ts";
import { createFetchExchange } from "./fetch-exchange.ts";
import type { HttpDeps } from "./http.ts";
import { publicEndpoints, type PublicOptions } from "./public-endpoints.ts";

export type BrowserClientOptions = Omit<PublicOptions, keyof HttpDeps> &
  Partial<HttpDeps> & {
    readonly limits?: Partial<Pick<Limits, "deadlineMs" | "bodyBytesMax">>;
    readonly fetch?: typeof globalThis.fetch;
  };
export type BrowserClient = ReturnType<typeof createBrowserClient>;

export function createBrowserClient(options: BrowserClientOptions) {
  const limits = { ...limitsDefault, ...options.limits };
  // A browser's `fetch` refuses to be called as a method of anything but its window.
  const ask = options.fetch ?? ((...args: Parameters<typeof fetch>) => fetch(...args));
  const transport = { exchange: createFetchExchange(ask, limits), limits, secrets: [] };
  return publicEndpoints({ ...edge, ...options }, transport).endpoints;
}

export { type Decimal, decimal } from "../core/decimal.ts";
export type { Checkout, CheckoutRequest } from "./checkout.ts";
export type { Rate } from "./earlier.ts";
export { type Problem, UpstreamError, type UpstreamErrorCode } from "./errors.ts";
export type { CallOptions } from "./http.ts";
export type { Quotes } from "./quotes.ts";
export type { FlowEnd, StepHandlers } from "./run-steps.ts";
export type { Step } from "./steps.ts";
export { nextStepMessage } from "./window-messages.ts";
