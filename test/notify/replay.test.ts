import { expect, test } from "vitest";
import { replayEvents } from "../../src/store/notify/deliveries.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { anEndpoint } from "./an-endpoint.ts";

const database = useTestDatabase();
const author = { actor: "test" };

test("missed events are sent again however many were delivered before them", async () => {
  const { id } = await anEndpoint(database.db, "https://example.com/hooks");
  await database.db.query(
    "update tieout.webhook_endpoints set state = 'disabled', disabled_at = now(), disabled_reason = 'a test'",
  );
  const happened = (count: number) =>
    database.db.query(
      `insert into tieout.events (type, subject, data)
       select 'statement.imported', 'statement ' || n, '{}' from generate_series(1, $1::int) as n`,
      [count],
    );
  await happened(100_000);
  await database.db.query(
    `insert into tieout.webhook_deliveries (endpoint_id, event_id, subject, state, settled_at)
     select $1, id, subject, 'delivered', clock_timestamp() from tieout.events`,
    [id],
  );
  await happened(3);
  expect(await replayEvents(database.db, id, { undelivered: true }, author)).toBe(3);
  // What waits already is left alone.
  expect(await replayEvents(database.db, id, { undelivered: true }, author)).toBe(0);
});
