import { setTimeout as sleep } from "node:timers/promises";
import { MINUTE, SECOND } from "../core/duration.ts";

/** Figures that may take long to add up, and what they were when they were last. */
export interface KeptFigures {
  /** `null`: they are still being added up, for the first time or since long ago. */
  get<T>(key: string, find: () => Promise<T>, options?: Patience): Promise<T | null>;
  /** What has just been changed is added up again for the next request. */
  forget(key: string): void;
}

interface Patience {
  waitMs?: number;
  /** Where a decision is taken by them, older ones are not shown while they are added up again. */
  freshOnly?: boolean;
  /** For sums over all of history: they run one at a time, so that other screens keep most of the database. */
  inLine?: boolean;
}

/** A screen is sent after this long at the latest; what takes more follows. */
export const shortWaitMs = 70;
/** For a request that only fetches what was missing. */
export const longWaitMs = 10 * SECOND;

interface Entry {
  value: unknown;
  foundAtMs: number | null;
  /** How long they are taken for today's. */
  freshMs: number;
  running: Promise<void> | null;
}

const freshMs = 15 * SECOND;
/** What takes long is not added up again so soon: nine tenths of the time the database has for others. */
const restShare = 10;
/** Older than this they say nothing about today. */
const keptMs = 15 * MINUTE;
const entriesMax = 1_000;

/** A page is never held up by a sum over all of history: it shows what is known, and the sum goes on beside it. */
export function createKeptFigures(deps: {
  now: () => number;
  log: { error(fields: object): void };
}): KeptFigures {
  const held = new Map<string, Entry>();
  let line: Promise<unknown> = Promise.resolve();

  function standInLine(work: () => Promise<void>): Promise<void> {
    const done = line.then(work);
    line = done;
    return done;
  }

  /** Never rejects: what could not be found is logged, and tried again for the next request. */
  async function find(entry: Entry, key: string, work: () => Promise<unknown>): Promise<void> {
    const begunAtMs = deps.now();
    try {
      entry.value = await work();
      entry.foundAtMs = deps.now();
      entry.freshMs = Math.min(keptMs, Math.max(freshMs, (entry.foundAtMs - begunAtMs) * restShare));
    } catch (error) {
      deps.log.error({ event: "figures_not_found", figures: key, err: error });
    } finally {
      entry.running = null;
    }
  }

  return {
    forget(key) {
      held.delete(key);
    },

    async get<T>(
      key: string,
      work: () => Promise<T>,
      { waitMs = shortWaitMs, freshOnly = false, inLine = false }: Patience = {},
    ): Promise<T | null> {
      if (held.size >= entriesMax) held.clear();
      const entry = held.get(key) ?? { value: null, foundAtMs: null, freshMs, running: null };
      held.set(key, entry);
      const ageMs = entry.foundAtMs === null ? Infinity : deps.now() - entry.foundAtMs;
      if (ageMs > entry.freshMs) {
        const begin = () => find(entry, key, work);
        entry.running ??= inLine ? standInLine(begin) : begin();
        await Promise.race([entry.running, sleep(waitMs, undefined, { ref: false })]);
      }
      const oldestMs = freshOnly ? entry.freshMs : keptMs;
      const isKnown = entry.foundAtMs !== null && deps.now() - entry.foundAtMs <= oldestMs;
      return isKnown ? (entry.value as T) : null;
    },
  };
}
