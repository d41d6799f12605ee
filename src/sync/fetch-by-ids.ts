import { UpstreamError } from "../upstream/errors.ts";
import type { RecordOutcome } from "../upstream/normalise.ts";
import type { TransactionPage } from "../upstream/transactions.ts";
import type { SyncAccount } from "./deps.ts";
import { hashRecord, preparePage, rejectRecord } from "./page.ts";
import { WindowError } from "./window-error.ts";

type PreparedPage = ReturnType<typeof preparePage>;

/** More pages than the statuses of fifty transactions can fill; only a server that never ends gets there. */
const pagesMax = 200;

/** Everything the aggregator serves of these transactions, page by page: fifty ids may have more than fifty statuses. */
export async function* fetchByIds(
  account: SyncAccount,
  ids: readonly string[],
  signal?: AbortSignal,
): AsyncGenerator<PreparedPage> {
  const call = { attemptsMax: 3, ...(signal ? { signal } : {}) };
  // Ids are opaque; nothing says how a comma in one would be written in the list.
  const listable = ids.filter((id) => !id.includes(","));
  const single = ids.filter((id) => id.includes(","));
  let cursor: string | null = null;
  for (let pages = 0; listable.length > 0; pages++) {
    const asked: string | null = cursor;
    const page: TransactionPage | null = await account.upstream
      .fetchPage({ ids: listable, cursor: asked }, call)
      .catch(nullIfListRefused);
    if (page === null) {
      single.push(...listable);
      break;
    }
    yield preparePage(page.rawRecords);
    cursor = page.nextCursor;
    if (cursor === null || (cursor === asked && page.rawRecords.length === 0)) break;
    // Stopping here would treat what has not been listed yet as gone.
    if (cursor === asked) throw new WindowError("cursor_loop", "the cursor of a list of ids leads to itself");
    if (pages >= pagesMax)
      throw new WindowError("page_limit", `more than ${pagesMax} pages for a list of ids`);
  }
  let answered = single.length < ids.length;
  let refusal: UpstreamError | null = null;
  for (const id of single) {
    const outcome = await account.upstream.fetchTransaction(id, call).catch(passOver);
    answered ||= !(outcome instanceof Error) || isNotFound(outcome);
    if (!(outcome instanceof Error)) yield asPage(outcome, id);
    else if (!isNotFound(outcome)) {
      // That it cannot be asked for does not mean that it is gone, and must not keep the others from being read.
      yield { records: [], rejections: [], rejectedIds: [id] };
      if (outcome instanceof UpstreamError) refusal = outcome;
    }
  }
  // With no other answer it may be us who are refused, and not an id.
  if (refusal !== null && !answered) throw refusal;
}

/**
 * The specification does not show what happens to a list with an id that no longer exists: some servers leave the id out,
 * others refuse the whole list. Read one by one, the other ids are still found. A refused key or cursor is another matter.
 */
function nullIfListRefused(error: unknown): null {
  if (error instanceof UpstreamError && (error.code === "not_found" || error.code === "bad_request")) {
    return null;
  }
  throw error;
}

/** Whatever cannot be read is about the id that was asked for: an error with status 200 does not say that it is gone. */
function asPage(outcome: RecordOutcome, askedId: string): PreparedPage {
  if (outcome.kind === "record") return { records: [hashRecord(outcome)], rejections: [], rejectedIds: [] };
  return {
    records: [],
    rejections: [rejectRecord(outcome)],
    rejectedIds: [outcome.transactionId ?? askedId],
  };
}

/** What concerns one id alone: it is not there, the server refuses it, or no address can hold it. */
function passOver(error: unknown): Error {
  if (isNotFound(error) || error instanceof RangeError) return error;
  if (error instanceof UpstreamError && error.code === "bad_request") return error;
  throw error;
}

function isNotFound(error: unknown): error is UpstreamError {
  return error instanceof UpstreamError && error.code === "not_found";
}
