import { createHash } from "node:crypto";
import { instantMs } from "../core/instant.ts";
import { recordsPerWindow, splitRange, type TimeRange } from "../core/window.ts";
import type { HashedRecord, PageCounts } from "../store/transactions/record-page.ts";
import { sealWindow, splitWindow } from "../store/windows/sync-windows.ts";
import { releaseWindow, type WindowLease } from "../store/windows/window-leases.ts";
import { askedRange } from "./asked-range.ts";
import { findVanished } from "./find-vanished.ts";
import { keepPage } from "./keep-page.ts";
import { preparePage } from "./page.ts";
import type { Walk, WalkEnd } from "./walk.ts";
import type { TransactionPage } from "../upstream/transactions.ts";
import { WindowError } from "./window-error.ts";

const recordsPerPage = 50;
/** Far more than any window has; only a listing that never ends gets there. */
const pagesMax = 20_000;
const emptyPagesMax = 10;
const pagesPerWindow = recordsPerWindow / recordsPerPage;
/** A window that looks longer than this is cut into parts, which are walked in parallel. */
const splitAbovePages = 3 * pagesPerWindow;
/** Fewer say too little about the whole: a page may hold a single record. */
const pagesBeforeSplit = 2;
const recordsBeforeSplit = pagesBeforeSplit * recordsPerPage;
/**
 * Few, because each part costs a request, and many records of one moment look like a very long window. A part that is
 * still too long is cut again, for the price of the two pages that show it.
 */
const partsMax = 8;

/** Reads one window to its explicit end and seals it. Any other way out leaves it open, so that a gap is seen. */
export async function walkWindow(walk: Walk): Promise<WalkEnd> {
  const done = new AbortController();
  const fetchPage = pageFetcher({ ...walk, leased: AbortSignal.any([walk.leased, done.signal]) });
  try {
    return await walkPages(walk, fetchPage);
  } finally {
    // Abort the prefetch; nobody will read it.
    done.abort();
  }
}

type FetchPage = (cursor: string | null) => Promise<TransactionPage>;

function pageFetcher({ deps, account, lease, leased }: Walk): FetchPage {
  const asked = askedRange(lease);
  return async (cursor) => {
    await deps.failpoint("fetch.before");
    const query = { ...asked, limit: recordsPerPage, cursor };
    const page = await account.upstream.fetchPage(query, { signal: leased, attemptsMax: 1 });
    await deps.failpoint("fetch.after");
    return page;
  };
}

async function walkPages(walk: Walk, fetchPage: FetchPage): Promise<WalkEnd> {
  const { deps, lease, signal, leased } = walk;
  const seen = new Set([digestOf(lease.cursor)]);
  let cursor = lease.cursor;
  let fetched = fetchPage(cursor);
  let emptyPages = 0;
  let sample: Sample = { records: 0, span: null };
  for (let pages = lease.pages; pages < pagesMax; pages++) {
    const { rawRecords, nextCursor } = await fetched;
    // Some servers echo: an empty page with the very cursor it was asked with is the end, since nothing further can
    // be asked. Any other cursor seen before would lead round in circles.
    const echoed = nextCursor !== null && nextCursor === cursor && rawRecords.length === 0;
    const next = echoed ? null : nextCursor;
    const leadsBack = next !== null && seen.has(digestOf(next));
    emptyPages = rawRecords.length === 0 ? emptyPages + 1 : 0;
    const leadsOn = next !== null && !leadsBack && emptyPages < emptyPagesMax && !signal.aborted;
    // Prefetch the next page while this one is made ready and written. There is still only one request at a time. Not for
    // the first pages: they usually show whether the window will be cut, and then the next one isn't needed.
    const isAsked = leadsOn && pages - lease.pages >= pagesBeforeSplit;
    if (isAsked) fetched = awaitedLater(fetchPage(next));
    await deps.takeTurn?.();
    const { records, rejections } = preparePage(rawRecords);
    sample = extendSample(sample, records);
    const parts = partsFor(lease, sample, pages + 1 - lease.pages);
    const continues = leadsOn && parts === 1;
    if (continues && !isAsked) fetched = awaitedLater(fetchPage(next));

    await deps.failpoint("page.commit.before");
    const counts = await keepPage(deps, lease, { records, rejections, nextCursor: next }, cursor);
    await deps.failpoint("page.commit.after");
    logPage(walk, counts);

    // `null` is the only end; upstream/ makes it of an absent or empty cursor. A short page is not an end.
    if (next === null) return seal(walk, echoed ? "empty_echo" : "absent");
    if (leadsBack) throw new WindowError("cursor_loop", "the cursor leads back to a page that was read");
    seen.add(digestOf(next));
    if (emptyPages >= emptyPagesMax)
      throw new WindowError("empty_pages", `${emptyPagesMax} empty pages in a row, and no end`);
    if (parts > 1) return split(walk, parts);
    // Don't hold on to a window through a long wait.
    if (!continues || counts.crowded || counts.waitMs > lease.leaseMs) return release(walk);
    if (counts.waitMs > 0) await deps.sleep(counts.waitMs, leased);
    cursor = next;
  }
  throw new WindowError("page_limit", `more than ${pagesMax} pages`);
}

