import { formatInstant, instantMs } from "../../src/core/instant.ts";
import { recordFields } from "../../src/core/record-fields.ts";
import { isKnownStatus } from "../../src/core/status.ts";
import type { Database } from "../../src/store/database.ts";
import type { SyncAccount } from "../../src/sync/deps.ts";
import { UpstreamError } from "../../src/upstream/errors.ts";
import { numberText } from "../../src/upstream/exact-json.ts";
import type { TransactionPage } from "../../src/upstream/transactions.ts";
import { isRecordPages, wrapDatabase } from "../support/wrap-database.ts";
import {
  comesLate,
  completesUnseen,
  diesOnce,
  followsTheClock,
  meetsEdges,
  meetsTies,
  type Mistake,
  readsAll,
  type Scenario,
  sleepsAt,
  splits,
} from "./seeded-scenarios.ts";

type Upstream = SyncAccount["upstream"];
type Ask = (...args: Parameters<Upstream["fetchPage"]>) => Promise<TransactionPage>;
const end = { rawRecords: [], nextCursor: null, echoedLimit: null, serverDateMs: null };

/** Replaces what a page is asked for, or what is made of the answer. */
function asking(change: (ask: Ask, ...args: Parameters<Ask>) => Promise<TransactionPage>): Mistake {
  return {
    upstream: (upstream) => ({
      ...upstream,
      fetchPage: (...args) => change((...asked) => upstream.fetchPage(...asked), ...args),
    }),
  };
}

function takingAsEnd(isEnd: (error: UpstreamError) => boolean): Mistake {
  return asking((ask, ...args) =>
    ask(...args).catch((error: unknown) => {
      if (error instanceof UpstreamError && isEnd(error)) return end;
      throw error;
    }),
  );
}

/** Replaces the text or the values of the statement that keeps a page. */
function recording(change: (text: string, values: unknown[]) => [string, unknown[]]): Mistake {
  return {
    database: (db) =>
      wrapDatabase(db, (next, text, values = [], name) =>
        isRecordPages(name) ? next(...change(text, values)) : next(text, values, name),
      ),
  };
}

const nextCursor = 3;
const rejections = 6;
const erasures = 11;
const rows = 12;
const extra = rows + 1 + Object.keys(recordFields).indexOf("extra");

/** The rows of the page are an array for each column. */
function changeRows(values: unknown[], change: (column: unknown[]) => unknown[]): unknown[] {
  return values.map((value, at) => (at >= rows ? change(value as unknown[]) : value));
}

function replaceAll(text: string, pattern: RegExp, by: string): string {
  if (!pattern.test(text)) throw new Error(`the statement has no ${pattern} any more: mend this mistake`);
  return text.replaceAll(pattern, by);
}

/** First the cursor, then the rows: two statements where there should be one. */
function cursorFirst(db: Database): Database {
  return {
    ...db,
    async query(text, values = [], name) {
      if (!isRecordPages(name)) return db.query(text, values, name);
      await db.query(
        text,
        changeRows(values, () => []),
        name,
      );
      return db.query(text, values, name);
    },
  };
}

const seenCursors = new Map<string, Set<string>>();

const plain = readsAll();
const shortPages = readsAll({ pages: "short" });
const tooManyRequests = readsAll({}, { "429": 0.7 });
const cursorLoops = readsAll({}, { "cursor-loop": 0.4 });

/** To wait for what these refuse, or for a loop to be mended, would only take time: they have tests of their own. */
export const uncontrolled: ReadonlySet<Scenario> = new Set([tooManyRequests, cursorLoops]);

