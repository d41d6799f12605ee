import { isDeepStrictEqual } from "node:util";
import type { Exchange } from "./aggregator.ts";
import type { Row } from "./history.ts";
import { keyMs, visibleRows } from "./listing.ts";
import type { State, StoredWindow } from "./state.ts";
import type { AccountWorld, World } from "./world.ts";

/** Everything that is known of an account at the moment it is judged. */
export interface Judged {
  readonly moment: "everything was read" | "everything was read again" | "nothing has changed";
  readonly account: AccountWorld;
  readonly state: State;
  /** Where every row lies and who wrote it last. */
  readonly versions: readonly string[];
  readonly exchanges: readonly Exchange[];
  readonly atMs: number;
}

/** A promise that was not kept. */
export interface Finding {
  readonly kind: FindingKind;
  readonly account: AccountWorld | null;
  readonly tells: string;
  readonly row?: Row;
  readonly window?: StoredWindow;
}

export type FindingKind =
  | "not at rest"
  | "surprise"
  | "unfinished"
  | "gap"
  | "overlap"
  | "lost"
  | "late record not found"
  | "phantom"
  | "doubled"
  | "latest wrong"
  | "counted wrong"
  | "sealed without an end"
  | "read too early"
  | "left in the way"
  | "written without a lease"
  | "vanished wrongly"
  | "written again";

/** Holds the tables of an account against the truth, and against what was really served. */
export function judge(judged: Judged, world: World, before?: Judged): Finding[] {
  const { account, moment } = judged;
  const found = (kind: FindingKind, tells: string, more: Pick<Finding, "row" | "window"> = {}): Finding => ({
    kind,
    account,
    tells,
    ...more,
  });
  const unfinished = findUnfinished(judged, found);
  // Not finished is not lost: the rest could not be told apart.
  if (unfinished.length > 0) return unfinished;
  return [
    ...findGaps(judged, found),
    ...findWrongRows(judged, found),
    ...findWrongWindows(judged, found),
    ...findLost(judged, found),
    ...(moment === "everything was read" ? findNotFound(judged, world, found) : []),
    ...(moment === "everything was read" ? [] : findMissing(judged, found)),
    ...(moment === "nothing has changed" ? findWritten(judged, before, found) : []),
  ];
}

type Found = (kind: FindingKind, tells: string, more?: Pick<Finding, "row" | "window">) => Finding;

function findUnfinished({ state }: Judged, found: Found): Finding[] {
  return state.windows
    .filter((window) => window.state !== "sealed" && window.state !== "split")
    .map((window) => found("unfinished", `${tellWindow(window)} is ${window.state}`, { window }));
}

/** The windows that follow the clock and those that go back meet edge to edge, and all of them count as covered. */
function findGaps({ state, account }: Judged, found: Found): Finding[] {
  const findings = state.gaps.map(({ fromMs, toMs }) =>
    found("gap", `nobody has read ${tellTime(fromMs)} to ${tellTime(toMs)}`),
  );
  const planned = state.windows
    .filter((window) => isFirstReading(window) && window.state !== "split")
    .toSorted((a, b) => a.fromMs - b.fromMs);
  let edgeMs = account.syncStartMs;
  for (const window of planned) {
    if (window.fromMs !== edgeMs)
      findings.push(
        found(
          window.fromMs > edgeMs ? "gap" : "overlap",
          `${tellWindow(window)} begins beside ${tellTime(edgeMs)}`,
          {
            window,
          },
        ),
      );
    edgeMs = window.toMs;
  }
  return findings;
}

