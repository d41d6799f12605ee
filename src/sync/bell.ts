import type { SyncDeps } from "./deps.ts";

/** Something to wait at: until it rings, or a while has passed. Rung while nobody waits, it ends the next wait at once. */
export interface Bell {
  ring(): void;
  waitFor(ms: number, signal: AbortSignal): Promise<void>;
}

export function createBell(sleep: SyncDeps["sleep"]): Bell {
  let rung = new AbortController();
  return {
    ring: () => rung.abort(),
    waitFor: async (ms, signal) => {
      // Sleeping ends early in one of two ways, depending on who made `sleep`; neither is an error here.
      if (!rung.signal.aborted)
        await sleep(ms, AbortSignal.any([signal, rung.signal])).catch(() => undefined);
      rung = new AbortController();
    },
  };
}
