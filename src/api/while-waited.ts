import { MINUTE, SECOND } from "../core/duration.ts";
import type { ApiContext, ApiEnv } from "./deps.ts";
import { problem, ProblemError } from "./problem.ts";

/** Longer than the largest file takes that is sent for what it holds, and not for the work that it makes. */
const workMsMax = 5 * MINUTE;

/** Does long work for as long as somebody waits for it; the signal says when they have left, or it has taken too long. */
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

/** Raised when the caller has left, be it before the first byte. */
export function untilGone(c: ApiContext): AbortSignal {
  const { outgoing }: Partial<ApiEnv["Bindings"]> = c.env ?? {};
  const gone = new AbortController();
  const onLeave = () => gone.abort(clientLeft());
  if (outgoing?.destroyed) onLeave();
  outgoing?.once("close", onLeave);
  return gone.signal;
}

/** Nobody reads this answer; it says in the log why there was none. */
function clientLeft(): ProblemError {
  const status = 499 as ProblemError["problem"]["status"];
  return new ProblemError({
    status,
    code: "client_left",
    title: "Client left",
    detail: "Nobody waits for it.",
  });
}

function tookTooLong(timeoutMs: number, advice: string): ProblemError {
  const limit = timeoutMs < MINUTE ? `${timeoutMs / SECOND} seconds` : `${timeoutMs / MINUTE} minutes`;
  return problem("query_too_slow", `It took longer than ${limit}, and nothing was written. ${advice}`);
}