/** Awaited later; mark it handled so that Node doesn't report an unhandled rejection. */
function awaitedLater<T>(page: Promise<T>): Promise<T> {
  page.catch(() => undefined);
  return page;
}

async function seal(walk: Walk, endedBy: string): Promise<WalkEnd> {
  const { deps, lease } = walk;
  if (lease.kind === "deep") await findVanished(walk);
  await deps.failpoint("seal.before");
  await sealWindow(deps.database, lease, endedBy);
  await deps.failpoint("seal.after");
  return "sealed";
}

async function split({ deps, lease }: Walk, parts: number): Promise<WalkEnd> {
  const range = { fromMs: instantMs(lease.from), toMs: instantMs(lease.to) };
  await splitWindow(deps.database, lease, splitRange(range, parts), () => deps.failpoint("split.inside"));
  deps.log.info({ event: "window_split", window_id: lease.windowId, parts });
  return "split";
}

async function release({ deps, lease }: Walk): Promise<WalkEnd> {
  await releaseWindow(deps.database, lease);
  return "released";
}

/** What has been read so far, as far as it tells how long the window is. */
interface Sample {
  records: number;
  span: TimeRange | null;
}

/**
 * How many parts to cut the window into; 1 means to read on. If records come in order of time, the share of the range that
 * two pages cover tells how long the whole is. Without any order that share is large from the start, and the number of
 * pages tells. Only the amount of work depends on this guess, never what is read.
 */
function partsFor(lease: WindowLease, { records, span }: Sample, pages: number): number {
  const widthMs = instantMs(lease.to) - instantMs(lease.from);
  if (span === null || records < recordsBeforeSplit || widthMs < 2) return 1;
  const share = Math.min(1, Math.max(1 / widthMs, (span.toMs - span.fromMs) / widthMs));
  const pagesExpected = pages / share;
  if (pagesExpected <= splitAbovePages) return 1;
  return Math.min(partsMax, widthMs, Math.max(2, Math.ceil(pagesExpected / pagesPerWindow)));
}

function extendSample({ records: before, span }: Sample, records: readonly HashedRecord[]): Sample {
  let widened = span;
  for (const { record } of records) {
    const atMs = instantMs(record.statusDate);
    widened =
      widened === null
        ? { fromMs: atMs, toMs: atMs }
        : { fromMs: Math.min(widened.fromMs, atMs), toMs: Math.max(widened.toMs, atMs) };
  }
  return { records: before + records.length, span: widened };
}

function logPage({ deps, account, lease }: Walk, counts: PageCounts): void {
  const { read, added, moved, quarantined } = counts;
  const line = {
    account: account.name,
    window_id: lease.windowId,
    kind: lease.kind,
    read,
    added,
    moved,
    quarantined,
  };
  deps.log.debug({ event: "page_recorded", ...line });
}

/** A cursor may be long, and a walk may have many. */
function digestOf(cursor: string | null): string {
  return cursor === null ? "" : createHash("sha256").update(cursor).digest("base64");
}
