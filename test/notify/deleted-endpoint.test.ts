import { expect, test } from "vitest";
import { sendTestEvent } from "../../src/store/notify/deliveries.ts";
import { deleteEndpoint } from "../../src/store/notify/endpoints.ts";
import { claimDeliveries, settleAttempts } from "../../src/store/notify/send-queue.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { waitFor } from "../support/wait-for.ts";
import { anEndpoint } from "./an-endpoint.ts";

const database = useTestDatabase();
const author = { actor: "test", requestId: "r" };

const sessionsThatWait = async () =>
  (
    await database.db.query<{ n: number }>(
      "select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    )
  )[0]?.n ?? 0;

test("an endpoint is deleted while an attempt is being noted: neither waits for the other", async () => {
  const endpoint = await anEndpoint(database.db, "https://example.com/hook");
  await sendTestEvent(database.db, endpoint.id, author);
  const [claimed] = await claimDeliveries(database.db, {
    sender: "one",
    limit: 1,
    perEndpoint: 1,
    leaseMs: 60_000,
    underWay: new Map(),
  });
  if (claimed === undefined) throw new Error("the delivery is due");
  const { eventId, attempts } = claimed;
  const attempt = { endpointId: endpoint.id, eventId, attempts, status: 500, error: "500", chance: 0 };

  // Both begin while a third holds the endpoint, so that deleting goes first and noting is in the middle of its work.
  let ends: Promise<unknown> = Promise.resolve();
  await database.db.transaction(async (tx) => {
    await tx.query("update tieout.webhook_endpoints set description = 'held' where id = $1", [endpoint.id]);
    const deleting = deleteEndpoint(database.db, endpoint.id, author);
    await waitFor("deleting waits", async () => (await sessionsThatWait()) === 1);
    const noting = settleAttempts(database.db, "one", [attempt]);
    await waitFor("noting waits", async () => (await sessionsThatWait()) === 2);
    ends = Promise.all([deleting, noting]);
    ends.catch(() => undefined);
  });
  await expect(ends).resolves.toMatchObject([{ id: endpoint.id }, { disabled: [] }]);
});
