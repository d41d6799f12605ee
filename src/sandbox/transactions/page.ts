import type { StatusRow } from "../ledger/history.ts";
import { RefusedError } from "../refusal.ts";
import { below, hash32 } from "../world/random.ts";
import { readCursor, writeCursor, type CursorState } from "./cursor.ts";
import type { Dice } from "./dice.ts";
import type { Faults } from "./faults.ts";
import { listRows, type ListedRow, type Listing } from "./listing.ts";

export interface PageDeps {
  readonly seed: string;
  readonly faults: Faults;
  readonly dice: Dice;
}

/** One page as the bytes of its JSON: what the dialect makes of it, and what the faults make of that. */
export function writePage(deps: PageDeps, listing: Listing): Uint8Array {
  const state = openCursor(deps, listing);
  refuseLongWindow(deps, listing);
  refuseUnknownIds(listing);
  const size = pageSize(deps, listing, state);
  const found = listRows(listing, state, size + 1);
  const taken = found.slice(0, size);
  const repeat = repeatWithin(deps, listing, taken);
  const hasMore = found.length > taken.length;
  const cursor = nextCursor(deps, listing, { state, taken, hasMore });

  const rows = arrange(deps, listing, repeat === null ? taken : [...taken, repeat]);
  const end = `],"limit":${listing.query.limit}${cursor === undefined ? "" : `,"cursor":${JSON.stringify(cursor)}`}}`;
  let at = page.write('{"transactions":[', 0, "latin1");
  for (let number = 0; number < rows.length; number++) {
    if (number > 0) page[at++] = comma;
    at = writeRow(listing, rows[number] as StatusRow, at);
  }
  makeRoom(at, end.length);
  at += page.write(end, at, "latin1");
  // A copy: the next page is written into the same place while this one is still being sent.
  return Buffer.from(page.subarray(0, at));
}

/** Pages are put together here, one at a time. */
let page = Buffer.allocUnsafe(64 * 1024);
const comma = 0x2c;

function writeRow({ view, blemishes }: Listing, row: StatusRow, at: number): number {
  if (blemishes.isOff) {
    makeRoom(at, view.roomFor(row));
    return view.write(row, page, at);
  }
  const text = blemishes.textOf(view, row);
  makeRoom(at, text.length * 3);
  return at + page.write(text, at);
}

/** One byte more than that, for the comma. */
function makeRoom(at: number, bytes: number): void {
  if (at + bytes < page.length) return;
  const larger = Buffer.allocUnsafe(2 * (at + bytes + 1));
  page.copy(larger, 0, 0, at);
  page = larger;
}

function openCursor({ seed, faults }: PageDeps, { query, view }: Listing): CursorState | null {
  if (query.cursor === null) return null;
  const state = readCursor(seed, query.cursor);
  if (state === null) throw cursorRefused("is not a cursor of this listing; start again without one");
  if (state.filters !== query.filters) {
    throw cursorRefused(
      "belongs to other filters; repeat those of the first page, or start again without it",
    );
  }
  const isOld = faults["cursor-seconds"] > 0 && view.nowMs - state.issuedMs > faults["cursor-seconds"] * 1000;
  if (isOld || (faults["cursor-pages"] > 0 && state.page >= faults["cursor-pages"])) {
    throw cursorRefused("has expired; start again without it");
  }
  return state;
}

function cursorRefused(reason: string): RefusedError {
  return new RefusedError("CURSOR_INVALID", `cursor: ${reason}`, "cursor");
}

function refuseLongWindow({ faults }: PageDeps, { query, view }: Listing): void {
  const daysMax = faults["window-days"];
  if (daysMax === 0 || query.transactionIds !== null) return;
  const fromMs = query.fromMs ?? Number.NEGATIVE_INFINITY;
  if ((query.toMs ?? view.nowMs) - fromMs <= daysMax * 86_400_000) return;
  throw new RefusedError(
    "INVALID_PARAMETER",
    `startDateTime: the window may be at most ${daysMax} days long`,
    "startDateTime",
  );
}

