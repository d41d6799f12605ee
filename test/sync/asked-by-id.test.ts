import { describe, expect, test } from "vitest";
import { HOUR } from "../../src/core/duration.ts";
import { formatInstant } from "../../src/core/instant.ts";
import { insertWindows } from "../../src/store/windows/sync-windows.ts";
import type { SyncAccount } from "../../src/sync/deps.ts";
import { planDeepRead } from "../../src/sync/plan-account.ts";
import { workAccount } from "../../src/sync/work-account.ts";
import { UpstreamError, type UpstreamErrorCode } from "../../src/upstream/errors.ts";
import { readWindows } from "../support/a-window.ts";
import { aRecord, modelAggregator, type RawRecord } from "../support/model-aggregator.ts";
import { never, syncDeps } from "../support/sync-deps.ts";
import { findingsOf, idsOf, quarantineOf } from "../support/sync-reads.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { addAccount } from "../support/use-sync.ts";

const database = useTestDatabase();
const start = Math.floor(Date.now() / HOUR) * HOUR - 3 * HOUR;
const listEndpoint = "GET /transactions";

/** An account that has read these records, and whose server the test can change afterwards. */
async function readAccount(
  records: () => readonly RawRecord[],
  refuse: (ids: readonly string[]) => UpstreamErrorCode | null = () => null,
) {
  const upstream = modelAggregator({
    records,
    before: ({ ids }) => {
      const code = ids ? refuse(ids) : null;
      if (code !== null) throw new UpstreamError(code, "refused", { endpoint: listEndpoint });
    },
  });
  const bare = await addAccount(database.db, { url: "http://127.0.0.1:1" }, { syncStartMs: start });
  const account: SyncAccount = { ...bare, upstream };
  await insertWindows(database.db, account.id, [{ kind: "live", fromMs: start, toMs: start + HOUR }]);
  const deps = syncDeps(database.db);
  await workAccount(deps, account, never);
  const readAgain = async () => {
    await planDeepRead(deps, account.id, 1);
    await workAccount(deps, account, never);
  };
  return { account, upstream, readAgain };
}

const made = (id: string, n: number, more: object = {}) =>
  aRecord({ transactionId: id, statusDate: formatInstant(start + n), ...more });

describe("a list of ids that is refused because one of them is unknown", () => {
  // Which answer an unknown id gets is not shown; 404 and 400 are the likely refusals.
  test.each<UpstreamErrorCode>(["not_found", "bad_request"])("with %s is read id by id", async (code) => {
    let records = [made("a", 0), made("b", 1), made("c", 2)];
    const there = (id: string) => records.some(({ transactionId }) => transactionId === id);
    const { account, readAgain } = await readAccount(
      () => records,
      (ids) => (ids.every(there) ? null : code),
    );
    expect(await idsOf(database.db, account.id)).toEqual(["a", "b", "c"]);
    // One is gone, and one is listed under another time: only the first has vanished.
    records = [made("a", 0), made("c", 2 * HOUR + 2)];
    await readAgain();
    const found = await findingsOf(database.db, account.id);
    expect(found.filter((line) => line.endsWith("vanished"))).toEqual(["b vanished"]);
    const states = (await readWindows(database.db, account.id)).map(({ state }) => state);
    expect(new Set(states)).toEqual(new Set(["sealed"]));
  });
});

test("a transaction that is served, but no longer readable, has not vanished", async () => {
  let records = [made("a", 0), made("b", 1)];
  const { account, readAgain } = await readAccount(() => records);
  records = [made("a", 0), made("b", 1, { inAmount: "on request" })];
  await readAgain();
  expect(await quarantineOf(database.db, account.id)).toHaveLength(1);
  expect(await findingsOf(database.db, account.id)).toEqual([]);
  records = [made("a", 0)];
  await readAgain();
  expect(await findingsOf(database.db, account.id)).toEqual(["b vanished"]);
});
