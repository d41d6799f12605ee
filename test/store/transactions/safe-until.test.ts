import { Socket } from "node:net";
import { Client } from "pg";
import { expect, test } from "vitest";
import { safeUntil } from "../../../src/store/transactions/transaction-reads.ts";
import { useTestDatabase } from "../../support/test-database.ts";
import { waitFor } from "../../support/wait-for.ts";

const database = useTestDatabase();

test("a session that is only told of a change holds nothing back, however long ago its last statement was", async () => {
  const socket = new Socket();
  const listener = new Client({ connectionString: database.url.reveal(), stream: () => socket });
  await listener.connect();
  try {
    await listener.query("listen something");
    const { rows } = await listener.query<{ pid: number }>("select pg_backend_pid() as pid");
    const now = async () => {
      const [row] = await database.db.query<{ now: Date }>("select clock_timestamp() as now", []);
      return row?.now.getTime() ?? 0;
    };
    const later = await now();
    // It is told more than fits into its connection, so that Postgres is still at it.
    socket.pause();
    await database.db.query(
      "select pg_notify('something', i || repeat('x', 7000)) from generate_series(1, 3000) as i",
      [],
    );
    await waitFor("the session is being told", async () => {
      const found = await database.db.query(
        "select 1 from pg_stat_activity where pid = $1 and wait_event = 'ClientWrite' and xact_start is not null",
        [rows[0]?.pid],
      );
      return found.length > 0;
    });
    expect(Date.parse(await safeUntil(database.db))).toBeGreaterThan(later);
  } finally {
    socket.destroy();
    await listener.end().catch(() => undefined);
  }
});

test("a session that is about to write holds back what is later than its beginning", async () => {
  await database.db.session(async (client) => {
    await client.query("begin");
    const { rows } = await client.query<{ began: Date }>("select now() as began");
    expect(Date.parse(await safeUntil(database.db))).toBeLessThanOrEqual(rows[0]?.began.getTime() ?? 0);
    await client.query("rollback");
  });
});
