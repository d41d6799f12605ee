import { UpstreamError } from "./errors.ts";

export interface RetryDeps {
  /** Between 0 and 1. */
  readonly random: () => number;
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>;
}

/** One first try and three more: about two seconds of trouble are bridged, and a longer outage is the caller's. */
export const attemptsMaxDefault = 4;
const backoffMs = 250;
const backoffMsMax = 10_000;
/** A longer wait is not sat out inside a call: the error tells the caller when to come back. */
const waitMsMax = 30_000;

/** Repeats while the error says that this is safe and may help. */
export async function withRetries<T>(
  deps: RetryDeps,
  options: { attemptsMax: number; signal?: AbortSignal | undefined },
  attempt: () => Promise<T>,
): Promise<T> {
  for (let attempts = 1; ; attempts++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof UpstreamError) || !error.retry || attempts >= options.attemptsMax) throw error;
      const waitMs = (error.retryAfterMs ?? 0) + fullJitterMs(deps.random, attempts);
      if (waitMs > waitMsMax) throw error;
      await sleepUnlessAborted(deps, waitMs, options.signal);
      if (options.signal?.aborted) throw givenUp(error);
    }
  }
}

async function sleepUnlessAborted(deps: RetryDeps, waitMs: number, signal?: AbortSignal): Promise<void> {
  try {
    await deps.sleep(waitMs, signal);
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}

function givenUp(cause: UpstreamError): UpstreamError {
  return new UpstreamError("aborted", "given up by the caller", { endpoint: cause.endpoint, cause });
}

/** Anything from nothing to the doubled backoff, so that clients which failed together do not return together. */
function fullJitterMs(random: () => number, attempts: number): number {
  return Math.floor(random() * Math.min(backoffMsMax, backoffMs * 2 ** (attempts - 1)));
}
