import { UpstreamError } from "../upstream/errors.ts";
import type { RecordOutcome } from "../upstream/normalise.ts";
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
  let cursor: string | null = null;
  for (let pages = 0; listable.length > 0; pages++) {
    const asked: string | null = cursor;
    const { rawRecords, nextCursor } = await account.upstream.fetchPage(
      { ids: listable, cursor: asked },
      call,
    );
    yield preparePage(rawRecords);
    if (nextCursor === null || (nextCursor === asked && rawRecords.length === 0)) break;
    // Stopping here would treat what has not been listed yet as gone.
    if (nextCursor === asked)
      throw new WindowError("cursor_loop", "the cursor of a list of ids leads to itself");
    if (pages >= pagesMax)
      throw new WindowError("page_limit", `more than ${pagesMax} pages for a list of ids`);
    cursor = nextCursor;
  }
  for (const id of ids.filter((one) => one.includes(","))) {
    const outcome = await account.upstream.fetchTransaction(id, call).catch(ignoreNotFound);
    if (outcome) yield asPage(outcome);
  }
}

function asPage(outcome: RecordOutcome): PreparedPage {
  return outcome.kind === "record"
    ? { records: [hashRecord(outcome)], rejections: [] }
    : { records: [], rejections: [rejectRecord(outcome)] };
}

function ignoreNotFound(error: unknown): null {
  if (error instanceof UpstreamError && error.code === "not_found") return null;
  throw error;
}
