import { setTimeout as sleep } from "node:timers/promises";

/** Ends a wait, or the next one if nobody waits. */
export interface WakeUp {
  ring(): void;
  waitFor(ms: number): Promise<void>;
}

export function createWakeUp(): WakeUp {
  let rung = new AbortController();
  return {
    ring: () => rung.abort(),
    waitFor: async (ms) => {
      if (!rung.signal.aborted) await sleep(ms, undefined, { signal: rung.signal }).catch(() => undefined);
      rung = new AbortController();
    },
  };
}