function findWrongRows({ state, exchanges, account }: Judged, found: Found): Finding[] {
  const served = new Set(exchanges.flatMap(({ rows }) => rows.map(({ identity }) => identity)));
  const kept = [...state.statuses, ...state.quarantined];
  const phantoms = kept
    .filter(({ identity }) => !served.has(identity))
    .map(({ identity }) => found("phantom", `${identity} was never served`));
  const doubled =
    new Set(kept.map(({ identity }) => identity)).size === kept.length
      ? []
      : [found("doubled", "a record is kept twice")];

  const latest = new Map<string, State["statuses"][number]>();
  for (const status of state.statuses) {
    const other = latest.get(status.transactionId);
    if (!other || isLater(status, other)) latest.set(status.transactionId, status);
  }
  const wrong = state.transactions
    .filter(({ transactionId, identity }) => latest.get(transactionId)?.identity !== identity)
    .map(({ identity }) => {
      const row = account.rows.find((one) => one.identity === identity);
      return found("latest wrong", `${identity} is kept as the latest`, row ? { row } : {});
    });
  const missing = [...latest.keys()].filter(
    (id) => !state.transactions.some(({ transactionId }) => transactionId === id),
  );
  return [
    ...phantoms,
    ...doubled,
    ...wrong,
    ...missing.map((id) => found("latest wrong", `${id} has status rows and no latest one`)),
  ];
}

type OrderedRow = Pick<State["statuses"][number], "statusDate" | "statusRank" | "identity">;

function isLater(a: OrderedRow, b: OrderedRow): boolean {
  if (a.statusDate !== b.statusDate) return a.statusDate > b.statusDate;
  return a.statusRank === b.statusRank ? a.identity > b.identity : a.statusRank > b.statusRank;
}

function findWrongWindows({ state, exchanges, account }: Judged, found: Found): Finding[] {
  const trespasses = state.trespasses.map(({ windowId, says }) => {
    const window = state.windows.find(({ id }) => id === windowId);
    return found("written without a lease", `window ${windowId}: ${says}`, window ? { window } : {});
  });
  const wrong = state.windows.flatMap((window) => {
    const findings: Finding[] = [];
    const tells = (kind: FindingKind, text: string) =>
      findings.push(found(kind, `${tellWindow(window)} ${text}`, { window }));
    if (!window.isHonest)
      tells("counted wrong", "does not have the count and digest of the rows that it added");
    if (window.cursor !== null || window.isLeased)
      tells("left in the way", `is ${window.state}, and yet has ${window.isLeased ? "a lease" : "a cursor"}`);
    if (window.state !== "sealed" || window.kind === "refresh") return findings;
    if (!exchanges.some((exchange) => isEndOf(window, exchange)))
      tells("sealed without an end", "is sealed, and no listing of it came to an end");
    if (isFirstReading(window)) {
      const early = account.rows.find(
        (row) =>
          isOnTimeFor(account, row) &&
          isIn(account, row, window) &&
          row.visibleFromMs > (window.startedMs ?? 0),
      );
      if (early)
        findings.push(
          found("read too early", `${tellWindow(window)} was read before a record that came on time`, {
            window,
            row: early,
          }),
        );
    }
    return findings;
  });
  return [...trespasses, ...wrong];
}

/** A sealed window holds all that was to be read in it, from its first request to its seal; and did so when it was sealed. */
function findLost({ state, account }: Judged, found: Found): Finding[] {
  const seenMs = new Map(
    [...state.statuses, ...state.quarantined].map((one) => [one.identity, one.firstSeenMs]),
  );
  const listing = (atMs: number) => new Set(visibleRows(account.rows, account.dialect, atMs));
  return state.windows.flatMap((window) => {
    const { startedMs, sealedMs } = window;
    if (startedMs === null || sealedMs === null || window.kind === "refresh") return [];
    const first = listing(startedMs);
    const last = listing(sealedMs);
    const inside = account.rows.filter((row) => isIn(account, row, window, 1));
    // A place in a list that grows or shrinks is not a place: the server itself skips rows then.
    if (account.dialect.cursor === "offset" && inside.some((row) => first.has(row) !== last.has(row)))
      return [];
    return inside
      .filter((row) => isIn(account, row, window) && first.has(row) && last.has(row))
      .filter(({ identity }) => !((seenMs.get(identity) ?? Infinity) <= sealedMs))
      .map((row) => {
        const at = seenMs.get(row.identity);
        const when = at === undefined ? "is not there" : `came only at ${tellTime(at)}`;
        return found("lost", `${tellRow(row)} ${when}, and ${tellWindow(window)} is sealed`, { row, window });
      });
  });
}

