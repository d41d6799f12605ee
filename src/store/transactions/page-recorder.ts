import type { Database } from "../database.ts";
import { type LeasedPage, LeaseLost, type PageCounts, recordPage, recordPages } from "./record-page.ts";
import { isDataError } from "../sql-errors.ts";

/** Keeps a page of the window that the lease is for. */
export type RecordOnePage = (...page: [LeasedPage["lease"], LeasedPage["page"]]) => Promise<PageCounts>;

/** More at once would keep the processors of a small database server no busier, and make the groups smaller. */
const statementsMax = 2;
const pagesPerStatementMax = 16;

/**
 * Pages of many windows come in while others are being written. Those that wait go together in the next statement, which
 * costs a page about a third less than one of its own; a page that meets no other goes at once. Each is still kept as
 * a whole with its cursor, or not at all, and its walker hears of it only when it is.
 */
export function createPageRecorder(database: Database): RecordOnePage {
  let waiting: Waiting[] = [];
  let running = 0;
  return (lease, page) =>
    new Promise((resolve, reject) => {
      waiting.push({ lease, page, resolve, reject });
      startWriting();
    });

  function startWriting(): void {
    if (running >= statementsMax) return;
    const group = nextGroup(waiting);
    if (group.length === 0) return;
    waiting = waiting.filter((one) => !group.includes(one));
    running++;
    void writeGroup(database, group).finally(() => {
      running--;
      startWriting();
    });
  }
}

interface Waiting extends LeasedPage {
  resolve: (counts: PageCounts) => void;
  reject: (error: unknown) => void;
}

/** Two pages of one window are not written by one statement: it could count and move only one of them. */
function nextGroup(waiting: readonly Waiting[]): Waiting[] {
  const group = new Map<number, Waiting>();
  for (const one of waiting) {
    if (group.size < pagesPerStatementMax && !group.has(one.lease.windowId))
      group.set(one.lease.windowId, one);
  }
  return [...group.values()];
}

async function writeGroup(database: Database, group: readonly Waiting[]): Promise<void> {
  try {
    const counts = await recordPages(database, group);
    for (const [at, { lease, resolve, reject }] of group.entries()) {
      const own = counts[at];
      if (own) resolve(own);
      else reject(new LeaseLost(lease.windowId));
    }
  } catch (error) {
    // One value that the database refuses has kept out the others too: each page by itself shows whose it is.
    if (isDataError(error) && group.length > 1)
      await Promise.all(group.map((one) => writeAlone(database, one)));
    else for (const { reject } of group) reject(error);
  }
}

async function writeAlone(database: Database, { lease, page, resolve, reject }: Waiting): Promise<void> {
  try {
    resolve(await recordPage(database, lease, page));
  } catch (error) {
    reject(error);
  }
}
