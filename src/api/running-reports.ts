import type { Caller } from "./caller.ts";
import { problem } from "./problem.ts";

/**
 * Each report holds a connection and a core of the database: there is room for so many, and one key may take half of it.
 * Call what it returns when a report begins, and what that returns when it has ended.
 */
export function limitReports(max: number): (caller: Pick<Caller, "keyId">) => () => void {
  const ownMax = Math.max(1, Math.floor(max / 2));
  const running: string[] = [];
  return ({ keyId }) => {
    const own = running.filter((id) => id === keyId).length;
    if (own >= ownMax) throw busy(`${own} reports are being made for this key already.`);
    if (running.length >= max) throw busy(`${max} reports are being made already.`);
    running.push(keyId);
    let ended = false;
    return () => {
      if (!ended) running.splice(running.indexOf(keyId), 1);
      ended = true;
    };
  };
}

function busy(what: string): Error {
  return problem("rate_limited", `${what} Try again in a moment.`, { headers: { "Retry-After": "5" } });
}
