import { DAY, HOUR, MINUTE, SECOND } from "../../src/core/duration.ts";
import type { SyncSettings } from "../../src/sync/deps.ts";
import { type Chance, createChance } from "./chance.ts";
import { createHistory, type Row } from "./history.ts";

/** A small world: aggregators with their history, workers with their fate. A pure function of its seed. */
export interface World {
  readonly seed: number;
  /** When the workers start, and when the trouble ends. */
  readonly startMs: number;
  readonly endMs: number;
  readonly settings: SyncSettings;
  readonly workers: number;
  readonly machines: Machines;
  readonly accounts: readonly AccountWorld[];
}

/** What happens to processes, connections and wake-ups. */
export interface Machines {
  /** Deaths and pauses at failpoints, and deaths in between, at most so many. */
  readonly deaths: number;
  readonly pauses: number;
  readonly statementMaxMs: number;
  readonly lostStatements: number;
  readonly lostWakeUps: number;
  /** Share of rounds in which everything is to be read again and compared, as it is every night. */
  readonly deepReads: number;
  /** Workers' own clocks are off by up to this much; nothing may depend on them. */
  readonly clockOffMaxMs: number;
  /** Rounds of planning begin on whole multiples of this. */
  readonly gridMs: number;
}

export interface AccountWorld {
  readonly name: string;
  /** Of the database's account: read from here on. */
  readonly syncStartMs: number;
  readonly requestLimit: number;
  readonly dialect: Dialect;
  readonly faults: Faults;
  /** How far the aggregator's clock is ahead of the database's. */
  readonly aheadMs: number;
  readonly rows: readonly Row[];
}

/** What the specification leaves open about a listing. */
export interface Dialect {
  readonly window: "status" | "creation";
  readonly startInclusive: boolean;
  readonly endInclusive: boolean;
  readonly order: "ascending" | "descending" | "scrambled" | "arrival";
  readonly rows: "all" | "latest";
  readonly lastCursor: "absent" | "empty-page" | "echo";
  /** A place in the list as it is now, the row that was last, or a list that was made once. */
  readonly cursor: "offset" | "row" | "snapshot";
  readonly pageSize: number;
  readonly pages: "full" | "short" | "empty-between";
  /** Longer ranges are refused. */
  readonly rangeMaxMs: number | null;
  /** Older cursors are refused. */
  readonly cursorLifeMs: number | null;
}

/** Shares of requests that end badly, while there is trouble. */
export interface Faults {
  readonly rateLimited: number;
  readonly serverError: number;
  readonly timeout: number;
  readonly garbage: number;
  readonly connectionLost: number;
  readonly slow: number;
  readonly cursorLoop: number;
  readonly cursorRejected: number;
  readonly emptyPages: number;
  readonly duplicates: number;
  /** The key is refused between these times. */
  readonly refused: { readonly fromMs: number; readonly toMs: number } | null;
  readonly answerMaxMs: number;
}

export const noFaults: Faults = {
  rateLimited: 0,
  serverError: 0,
  timeout: 0,
  garbage: 0,
  connectionLost: 0,
  slow: 0,
  cursorLoop: 0,
  cursorRejected: 0,
  emptyPages: 0,
  duplicates: 0,
  refused: null,
  answerMaxMs: 50,
};

export function createWorld(seed: number): World {
  const chance = createChance(seed, "world");
  const startMs = Date.UTC(2026, 2, 1) + chance.whole(0, 60) * DAY + chance.whole(0, 23) * HOUR;
  const intervalMs = chance.pick([30 * SECOND, MINUTE, 2 * MINUTE]);
  const endMs = startMs + chance.whole(3, 8) * intervalMs;
  const gridMs = chance.pick([1, SECOND, 30 * SECOND]);
  const lagMs = chance.pick([0, 10 * SECOND, 30 * SECOND, 30 * SECOND]);
  const settings: SyncSettings = {
    lagMs,
    lookbackMs: chance.pick([10 * MINUTE, HOUR, 6 * HOUR, 2 * DAY]),
    intervalMs,
    requestsMax: chance.whole(1, 4),
    leaseMs: chance.pick([4, 8, 20]) * SECOND,
  };
  const times = { startMs, endMs, gridMs, lagMs };
  const count = chance.pick([1, 1, 2, 2, 3]);
  return {
    seed,
    startMs,
    endMs,
    settings,
    workers: chance.pick([1, 2, 2, 3]),
    machines: {
      deaths: chance.pick([0, 1, 3, 6]),
      pauses: chance.pick([0, 0, 2, 4]),
      statementMaxMs: gridMs === 1 ? chance.pick([0, 5, 40]) : 0,
      lostStatements: chance.pick([0, 0, 0, 0.01]),
      lostWakeUps: chance.pick([0, 0, 0.1, 0.5]),
      deepReads: chance.pick([0, 0, 0.2]),
      clockOffMaxMs: chance.pick([0, HOUR]),
      gridMs,
    },
    accounts: Array.from({ length: count }, (_, at) => createAccount(seed, at, times)),
  };
}

