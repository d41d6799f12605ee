/** One request as it goes over the wire, and what came back. How it travels is chosen at the edge: undici, or fetch. */
export interface ExchangeRequest {
  readonly method: "GET" | "POST" | "PUT";
  readonly origin: string;
  /** With its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | null;
  readonly signal: AbortSignal;
}

export interface Exchanged {
  readonly status: number;
  readonly header: (name: string) => string | null;
  readonly bytes: Uint8Array;
}

/** Follows no redirect: the secret would travel with it. Throws when there is no whole answer. */
export type Exchange = (request: ExchangeRequest) => Promise<Exchanged>;

export interface Limits {
  readonly connectTimeoutMs: number;
  readonly headersTimeoutMs: number;
  /** Between two pieces of a body. */
  readonly bodyTimeoutMs: number;
  /** For one attempt as a whole: a body that drips keeps every other timeout happy. */
  readonly deadlineMs: number;
  readonly bodyBytesMax: number;
  readonly connectionsMax: number;
}

export const limitsDefault: Limits = {
  connectTimeoutMs: 5_000,
  headersTimeoutMs: 15_000,
  bodyTimeoutMs: 30_000,
  deadlineMs: 60_000,
  // A page of 50 records is about 25 KB.
  bodyBytesMax: 10_000_000,
  connectionsMax: 16,
};

export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299;
}
