import { notApplicable } from "./check.ts";
import { canonical, isObject, isSuccess, type Seen } from "./rules.ts";
import type { Answer, Target } from "./target.ts";
import { type Walk, walk, walkLimits } from "./walk.ts";

export interface HistoryWindow {
  readonly fromMs: number;
  readonly toMs: number;
  /** Old enough that its records should no longer move. */
  readonly closed: boolean;
  readonly walk: Walk;
}

type WireRecord = Record<string, unknown>;

const second = 1_000;
const day = 86_400 * second;
const widthMax = 20 * 365 * day;
const rowsWanted = 60;
const rowsMax = 400;
const attemptsMax = 30;

/** The first page as it comes without any parameter; every check of the fields of a record starts here. */
export async function firstPage(target: Target): Promise<{ answer: Answer; records: WireRecord[] }> {
  const answer = await target.ask({ path: "/transactions" });
  const records = isObject(answer.json) ? answer.json["transactions"] : undefined;
  if (!isSuccess(answer) || !Array.isArray(records))
    notApplicable("GET /transactions gave no page to judge by");
  return { answer, records: records.filter(isObject) };
}

/** Records of the first page and of the window: two places of the history, so that more than one status is seen. */
export async function someRecords(target: Target): Promise<Seen> {
  const { answer, records } = await firstPage(target);
  const found = await findWindow(target);
  const all = new Map([...found.walk.records, ...records].map((record) => [canonical(record), record]));
  const last = found.walk.records.length > 0 ? found.walk.last : answer;
  return { answer: last, items: [...all.values()], at: "transactions" };
}

/** A window that can be walked to its end and holds something. */
export async function settledWindow(target: Target): Promise<HistoryWindow> {
  const found = await findWindow(target);
  if (found.walk.stopped !== "end")
    notApplicable("no walk reaches its end; see transactions.cursor.reaches-an-end");
  if (found.walk.records.length === 0) notApplicable("no window was found that holds a few pages of records");
  return found;
}

/**
 * Looks for a window of a few pages, because an account may hold ten million records or three. Each window tried lies
 * inside every wider one, so more width is never fewer records, whatever the window selects by: widen on too few,
 * narrow on too many.
 */
export async function findWindow(target: Target): Promise<HistoryWindow> {
  return target.once("window", async () => {
    const { records } = await firstPage(target);
    const dates = records.map((record) => Date.parse(String(record["statusDate"]))).filter((ms) => ms > 0);
    if (records.length === 0) notApplicable("the account has no transactions");
    const now = target.now();
    const middle = dates.toSorted((a, b) => a - b)[Math.floor(dates.length / 2)] ?? now;
    const old = await search(target, { anchorMs: middle, latestMs: now - day });
    if (old.walk.stopped !== "end" || old.walk.records.length > 0) return { ...old, closed: true };
    return { ...(await search(target, { anchorMs: middle, latestMs: now + day })), closed: false };
  });
}

async function search(
  target: Target,
  at: { anchorMs: number; latestMs: number },
): Promise<Omit<HistoryWindow, "closed">> {
  let tooNarrow = 0;
  let tooWide = Number.POSITIVE_INFINITY;
  let width = day;
  let best: Omit<HistoryWindow, "closed"> | null = null;
  for (let attempts = 1; ; attempts++) {
    // Whole seconds, so that a check can write the same instants with and without milliseconds.
    const toMs = wholeSecond(Math.min(at.anchorMs + width / 2, at.latestMs));
    const fromMs = wholeSecond(toMs - width);
    const walked = await walk(target, windowQuery({ fromMs, toMs }), { ...walkLimits, rowsMax });
    const found = { fromMs, toMs, walk: walked };
    // A server may refuse long windows; how long one may be is not shown.
    if (walked.stopped === "refused" && walked.pages.length === 0) return best ?? found;
    if (walked.stopped === "loop" || walked.stopped === "refused") return found;
    if (walked.stopped === "end") best = found;
    const rows = walked.records.length;
    if (walked.stopped === "end" && (rows >= rowsWanted || width >= widthMax)) return found;
    if (walked.stopped === "end") tooNarrow = width;
    else tooWide = width;
    if (width <= second || tooWide / tooNarrow < 1.2 || attempts === attemptsMax) return best ?? found;
    width = nextWidth({ tooNarrow, tooWide });
  }
}

function nextWidth({ tooNarrow, tooWide }: { tooNarrow: number; tooWide: number }): number {
  if (tooWide === Number.POSITIVE_INFINITY) return Math.min(tooNarrow * 4, widthMax);
  return tooNarrow === 0 ? Math.max(tooWide / 8, second) : Math.sqrt(tooNarrow * tooWide);
}

function wholeSecond(ms: number): number {
  return Math.floor(ms / second) * second;
}

export function windowQuery({ fromMs, toMs }: { fromMs: number; toMs: number }): Record<string, string> {
  return { startDateTime: new Date(fromMs).toISOString(), endDateTime: new Date(toMs).toISOString() };
}

/** Distinct ids of the account, as many as wanted if it has them. */
export async function someIds(target: Target, wanted: number): Promise<string[]> {
  return target.once(`ids ${wanted}`, async () => {
    const ids = new Set<string>();
    const collect = (records: readonly WireRecord[]) => {
      for (const { transactionId } of records) if (typeof transactionId === "string") ids.add(transactionId);
    };
    collect((await findWindow(target)).walk.records);
    if (ids.size < wanted) collect((await walk(target, {}, { rowsMax: wanted * 10, pagesMax: 400 })).records);
    if (ids.size === 0) notApplicable("the account has no transactions");
    return [...ids].slice(0, wanted);
  });
}

/** A short and telling name for what one walk has and another lacks. */
export function missingFrom(whole: readonly WireRecord[], part: readonly WireRecord[]): string | null {
  const held = new Set(part.map(canonical));
  const missing = whole.filter((record) => !held.has(canonical(record)));
  const [first] = missing;
  if (first === undefined) return null;
  return `${missing.length} of ${whole.length} records missing, first ${String(first["transactionId"])} ${String(first["status"])}`;
}