function refuseUnknownIds({ dialect, query, view, blemishes }: Listing): void {
  if (dialect["unknown-ids"] === "left-out") return;
  const isThere = (id: string) => view.rowsOfId(id).some((row) => blemishes.isVisible(row, view.nowMs));
  if (query.transactionIds?.every(isThere) ?? true) return;
  throw new RefusedError(
    "NOT_FOUND",
    "transactionIds: there is no such transaction as one of these",
    "transactionIds",
  );
}

function pageSize({ seed, dice }: PageDeps, { dialect, query }: Listing, state: CursorState | null): number {
  if (dice.strikes("huge-page")) return query.limit * 50;
  if (dice.strikes("over-limit")) return query.limit + 2;
  switch (dialect.pages) {
    case "full":
      return query.limit;
    case "single":
      return 1;
    case "short":
      return 1 + below(query.limit, hash32(seed, "short", state?.dateMs ?? 0, state?.page ?? 0));
    case "empty-between":
      return (state?.page ?? 0) % 2 === 0 ? query.limit : 0;
    default:
      return dialect.pages satisfies never;
  }
}

/** A record that the page holds twice. It takes the place of the last one, so that the limit stays. */
function repeatWithin({ dice }: PageDeps, { query }: Listing, taken: ListedRow[]): ListedRow | null {
  if (!dice.strikes("duplicates") || taken.length === 0) return null;
  if (taken.length >= query.limit && taken.length > 1) taken.pop();
  return taken[below(taken.length, dice.draw("duplicates"))] ?? null;
}

interface Turn {
  readonly state: CursorState | null;
  readonly taken: readonly ListedRow[];
  readonly hasMore: boolean;
}

/** The member `cursor` of the page; `undefined` leaves it out. */
function nextCursor(deps: PageDeps, listing: Listing, turn: Turn): string | null | undefined {
  const { dialect, query } = listing;
  if (turn.hasMore) return loopedCursor(deps, listing, turn) ?? issue(deps, listing, turn, false);
  switch (dialect["last-cursor"]) {
    case "absent":
      return undefined;
    case "null":
      return null;
    case "empty":
      return "";
    case "empty-page":
      return turn.taken.length > 0 ? issue(deps, listing, turn, true) : undefined;
    case "echo":
      return turn.taken.length > 0 ? issue(deps, listing, turn, true) : (query.cursor ?? undefined);
    default:
      return dialect["last-cursor"] satisfies never;
  }
}

function loopedCursor({ dice }: PageDeps, { query }: Listing, { state }: Turn): string | null {
  if (state === null || !dice.strikes("cursor-loop")) return null;
  return dice.draw("cursor-loop") % 2 === 0 && state.anchor !== "" ? state.anchor : query.cursor;
}

/** Before every bucket: where a listing stands that has not shown a row yet. */
const noBucket = -2;

function issue(deps: PageDeps, { query, view }: Listing, turn: Turn, ended: boolean): string {
  const { state, taken } = turn;
  // A row that belongs to this page and to the next one as well.
  const repeats =
    !ended && taken.length > 1 && deps.dice.strikes("duplicates") && deps.dice.draw("duplicates") % 2 === 0;
  const last = taken.at(repeats ? -2 : -1);
  return writeCursor(deps.seed, {
    bucket: last?.bucket ?? state?.bucket ?? noBucket,
    dateMs: last?.row.dateMs ?? state?.dateMs ?? 0,
    rank: last?.row.rank ?? state?.rank ?? 0,
    transactionId: last?.row.transactionId ?? state?.transactionId ?? "",
    page: (state?.page ?? 0) + 1,
    issuedMs: view.nowMs,
    filters: query.filters,
    ended,
    anchor: deps.faults["cursor-loop"] > 0 ? state?.anchor || (query.cursor ?? "") : "",
  });
}

function arrange({ seed }: PageDeps, { dialect }: Listing, taken: readonly ListedRow[]): StatusRow[] {
  const rows = taken.map(({ row }) => row);
  if (dialect.order !== "scrambled") return rows;
  const key = (row: StatusRow) => hash32(seed, "scrambled", row.transactionId, row.step);
  return rows.toSorted((a, b) => key(a) - key(b));
}
