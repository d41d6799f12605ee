import { SECOND } from "../../core/duration.ts";
import type { Caller } from "../../access/caller.ts";
import { problem } from "../problem.ts";

interface Waiting {
  actor: string;
  begin: () => void;
}

export interface ReportPlaces {
  /** Reports at the same time: each holds a connection and a core of the database. One caller has half of them at most. */
  max: number;
  /** Most reports take less than a second, so a caller who comes too early waits for that long and is not sent away. */
  waitMs?: number;
}

/** Resolves when a report may begin; call what it resolves to when the report has ended. */
export type TakePlace = (caller: Pick<Caller, "actor">, signal: AbortSignal) => Promise<() => void>;

export function limitReports({ max, waitMs = 20 * SECOND }: ReportPlaces): TakePlace {
  const ownMax = Math.max(1, Math.floor(max / 2));
  const running: string[] = [];
  const waiting: Waiting[] = [];

  function hasPlace(actor: string): boolean {
    return running.length < max && running.filter((id) => id === actor).length < ownMax;
  }

  function begin(actor: string): () => void {
    running.push(actor);
    let ended = false;
    return () => {
      if (ended) return;
      ended = true;
      running.splice(running.indexOf(actor), 1);
      waiting.find((next) => hasPlace(next.actor))?.begin();
    };
  }

  return ({ actor }, signal) => {
    if (hasPlace(actor)) return Promise.resolve(begin(actor));
    return new Promise((resolve, reject) => {
      const own: Waiting = { actor, begin: () => leave(() => resolve(begin(actor))) };
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
  return problem("rate_limited", "Too many reports are being made. Try again in a moment.", {
    headers: { "Retry-After": "5" },
  });
}
