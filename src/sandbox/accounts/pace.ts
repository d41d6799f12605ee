import { createRateLimit } from "../transactions/rate-limit.ts";
import type { Account } from "./account.ts";

/** How many requests each account has left in this second, over all endpoints together. */
export interface Pace {
  /** 0 when the request may pass; otherwise how long until the next one may. */
  waitMs(account: Account | null, nowMs: number): number;
}

export function createPace(): Pace {
  const limits = new Map<Account, ReturnType<typeof createRateLimit>>();
  return {
    waitMs(account, nowMs) {
      if (account === null || account.requestsPerSecond === 0) return 0;
      let limit = limits.get(account);
      if (!limit) limits.set(account, (limit = createRateLimit()));
      return limit.waitMs(account.requestsPerSecond, nowMs);
    },
  };
}
