import { expect, test } from "vitest";
import { HOUR } from "../../src/core/duration.ts";
import { formatInstant } from "../../src/core/instant.ts";
import { noteUpstreamEvent } from "../../src/store/windows/upstream-events.ts";
import { workAccount } from "../../src/sync/work-account.ts";
import { UpstreamError } from "../../src/upstream/errors.ts";
import { aRecord, modelAggregator } from "../support/model-aggregator.ts";
import { never, syncDeps } from "../support/sync-deps.ts";
import { idsOf } from "../support/sync-reads.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { addAccount, passTime } from "../support/use-sync.ts";

const database = useTestDatabase();
const startMs = Date.now() - HOUR;

test("what the aggregator tells of while a reading is interrupted is read as well", async () => {
  const toldFirst = Array.from({ length: 120 }, (_, at) => `m${String(at).padStart(3, "0")}`);
  // By id it comes before those that have been read by then.
  const toldLater = "a00";
  const records = [...toldFirst, toldLater].map((transactionId, at) =>
    aRecord({ transactionId, statusDate: formatInstant(startMs + at) }),
  );
  let requests = 0;
  const upstream = modelAggregator({
    records: () => records,
    before: () => {
      if (++requests === 3)
        throw new UpstreamError("server_error", "answered 500", { endpoint: "GET /transactions" });
    },
  });
  const account = { ...(await addAccount(database.db, { url: "http://127.0.0.1:1" })), upstream };
  const tell = (transactionId: string) =>
    noteUpstreamEvent(database.db, { accountId: account.id, eventId: `of ${transactionId}`, transactionId });
  // The longest wait, so that the reading does not go on by itself.
  const deps = syncDeps(database.db, { random: () => 1 });

  for (const id of toldFirst) await tell(id);
  await workAccount(deps, account, never);
  expect(await idsOf(database.db, account.id)).toEqual(toldFirst.slice(0, 100));
  await tell(toldLater);
  await passTime(database.db, account.id);
  await workAccount(deps, account, never);
  expect(await idsOf(database.db, account.id)).toEqual([toldLater, ...toldFirst]);
});
