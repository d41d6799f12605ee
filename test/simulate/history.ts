import { createHash } from "node:crypto";
import { DAY, HOUR, MINUTE, SECOND } from "../../src/core/duration.ts";
import { formatInstant } from "../../src/core/instant.ts";
import { recordHash } from "../../src/core/record-hash.ts";
import type { TransactionRecord } from "../../src/core/transaction.ts";
import { normaliseRecord } from "../../src/upstream/normalise.ts";
import { aRecord } from "../support/model-aggregator.ts";
import type { Chance } from "./chance.ts";
import type { WorldTimes } from "./world.ts";

/** One record of an aggregator's history: what it says, and between which moments it is there to be read. */
export interface Row {
  readonly number: number;
  readonly transactionId: string;
  readonly raw: unknown;
  /** What has to be kept of it; `null` when it can only be set aside. */
  readonly record: TransactionRecord | null;
  /** How it is found in our tables: by transaction and hash, or by the hash of its text. */
  readonly identity: string;
  /** By the aggregator's clock. */
  readonly createdMs: number;
  readonly dateMs: number;
  /** By the database's clock, which is the simulation's. */
  readonly visibleFromMs: number;
  readonly visibleToMs: number;
  /** It was there as soon as the lag lets anyone count on it. */
  readonly isOnTime: boolean;
}

interface HistoryTimes extends WorldTimes {
  readonly syncStartMs: number;
  readonly aheadMs: number;
}

interface Draft {
  readonly transactionId: string;
  readonly createdMs: number;
  readonly dateMs: number;
  readonly raw: Record<string, unknown>;
  readonly tooLong?: boolean;
}

/** What may happen to the rows of a transaction, beside that it is completed. */
interface Habits {
  readonly lateShare: number;
  readonly editedShare: number;
  readonly vanishedShare: number;
  readonly malformedShare: number;
  /** Delays that the lag allows for: nothing is out of the ordinary with these. */
  readonly delayMaxMs: number;
}

/** Lags are kept with this much to spare: clocks are compared by headers that have whole seconds. */
const clockSlackMs = 6 * SECOND;

export function createHistory(chance: Chance, times: HistoryTimes): Row[] {
  const often = (share: number) => (chance.happens(0.4) ? share : 0);
  const habits: Habits = {
    lateShare: often(0.15),
    editedShare: often(0.1),
    vanishedShare: often(0.1),
    malformedShare: often(0.08),
    delayMaxMs: chance.happens(0.5) ? Math.max(0, times.lagMs - clockSlackMs) : 0,
  };
  const count = chance.pick([3, 6, 12, 20]);
  // A busy hour is longer than one window wants to be, and is split.
  const isBusy = chance.happens(0.05);
  const rows: Row[] = [];
  for (let at = 0; at < (isBusy ? 140 : count); at++) {
    const drafts = draftTransaction(chance, times, { at, isBusy });
    rows.push(...layOut(chance, times, habits, drafts));
  }
  return rows
    .filter(({ visibleFromMs }) => visibleFromMs < times.endMs)
    .map((row, number) => ({ ...row, number }));
}

/** The statuses of a transaction, as the aggregator will tell them. */
function draftTransaction(
  chance: Chance,
  times: HistoryTimes,
  { at, isBusy }: { at: number; isBusy: boolean },
): Draft[] {
  const transactionId = chance.happens(0.04)
    ? `${at},with a comma`
    : chance.happens(0.04)
      ? `Ünï ${at}`
      : `t${at}`;
  const createdMs = createdAt(chance, times, isBusy);
  const words = chance.pick(lifecycles);
  const drafts: Draft[] = [];
  let dateMs = createdMs;
  for (const [step, status] of words.entries()) {
    if (step > 0) dateMs += gapMs(chance, times.gridMs);
    const micros = times.gridMs === 1 && chance.happens(0.1) ? 0.5 : 0;
    const isTooLong = chance.happens(0.01);
    drafts.push({
      transactionId,
      createdMs,
      dateMs: dateMs + micros,
      raw: {
        ...aRecord({ transactionId, status, statusDate: instantText(dateMs, micros) }),
        inAmount: 10 + at,
        outAmount: `0.${String(at * 7 + step).padStart(18, "0")}`,
        ...(isTooLong ? { walletAddress: "w".repeat(700) } : {}),
        ...(chance.happens(0.1)
          ? { partnerContext: { order: `${at}-${step}` }, somethingNew: [1, "1.10"] }
          : {}),
      },
      tooLong: isTooLong,
    });
  }
  return drafts;
}

