import { beforeAll, expect, test } from "vitest";
import type { Database } from "../../src/store/database.ts";
import { createOwnWrites } from "../../src/api/own-writes.ts";
import { openBooks } from "../reconcile/books.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { aKey, useApi } from "./an-api.ts";

const database = useTestDatabase();
/** A replica to which nothing has come yet. */
const behind = useTestDatabase();
const readDatabase: Database = new Proxy({} as Database, {
  get: (_, name) => behind.db[name as keyof Database],
});
let nowMs = Date.now();
const server = useApi(database, { readDatabase, now: () => nowMs });

let writer = "";
let other = "";
let account = "";

beforeAll(async () => {
  account = (await openBooks(database.db)).name;
  writer = await aKey(database.db, "admin");
  other = await aKey(database.db, "admin");
});

test("who has written reads from the primary for a while, and everyone else from the replica", async () => {
  const accountsSeenBy = async (key: string) => {
    const { json } = await server.get("/v1/accounts", key);
    return (json["data"] as object[]).length;
  };
  expect(await accountsSeenBy(writer)).toBe(0);
  // An account that the replica has not heard of: what a request writes rests on the primary, too.
  const made = await server.send("POST", "/v1/keys", writer, {
    name: "made now",
    role: "viewer",
    accounts: [account],
  });
  expect(made.status).toBe(201);
  expect(await accountsSeenBy(writer)).toBe(1);
  expect(await accountsSeenBy(other)).toBe(0);
  nowMs += 10_000;
  expect(await accountsSeenBy(writer)).toBe(0);
});

test("what is remembered of writers is bounded", () => {
  const writes = createOwnWrites(() => nowMs);
  for (let n = 0; n <= 10_000; n++) writes.note(`key ${n}`);
  expect(writes.areRecent("key 0")).toBe(false);
  expect(writes.areRecent("key 10000")).toBe(true);
});
