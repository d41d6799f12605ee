import { SECOND } from "../core/duration.ts";

/** So many requests in so many seconds. */
interface RatePolicy {
  quota: number;
  windowSeconds: number;
}

export interface RatePolicies {
  default: RatePolicy;
  /** Machines that copy the records page by page. */
  mirror: RatePolicy;
  /** Requests of one address whose key was refused. */
  refused: RatePolicy;
  /** Pages, their files and forms, asked for by an address without a session. */
  visitor: RatePolicy;
  /** Files by signed links: counted apart, so that nothing else that a stranger asks for uses this up. */
  download: RatePolicy;
  /** Machines that watch the service. */
  probe: RatePolicy;
}

const ratePolicies: RatePolicies = {
  default: { quota: 100, windowSeconds: 60 },
  mirror: { quota: 60_000, windowSeconds: 60 },
  refused: { quota: 20, windowSeconds: 60 },
  visitor: { quota: 300, windowSeconds: 60 },
  download: { quota: 100, windowSeconds: 60 },
  probe: { quota: 600, windowSeconds: 60 },
};

export interface RateState extends RatePolicy {
  policy: keyof RatePolicies;
  remaining: number;
  resetSeconds: number;
  allowed: boolean;
}

export interface RateLimits {
  /** Counts one request of a subject: a key, or an address. */
  take(policy: keyof RatePolicies, subject: string): RateState;
}

const subjectsMax = 50_000;

/** Counted in this process alone: with n processes behind a balancer a key has n budgets. */
export function createRateLimits(now: () => number, given: Partial<RatePolicies> = {}): RateLimits {
  const policies = { ...ratePolicies, ...given };
  const windows = new Map<string, { endsMs: number; used: number }>();
  return {
    take(policy, subject) {
      const { quota, windowSeconds } = policies[policy];
      const nowMs = now();
      const key = `${policy} ${subject}`;
      let window = windows.get(key);
      if (window === undefined || window.endsMs <= nowMs) {
        if (windows.size >= subjectsMax) forgetEnded(windows, nowMs);
        window = { endsMs: nowMs + windowSeconds * SECOND, used: 0 };
        windows.set(key, window);
      }
      window.used++;
      return {
        policy,
        quota,
        windowSeconds,
        remaining: Math.max(0, quota - window.used),
        resetSeconds: Math.max(1, Math.ceil((window.endsMs - nowMs) / SECOND)),
        allowed: window.used <= quota,
      };
    },
  };
}

export function rateHeaders(state: RateState): Record<string, string> {
  return {
    "RateLimit-Policy": `"${state.policy}";q=${state.quota};w=${state.windowSeconds}`,
    RateLimit: `"${state.policy}";r=${state.remaining};t=${state.resetSeconds}`,
  };
}

/** When that is not enough, all of them: a flood of addresses must not become a flood of memory. */
function forgetEnded(windows: Map<string, { endsMs: number }>, nowMs: number): void {
  for (const [key, { endsMs }] of windows) if (endsMs <= nowMs) windows.delete(key);
  if (windows.size >= subjectsMax) windows.clear();
}