const lifecycles: readonly (readonly string[])[] = [
  ["completed"],
  ["new", "completed"],
  ["new", "pending", "paid", "completed"],
  ["pending", "failed"],
  ["pending", "completed", "refunded"],
  ["new", "pending", "canceled", "completed"],
  ["pending"],
  ["new", "on_hold"],
];

function createdAt(chance: Chance, times: HistoryTimes, isBusy: boolean): number {
  const { syncStartMs, startMs, endMs, gridMs, aheadMs } = times;
  if (isBusy) return startMs - Math.floor(chance.share() * 50 * MINUTE);
  const edge = chance.whole(0, 19);
  if (edge === 0) return syncStartMs;
  if (edge === 1) return syncStartMs - 1;
  // Half of them in the hours before the start, which backfill reads, half around the present.
  const fromMs = chance.happens(0.5) ? syncStartMs - 5 * MINUTE : Math.max(syncStartMs, startMs - HOUR);
  const anyMs = fromMs + chance.share() * (endMs + aheadMs - fromMs);
  return Math.floor(anyMs / gridMs) * gridMs;
}

function gapMs(chance: Chance, gridMs: number): number {
  const ms = chance.pick([0, 1, 20 * SECOND, 3 * MINUTE, 3 * MINUTE, HOUR, 7 * HOUR]);
  return ms < SECOND ? ms : Math.ceil((ms * (0.5 + chance.share())) / gridMs) * gridMs;
}

function instantText(ms: number, micros: number): string {
  const text = formatInstant(ms);
  return micros === 0 ? text : `${text.slice(0, -1)}500Z`;
}

/** When each of them can be read: on time, late, changed in between, gone one day, and perhaps back again. */
function layOut(chance: Chance, times: HistoryTimes, habits: Habits, drafts: readonly Draft[]): Row[] {
  const { startMs, endMs, aheadMs } = times;
  const during = () => startMs + chance.share() * (endMs - startMs);
  const goneMs = chance.happens(habits.vanishedShare) ? during() : Infinity;
  const backMs = chance.happens(0.3) ? goneMs + chance.share() * (endMs - goneMs) : Infinity;
  return drafts
    .flatMap((draft) => {
      const dueMs = draft.dateMs - aheadMs;
      const isLate = chance.happens(habits.lateShare);
      const lateMs = isLate ? chance.pick([2 * MINUTE, HOUR, DAY]) * chance.share() : 0;
      const delayMs = chance.share() * habits.delayMaxMs;
      // What is older than the workers and late becomes visible while they work.
      const visibleFromMs = isLate && dueMs + lateMs < startMs ? during() : dueMs + Math.max(lateMs, delayMs);
      const editedMs = chance.happens(habits.editedShare) ? during() : Infinity;
      const isMalformed = chance.happens(habits.malformedShare);
      const raw = isMalformed ? malform(chance, draft.raw) : draft.raw;
      const before = {
        ...draft,
        raw,
        visibleFromMs,
        visibleToMs: Math.min(goneMs, editedMs),
        isOnTime: !isLate,
      };
      if (editedMs >= goneMs || editedMs <= visibleFromMs) return [rowOf({ ...before, visibleToMs: goneMs })];
      const edited = { ...raw, outAmount: "7.000000000000000007" };
      const after = { ...draft, raw: edited, visibleFromMs: editedMs, visibleToMs: goneMs, isOnTime: false };
      return [rowOf(before), rowOf(after)];
    })
    .flatMap((row) => (row.visibleToMs === goneMs && backMs < endMs ? [row, backAgain(row, backMs)] : [row]))
    .filter((row) => row.visibleFromMs < row.visibleToMs);
}

function backAgain(row: Row, backMs: number): Row {
  return {
    ...row,
    visibleFromMs: Math.max(backMs, row.visibleFromMs),
    visibleToMs: Infinity,
    isOnTime: false,
  };
}

function malform(chance: Chance, raw: Record<string, unknown>): Record<string, unknown> {
  const { [chance.pick(["transactionId", "status", "statusDate"])]: _, ...without } = raw;
  return chance.pick([without, { ...raw, inAmount: "12,5O" }, { ...raw, statusDate: "yesterday" }]);
}

function rowOf(draft: Draft & Pick<Row, "visibleFromMs" | "visibleToMs" | "isOnTime">): Row {
  const { raw, tooLong, ...times } = draft;
  const outcome = normaliseRecord(raw);
  const isKept = outcome.kind === "record" && tooLong !== true;
  const text = outcome.kind === "record" ? JSON.stringify(outcome.record) : outcome.raw;
  return {
    ...times,
    number: -1,
    raw,
    record: isKept ? outcome.record : null,
    identity: isKept
      ? `${outcome.record.transactionId}|${recordHash(outcome.record)}`
      : createHash("sha256").update(text).digest("hex"),
  };
}
