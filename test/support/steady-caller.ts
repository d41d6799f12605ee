import { setTimeout as sleep } from "node:timers/promises";
import { waitFor } from "./wait-for.ts";

export interface BadAnswer {
  readonly path: string;
  /** Or what the connection died of. */
  readonly status: number | string;
  readonly retryAfter: string | null;
  readonly atMs: number;
}

/** Asks the same things all the time, and keeps every answer that was not a good one. */
export interface SteadyCaller {
  /** Waits until it has been given a bad answer. */
  untilRefused(): Promise<void>;
  /** Waits until it has been answered well several times in a row; returns the bad answers since it was last asked. */
  untilWell(): Promise<BadAnswer[]>;
  stop(): Promise<void>;
}

const wellMin = 8;

/** One key may not ask this often; several take turns. */
export function startSteadyCaller(
  url: string,
  keys: readonly string[],
  paths: readonly string[],
): SteadyCaller {
  let bad: BadAnswer[] = [];
  let wellInARow = 0;
  const stopping = new AbortController();
  const ask = async (path: string, key: string) => {
    try {
      const answer = await fetch(url + path, { headers: { authorization: `Bearer ${key}` } });
      await answer.text();
      return { status: answer.status, retryAfter: answer.headers.get("retry-after") };
    } catch (error) {
      const { cause } = error as { cause?: { code?: string } };
      return { status: cause?.code ?? String(error), retryAfter: null };
    }
  };
  const asking = (async () => {
    for (let count = 0; !stopping.signal.aborted; count++) {
      const path = paths[count % paths.length] ?? "";
      const answer = await ask(path, keys[count % keys.length] ?? "");
      if (answer.status === 200) wellInARow++;
      else {
        wellInARow = 0;
        bad.push({ path, ...answer, atMs: Date.now() });
      }
      await sleep(100);
    }
  })();
  return {
    untilRefused: async () => {
      const before = bad.length;
      await waitFor(`${url} refuses`, () => bad.length > before, { timeoutMs: 120_000 });
    },
    untilWell: async () => {
      wellInARow = 0;
      await waitFor(`${url} answers well again`, () => wellInARow >= wellMin, { timeoutMs: 120_000 });
      const seen = bad;
      bad = [];
      return seen;
    },
    stop: async () => {
      stopping.abort();
      await asking;
    },
  };
}
