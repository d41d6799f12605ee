import { beforeAll, expect, test } from "vitest";
import type { Database } from "../../src/store/database.ts";
import { checkNotifyQueue } from "../../src/store/health/checks.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { aKey, useApi } from "./an-api.ts";

const database = useTestDatabase();
let failure: Error | null = null;
const server = useApi({
  get url() {
    return database.url;
  },
  get db(): Database {
    const { db } = database;
    return {
      ...db,
      transaction: (work) =>
        db.transaction(async (tx, client) => {
          const result = await work(tx, client);
          if (failure !== null) throw failure;
          return result;
        }),
    };
  },
});
let admin = "";
beforeAll(async () => void (admin = await aKey(database.db, "admin")));

/** As the driver tells what Postgres says; one code stands for both. */
const asSaid = (message: string, routine: string) =>
  Object.assign(new Error(message), { code: "54000", routine });

test("a full queue of notifications is nobody's parameter: 503, to be tried again, and named in the log", async () => {
  const add = () => server.send("POST", "/v1/alert-rules", admin, { kind: "payout_overdue" });
  failure = asSaid("too many notifications in the NOTIFY queue", "PreCommit_Notify");
  const refused = await add();
  expect([refused.status, refused.json["code"]]).toEqual([503, "not_ready"]);
  expect(refused.headers.get("retry-after")).toBe("5");
  expect(server.log).toContainEqual(
    expect.objectContaining({
      event: "request_failed",
      reason: expect.stringContaining("no room left for notifications") as string,
    }),
  );

  failure = asSaid("index row size 2712 exceeds btree version 4 maximum 2704", "_bt_check_third_page");
  expect((await add()).json["code"]).toBe("invalid_parameter");
  failure = null;
  expect((await add()).status).toBe(201);
});

test("doctor warns when the queue is half full", async () => {
  expect(await checkNotifyQueue(database.db)).toEqual({ used: expect.stringMatching(/^\d+ %$/) as string });
  const query = (() => Promise.resolve([{ usage: 0.51 }])) as unknown as Database["query"];
  await expect(checkNotifyQueue({ query })).rejects.toThrow("the queue of notifications is 51 % full");
});
