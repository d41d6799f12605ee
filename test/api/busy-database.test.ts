import { beforeAll, expect, test } from "vitest";
import { isAnyoneWaiting } from "../support/anyone-waiting.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { waitFor } from "../support/wait-for.ts";
import { aKey, type Answer, useApi } from "./an-api.ts";

const database = useTestDatabase();
const server = useApi(database);
let admin = "";

beforeAll(async () => {
  admin = await aKey(database.db, "admin");
});

test("a write that waited too long for others is not told to narrow its filters, and has written nothing", async () => {
  const rule = { kind: "data_old", limit_seconds: 900, by_webhook: true };
  const answer = await whileLocked(() => server.send("POST", "/v1/alert-rules", admin, rule));
  expect(answer).toMatchObject({ status: 503, json: { code: "query_too_slow" } });
  expect(answer.json["detail"]).toBe(
    "It took too long, and nothing was written: a run or someone else may be at work on the same account. Try again shortly.",
  );
  expect(answer.headers.get("retry-after")).toBe("5");
  expect((await server.get("/v1/alert-rules", admin)).json["data"]).toEqual([]);
});

test("a read that took too long is", async () => {
  const answer = await whileLocked(() => server.get("/v1/alert-rules", admin));
  expect(answer.json["detail"]).toBe("The query took too long. Narrow the period or the filters.");
});

test.each([
  ["53100", "The disk of the database is full, so nothing was saved. Make room on it, and try again."],
  ["25006", "The database takes no writes at the moment, so nothing was saved. See writes at /readyz."],
])("a write that the server cannot keep (%s) is not told that the server is silent", async (code, says) => {
  await database.db.query(
    `create function tieout.refuse() returns trigger language plpgsql as $$ begin raise exception 'x' using errcode = '${code}'; end $$`,
  );
  await database.db.query(
    "create trigger refuse before insert on tieout.alert_rules execute function tieout.refuse()",
  );
  try {
    const rule = { kind: "data_old", limit_seconds: 900, by_webhook: true };
    const answer = await server.send("POST", "/v1/alert-rules", admin, rule);
    expect(answer).toMatchObject({ status: 503, json: { code: "not_ready", detail: says } });
  } finally {
    await database.db.query("drop function tieout.refuse cascade");
  }
});

/** Ended as the time limit ends it, which is the same for Postgres: its statement is cancelled. */
async function whileLocked(ask: () => Promise<Answer>): Promise<Answer> {
  return database.db.transaction(async (tx) => {
    await tx.query("lock table tieout.alert_rules");
    const asked = ask();
    await waitFor("the request waits", () => isAnyoneWaiting(database.db));
    await database.db.query(
      "select pg_cancel_backend(pid) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
    );
    return asked;
  });
}
