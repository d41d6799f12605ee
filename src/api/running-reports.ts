import { SECOND } from "../core/duration.ts";
import type { Caller } from "./caller.ts";
import { problem } from "./problem.ts";

interface Waiting {
  keyId: string;
  begin: () => void;
}

export interface ReportPlaces {
  /** Reports at the same time: each holds a connection and a core of the database. One key has half of them at most. */
  max: number;
  /** Most reports take less than a second, so whoever comes too early waits for so long and is not sent away. */
  waitMs?: number;
}

/** Resolves when a report may begin; call what it resolves to when the report has ended. */
export type TakePlace = (caller: Pick<Caller, "keyId">, signal: AbortSignal) => Promise<() => void>;

export function limitReports({ max, waitMs = 20 * SECOND }: ReportPlaces): TakePlace {
  const ownMax = Math.max(1, Math.floor(max / 2));
  const running: string[] = [];
  const waiting: Waiting[] = [];

  function hasPlace(keyId: string): boolean {
    return running.length < max && running.filter((id) => id === keyId).length < ownMax;
  }

  function begin(keyId: string): () => void {
    running.push(keyId);
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      running.splice(running.indexOf(keyId), 1);
      waiting.find((next) => hasPlace(next.keyId))?.begin();
    };
  }

  return ({ keyId }, signal) => {
    if (hasPlace(keyId)) return Promise.resolve(begin(keyId));
    return new Promise((resolve, reject) => {
      const own: Waiting = { keyId, begin: () => leave(() => resolve(begin(keyId))) };
      const timer = setTimeout(() => leave(() => reject(busy())), waitMs);
      const onLeft = () => leave(() => reject(signal.reason as Error));
      function leave(how: () => void): void {
        clearTimeout(timer);
        signal.removeEventListener("abort", onLeft);
        waiting.splice(waiting.indexOf(own), 1);
        how();
      }
      signal.addEventListener("abort", onLeft, { once: true });
      waiting.push(own);
    });
  };
}

function busy(): Error {
  return problem("rate_limited", "Many reports are being made already. Try again in a moment.", {
    headers: { "Retry-After": "5" },
  });
}