/** What came or changed late, as far as `sync --once` promises it: in the lookback, and of open transactions. */
function findNotFound(judged: Judged, world: World, found: Found): Finding[] {
  const { state, account, atMs } = judged;
  const open = new Set(
    state.transactions.filter(({ isFinal }) => !isFinal).map(({ transactionId }) => transactionId),
  );
  const latest = new Set(visibleRows(account.rows, { rows: "latest" }, atMs));
  // An id with a comma cannot be listed; asked for by itself, only its latest record is told.
  const isAsked = (row: Row) =>
    open.has(row.transactionId) && (!row.transactionId.includes(",") || latest.has(row));
  const sinceMs = atMs - world.settings.lookbackMs;
  return notKept(judged)
    .filter((row) => keyMs(account.dialect, row) >= sinceMs || isAsked(row))
    .map((row) => found("late record not found", `${tellRow(row)} is not there`, { row }));
}

/** After a deep re-read of all there is everything that is served, and what is served no more is marked. */
function findMissing(judged: Judged, found: Found): Finding[] {
  const { state, account, atMs } = judged;
  const findings = notKept(judged).map((row) =>
    found("lost", `${tellRow(row)} is not there, after a deep re-read`, { row }),
  );
  const visible = visibleRows(account.rows, account.dialect, atMs);
  const idsOf = (rows: readonly Row[]) => new Set(rows.map(({ transactionId }) => transactionId));
  const served = idsOf(visible);
  // Of a record that cannot be understood, nobody can be sure whose it is.
  const understood = idsOf(visible.filter(({ record }) => record !== null));
  for (const { transactionId: id, isMissing } of state.transactions) {
    if (isMissing && understood.has(id))
      findings.push(found("vanished wrongly", `${id} is marked as vanished, and served`));
    if (!isMissing && !served.has(id))
      findings.push(found("vanished wrongly", `${id} is not served, and not marked as vanished`));
  }
  return findings;
}

/** Rows that can be read at this moment, in the time that is covered, and are not in our tables. */
function notKept({ state, account, atMs }: Judged): Row[] {
  const kept = new Set([...state.statuses, ...state.quarantined].map(({ identity }) => identity));
  const toMs = Math.max(...state.windows.filter(isFirstReading).map((window) => window.toMs));
  return visibleRows(account.rows, account.dialect, atMs).filter((row) => {
    const ms = keyMs(account.dialect, row);
    return ms >= account.syncStartMs && ms < toMs && !kept.has(row.identity);
  });
}

function findWritten({ versions }: Judged, before: Judged | undefined, found: Found): Finding[] {
  if (!before || isDeepStrictEqual(versions, before.versions)) return [];
  const old = new Set(before.versions);
  const changed = versions.filter((version) => !old.has(version));
  return [
    found(
      "written again",
      `reading again has written ${changed.length} rows: ${changed.slice(0, 3).join("; ")}`,
    ),
  ];
}

function isFirstReading({ kind }: StoredWindow): boolean {
  return kind === "live" || kind === "backfill";
}

function isIn({ dialect }: AccountWorld, row: Row, window: StoredWindow, paddingMs = 0): boolean {
  const ms = keyMs(dialect, row);
  return ms >= window.fromMs - paddingMs && ms < window.toMs + paddingMs;
}

/** Listed by creation, only the first status of a transaction can be on time. */
function isOnTimeFor({ dialect }: AccountWorld, row: Row): boolean {
  return row.isOnTime && (dialect.window === "status" || row.dateMs - row.createdMs < 1);
}

function isEndOf(window: StoredWindow, { atMs, query, rows, nextCursor, error }: Exchange): boolean {
  if (error !== null || atMs < (window.startedMs ?? Infinity) || atMs > (window.sealedMs ?? -Infinity))
    return false;
  const isEnd = nextCursor === null || (rows.length === 0 && nextCursor === query.cursor);
  return isEnd && Date.parse(query.from ?? "") <= window.fromMs && Date.parse(query.to ?? "") >= window.toMs;
}

export function tellTime(ms: number): string {
  return new Date(ms).toISOString().slice(5, -1);
}

export function tellWindow({ id, kind, fromMs, toMs }: StoredWindow): string {
  return `${kind} window ${id} (${tellTime(fromMs)} to ${tellTime(toMs)})`;
}

export function tellRow({ number, transactionId, dateMs }: Row): string {
  return `row ${number} (${transactionId}, ${tellTime(dateMs)})`;
}
