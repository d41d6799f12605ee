import { setTimeout as sleep } from "node:timers/promises";
import { SECOND } from "../../core/duration.ts";

interface Begun<T> {
  result: Promise<T>;
  stop: AbortController;
}

/** Work that a screen has begun and its second request fetches. */
export interface BegunWork<T> {
  /** `null`: it goes on, and is to be asked for again under the same key within a moment. */
  await(wanted: Wanted<T>): Promise<T | null>;
}

interface Wanted<T> {
  key: string;
  /** Aborted when nobody waits any more. */
  gone: AbortSignal;
  /** Left out: until it is done. */
  waitMs?: number | undefined;
  begin: (signal: AbortSignal) => Promise<T>;
}

/** As long as a browser takes to show a screen and to ask for what is missing on it. */
const fetchedWithinMs = 3 * SECOND;

/** Work goes on while someone waits for it; otherwise it is ended. */
export function createBegunWork<T>(): BegunWork<T> {
  const left = new Map<string, Begun<T>>();

  function take(key: string): Begun<T> | undefined {
    const begun = left.get(key);
    left.delete(key);
    return begun;
  }

  function leave(key: string, begun: Begun<T>): void {
    left.get(key)?.stop.abort(new Error("the same was begun again"));
    left.set(key, begun);
    const timer = setTimeout(() => {
      if (left.get(key) !== begun) return;
      left.delete(key);
      begun.stop.abort(new Error("nobody came for it"));
    }, fetchedWithinMs);
    timer.unref();
  }

  return {
    async await({ key, gone, waitMs, begin }) {
      const begun = take(key) ?? start(begin);
      const stop = () => begun.stop.abort(gone.reason);
      if (gone.aborted) stop();
      gone.addEventListener("abort", stop, { once: true });
      try {
        if (waitMs === undefined) return await begun.result;
        const done = begun.result.then((result) => ({ result }));
        const known = await Promise.race([done, sleep(waitMs, null, { ref: false })]);
        if (known === null) leave(key, begun);
        return known?.result ?? null;
      } finally {
        gone.removeEventListener("abort", stop);
      }
    },
  };
}

function start<T>(begin: (signal: AbortSignal) => Promise<T>): Begun<T> {
  const stop = new AbortController();
  const result = begin(stop.signal);
  // Those who await it see the failure; between two requests nobody does.
  result.catch(() => undefined);
  return { result, stop };
}
