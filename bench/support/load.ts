import { setTimeout as sleep } from "node:timers/promises";
import { Pool } from "undici";

export interface Load {
  perSecond: number;
  p50Ms: number;
  p99Ms: number;
}

/** What to ask after this answer. The body is not parsed: the client must stay the quicker one. */
export type NextPath = (body: string, first: string) => string;

/** As many requests as the server answers, over so many connections. */
export async function asManyAsItTakes(
  origin: string,
  options: {
    headers: Record<string, string>;
    paths: readonly string[];
    next: NextPath;
    seconds: number;
  },
): Promise<Load> {
  const pool = new Pool(origin, { connections: options.paths.length });
  const tookMs: number[] = [];
  const begun = performance.now();
  const endsAt = begun + options.seconds * 1_000;
  await Promise.all(
    options.paths.map(async (first) => {
      let path = first;
      while (performance.now() < endsAt)
        path = options.next(await ask(pool, path, options.headers, tookMs), first);
    }),
  );
  const elapsedS = (performance.now() - begun) / 1_000;
  await pool.close();
  return { perSecond: tookMs.length / elapsedS, ...percentiles(tookMs) };
}

/** A fixed number of requests each second, whether or not earlier ones were answered: waiting counts as well. */
export async function atFixedRate(
  origin: string,
  options: {
    headers: Record<string, string>;
    path: (number: number) => string;
    perSecond: number;
    seconds: number;
  },
): Promise<Load> {
  const pool = new Pool(origin, { connections: 16 });
  const tookMs: number[] = [];
  const begun = performance.now();
  const count = options.perSecond * options.seconds;
  const asked: Promise<unknown>[] = [];
  for (let number = 0; number < count; number++) {
    const dueAt = begun + (number * 1_000) / options.perSecond;
    const early = dueAt - performance.now();
    if (early > 1) await sleep(early);
    asked.push(ask(pool, options.path(number), options.headers, tookMs, dueAt));
  }
  await Promise.all(asked);
  await pool.close();
  return { perSecond: count / options.seconds, ...percentiles(tookMs) };
}

async function ask(
  pool: Pool,
  path: string,
  headers: Record<string, string>,
  tookMs: number[],
  since = performance.now(),
): Promise<string> {
  const { statusCode, body } = await pool.request({ method: "GET", path, headers });
  const text = await body.text();
  if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${text.slice(0, 200)}`);
  tookMs.push(performance.now() - since);
  return text;
}

function percentiles(tookMs: readonly number[]): { p50Ms: number; p99Ms: number } {
  const sorted = tookMs.toSorted((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0;
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}