/** Deliberate mistakes, each with the scenario that must show it. */
export const mistakes: [string, Scenario, Mistake][] = [
  ["the cursor is stored before the rows", diesOnce, { database: cursorFirst }],
  [
    "the lower bound is taken as inclusive",
    meetsEdges,
    asking((ask, query, call) =>
      ask({ ...query, ...(query?.from ? { from: moved(query.from, 1) } : {}) }, call),
    ),
  ],
  [
    "the upper bound is three milliseconds early",
    meetsEdges,
    asking((ask, query, call) => ask({ ...query, ...(query?.to ? { to: moved(query.to, -3) } : {}) }, call)),
  ],
  [
    "a short page is taken as the end",
    shortPages,
    asking(async (ask, ...args) => {
      const page = await ask(...args);
      return page.rawRecords.length < 50 ? { ...page, nextCursor: null } : page;
    }),
  ],
  [
    "an empty page is taken as the end",
    readsAll({ pages: "empty-between" }),
    asking(async (ask, ...args) => {
      const page = await ask(...args);
      return page.rawRecords.length === 0 ? { ...page, nextCursor: null } : page;
    }),
  ],
  [
    "a limit on pages is taken as the end",
    shortPages,
    asking(async (ask, query, call) => {
      const page = await ask(query, call);
      return query?.cursor ? { ...page, nextCursor: null } : page;
    }),
  ],
  ["an error is taken as the end", readsAll({}, { "5xx": 0.3 }), takingAsEnd(() => true)],
  ["too many requests are taken as an empty page", tooManyRequests, takingAsEnd(isRateLimit)],
  [
    "a refused cursor is taken as the end",
    readsAll({}, { "cursor-pages": 2 }),
    takingAsEnd(({ code }) => code === "cursor_rejected"),
  ],
  [
    "a cursor that was seen before is taken as the end",
    cursorLoops,
    asking(async (ask, query, call) => {
      const page = await ask(query, call);
      const seen = seenCursors.get(query?.from ?? "") ?? new Set();
      seenCursors.set(query?.from ?? "", seen.add(query?.cursor ?? ""));
      return seen.has(page.nextCursor ?? "none") ? { ...page, nextCursor: null } : page;
    }),
  ],
  [
    "amounts pass through a double",
    plain,
    asking(async (ask, ...args) => {
      const page = await ask(...args);
      return { ...page, rawRecords: page.rawRecords.map(roundAmounts) };
    }),
  ],
  [
    "an unknown status is dropped",
    readsAll({}, { "unknown-status": 0.2 }),
    asking(async (ask, ...args) => {
      const page = await ask(...args);
      const known = (raw: unknown) => isKnownStatus((raw as { status: string }).status);
      return { ...page, rawRecords: page.rawRecords.filter(known) };
    }),
  ],
  [
    "the quarantine is skipped",
    readsAll({}, { malformed: 0.1 }),
    recording((text, values) => [
      text,
      values.map((value, at) => (at >= rejections && at < erasures ? [] : value)),
    ]),
  ],
  [
    "unknown fields are dropped",
    readsAll({}, { "unknown-fields": 0.3 }),
    recording((text, values) => [
      text,
      values.with(
        extra,
        (values[extra] as unknown[]).map(() => null),
      ),
    ]),
  ],
  [
    "the latest is what arrived last",
    readsAll({ order: "descending" }),
    recording((text, values) => [
      replaceAll(text, /\n +> \((held\.status_date|newest\.held_date)/g, "\n is distinct from ($1"),
      values,
    ]),
  ],
  [
    "the latest is decided by the date alone",
    meetsTies,
    recording((text, values) => [
      replaceAll(
        text,
        /, (newest|newer|excluded|held)\.(?:status|held)_rank, \1\.(?:record_hash|held_record)\)/g,
        ")",
      ),
      values,
    ]),
  ],
  [
    "a page is kept without its last record",
    plain,
    recording((text, values) => [text, changeRows(values, (column) => column.slice(0, -1))]),
  ],
  [
    "the cursor after next is stored",
    diesOnce,
    recording((text, values) => {
      const cursors = values[nextCursor] as (string | null)[];
      const wrong = cursors.map((cursor) => (cursor === null ? null : String(Number(cursor) + 10)));
      return [text, values.with(nextCursor, wrong)];
    }),
  ],
  [
    "a split loses the instant in the middle",
    splits,
    {
      database: (db) =>
        wrapDatabase(db, (next, text, values = [], name) =>
          text.trimStart().startsWith("insert into tieout.sync_windows")
            ? next(
                text,
                values.with(
                  3,
                  (values[3] as number[]).map((fromMs) => fromMs + 1),
                ),
                name,
              )
            : next(text, values, name),
        ),
    },
  ],
  ["nobody looks back", comesLate, { settings: { lookbackMs: 0 } }],
  [
    "open transactions are never read again",
    completesUnseen,
    {
      database: (db) =>
        wrapDatabase(db, async (next, text, values, name) =>
          name === "list_open_due" ? [] : next(text, values, name),
        ),
    },
  ],
  ["the plan has no lag", followsTheClock, { settings: { lagMs: 0 } }],
  [
    "a page is kept without looking at the fence",
    sleepsAt("page.commit.before"),
    recording((text, values) => [
      replaceAll(
        text,
        /w\.fence = \(\$2::bigint\[\]\)\[.+\n +and w\.state = 'walking'\n +and w\.lease_until > clock_timestamp\(\)/g,
        "cardinality($2::bigint[]) > 0",
      ),
      values,
    ]),
  ],
  [
    "a window is sealed without looking at the fence",
    sleepsAt("seal.before"),
    {
      database: (db) =>
        wrapDatabase(db, (next, text, values, name) =>
          name === "seal_window"
            ? next(
                replaceAll(
                  text,
                  /fence = \$2 and state = 'walking' and lease_until > clock_timestamp\(\)/g,
                  "$2::int > 0",
                ),
                values,
              )
            : next(text, values, name),
        ),
    },
  ],
];

function isRateLimit({ code }: UpstreamError): boolean {
  return code === "rate_limited";
}

function moved(instant: Parameters<typeof instantMs>[0], byMs: number) {
  return formatInstant(instantMs(instant) + byMs);
}

function roundAmounts(raw: unknown): unknown {
  const record = { ...(raw as Record<string, unknown>) };
  for (const field of ["inAmount", "outAmount"]) record[field] = Number(numberText(record[field]));
  return record;
}