export interface WorldTimes {
  readonly startMs: number;
  readonly endMs: number;
  readonly gridMs: number;
  readonly lagMs: number;
}

function createAccount(seed: number, at: number, times: WorldTimes): AccountWorld {
  const chance = createChance(seed, "account", at);
  const backMs = chance.pick([20 * MINUTE, 2 * HOUR, 9 * HOUR, 2 * DAY]);
  const syncStartMs = times.startMs - backMs;
  // A clock that is behind is noticed from five seconds on; less has to fit into the lag.
  const offsets = [0, 0, 0, 3 * SECOND, 10 * MINUTE, HOUR];
  const behind = [-3 * SECOND, -40 * SECOND, -10 * MINUTE];
  const aheadMs = chance.pick(times.lagMs === 0 ? offsets : [...offsets, ...behind]);
  const rows = createHistory(createChance(seed, "history", at), { ...times, syncStartMs, aheadMs });
  return {
    name: `account ${at} of world ${seed}`,
    syncStartMs,
    requestLimit: chance.whole(1, 4),
    dialect: createDialect(chance, { backMs, rows: rows.length }),
    faults: createFaults(chance, times),
    aheadMs,
    rows,
  };
}

/** Everything is read several times: so many pages each time, and no more. */
const pagesMax = 30;

function createDialect(chance: Chance, { backMs, rows }: { backMs: number; rows: number }): Dialect {
  const pageSize = chance.pick([1, 2, 3, 5, 10, 50]);
  return {
    window: chance.pick(["status", "status", "creation"]),
    startInclusive: chance.happens(0.5),
    endInclusive: chance.happens(0.5),
    order: chance.pick(["ascending", "descending", "scrambled", "arrival"]),
    rows: chance.pick(["all", "all", "latest"]),
    lastCursor: chance.pick(["absent", "absent", "empty-page", "echo"]),
    cursor: chance.pick(["offset", "row", "snapshot"]),
    pageSize: rows > 100 ? 5 : Math.max(pageSize, Math.ceil(rows / pagesMax)),
    pages: chance.pick(["full", "full", "short", "empty-between"]),
    rangeMaxMs: chance.pick([null, null, null, Math.floor(backMs / 3)]),
    cursorLifeMs: chance.pick([null, null, null, null, 10 * SECOND]),
  };
}

/** Most worlds have a few kinds of trouble; with all at once, nothing would get far enough to go wrong. */
function createFaults(chance: Chance, { startMs, endMs }: WorldTimes): Faults {
  const some = (...shares: number[]) => (chance.happens(0.25) ? chance.pick(shares) : 0);
  const isRefused = chance.happens(0.1);
  const refusedMs = startMs + chance.share() * (endMs - startMs);
  return {
    rateLimited: some(0.05, 0.2),
    serverError: some(0.05, 0.3),
    timeout: some(0.05, 0.1),
    garbage: some(0.1),
    connectionLost: some(0.1),
    slow: some(0.05, 0.2),
    cursorLoop: some(0.05, 0.2),
    cursorRejected: some(0.02, 0.1),
    emptyPages: some(0.1, 0.6),
    duplicates: some(0.3),
    refused: isRefused ? { fromMs: refusedMs, toMs: refusedMs + chance.whole(1, 20) * MINUTE } : null,
    answerMaxMs: chance.pick([0, 200, 1_500]),
  };
}
