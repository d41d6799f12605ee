import { onTestFinished } from "vitest";
import { createUpstream, type Upstream, type UpstreamOptions } from "../../src/upstream/client.ts";
import { UpstreamError } from "../../src/upstream/errors.ts";
import { type ScriptedServer, startHttpServer } from "../support/http-server.ts";

/** Nothing of these may appear anywhere but in the headers meant for them. */
export const canaryKey = "pk_canary_4f1d9c";
export const canarySecret = "sk_canary_b7e20a";

export const fixedNow = Date.UTC(2026, 0, 15, 12, 0, 0);

export interface TestClient {
  readonly upstream: Upstream;
  /** How long it would have slept, in order. */
  readonly slept: readonly number[];
}

/** A client that does not sleep, always draws the middle, and is closed after the test. */
export function clientFor(url: string, options: Partial<UpstreamOptions> = {}): TestClient {
  const slept: number[] = [];
  const upstream = createUpstream({
    baseUrl: url,
    legacyBaseUrl: `${url}/legacy`,
    apiKey: canaryKey,
    apiSecret: canarySecret,
    now: () => fixedNow,
    random: () => 0.5,
    sleep: async (ms) => void slept.push(ms),
    ...options,
  });
  onTestFinished(() => upstream.close());
  return { upstream, slept };
}

/** A scripted server, closed after the test, and a client of it. */
export async function scripted(
  script: Parameters<typeof startHttpServer>[0],
  options: Partial<UpstreamOptions> = {},
): Promise<TestClient & { server: ScriptedServer }> {
  const server = await startHttpServer(script);
  const client = clientFor(server.url, options);
  onTestFinished(() => server.close());
  return { server, ...client };
}

/** The `UpstreamError` a call ends with; anything else is a failure of the test. */
export async function failure(call: Promise<unknown>): Promise<UpstreamError> {
  const outcome = await call.then(
    () => null,
    (error: unknown) => error,
  );
  if (outcome instanceof UpstreamError) return outcome;
  throw new Error(outcome === null ? "the call succeeded" : "not an UpstreamError", { cause: outcome });
}

export const emptyPage = { transactions: [], limit: 50 };
