/** A token bucket that holds one second's worth of requests. */
export function createRateLimit(): { waitMs(perSecond: number, nowMs: number): number } {
  let tokens = Number.POSITIVE_INFINITY;
  let lastMs = 0;
  return {
    /** 0 when the request may pass; otherwise how long until the next one may. */
    waitMs(perSecond, nowMs) {
      if (perSecond === 0) return 0;
      tokens = Math.min(tokens + (Math.max(nowMs - lastMs, 0) / 1000) * perSecond, Math.max(perSecond, 1));
      lastMs = nowMs;
      if (tokens < 1) return ((1 - tokens) / perSecond) * 1000;
      tokens -= 1;
      return 0;
    },
  };
}
