import { MINUTE, SECOND } from "../core/duration.ts";
import type { ApiContext, ApiEnv } from "./deps.ts";
import { problem, ProblemError } from "./problem.ts";

/** Longer than any genuine file takes. */
const workMsMax = 5 * MINUTE;

/** Does long work while the client waits; the signal fires when it has left, or when the work has taken too long. */
export async function whileWaited<T>(
  c: ApiContext,
  work: (signal: AbortSignal) => Promise<T>,
  { timeoutMs = workMsMax, advice = "Split the file." }: { timeoutMs?: number; advice?: string } = {},
): Promise<T> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(tookTooLong(timeoutMs, advice)), timeoutMs);
  try {
    return await work(AbortSignal.any([untilGone(c), late.signal]));
  } finally {
    clearTimeout(timer);
  }
}

/** Raised when the caller has left, even before the first byte. */
export function untilGone(c: ApiContext): AbortSignal {
  const { outgoing }: Partial<ApiEnv["Bindings"]> = c.env ?? {};
  const gone = new AbortController();
  const onLeave = () => gone.abort(clientLeft());
  if (outgoing?.destroyed) onLeave();
  outgoing?.once("close", onLeave);
  return gone.signal;
}

/** Not read by the client, which has left; it tells the log why. */
function clientLeft(): ProblemError {
  const status = 499 as ProblemError["problem"]["status"];
  return new ProblemError({
    status,
    code: "client_left",
    title: "Client left",
    detail: "The client disconnected.",
  });
}

function tookTooLong(timeoutMs: number, advice: string): ProblemError {
  const limit = timeoutMs < MINUTE ? `${timeoutMs / SECOND} seconds` : `${timeoutMs / MINUTE} minutes`;
  return problem("query_too_slow", `It took longer than ${limit}, and nothing was written. ${advice}`);
}
