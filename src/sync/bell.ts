import type { SyncDeps } from "./deps.ts";

/** Wakes what waits for it, or lets the wait time out. If it rings while nothing waits, the next wait ends at once. */
export interface Bell {
  ring(): void;
  waitFor(ms: number, signal: AbortSignal): Promise<void>;
}

export function createBell(sleep: SyncDeps["sleep"]): Bell {
  let rung = new AbortController();
  return {
    ring: () => rung.abort(),
    waitFor: async (ms, signal) => {
      // An aborted sleep may resolve or reject, depending on who made `sleep`; neither is an error here.
      if (!rung.signal.aborted)
        await sleep(ms, AbortSignal.any([signal, rung.signal])).catch(() => undefined);
      rung = new AbortController();
    },
  };
}
