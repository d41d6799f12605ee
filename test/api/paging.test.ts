import * as fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { DAY } from "../../src/core/duration.ts";
import { decimal } from "../../src/core/decimal.ts";
import { waitFor } from "../support/wait-for.ts";
import { openTestDatabase, useTestDatabase } from "../support/test-database.ts";
import { aKey, useApi } from "./an-api.ts";
import { aRecord, anAccount, instant, keep } from "./some-records.ts";

const database = useTestDatabase();
const clock = { nowMs: Date.parse("2026-03-31T00:00:00Z") };
const server = useApi(database);
const onThatDay = useApi(database, { now: () => clock.nowMs });

let key = "";
let account = 0;

beforeAll(async () => {
  account = await anAccount(database.db, "main");
  // Seven rows share every status date, so that pages are cut in the middle of equal times.
  const start = Date.parse("2026-03-01T00:00:00Z");
  const records = Array.from({ length: 140 }, (_, n) =>
    aRecord(n, {
      statusDate: instant(new Date(start + Math.floor(n / 7) * 1_000).toISOString()),
      status: "pending",
    }),
  );
  await keep(database.db, account, records);
  key = await aKey(database.db, "viewer");
});

test("pages of any size, concatenated, are the whole set in one order", async () => {
  const whole = await walk("", 100);
  expect(whole).toHaveLength(140);
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 100 }),
      fc.constantFrom("", "sort=last_changed_at"),
      async (limit, sort) => {
        const ids = await walk(sort, limit);
        expect(sort === "" ? ids : ids.toSorted()).toEqual(sort === "" ? whole : whole.toSorted());
      },
    ),
    { numRuns: 12 },
  );
});

test("rows that do not change are listed once each, while others change and new ones come", async () => {
  const still = Array.from({ length: 140 }, (_, n) => n)
    .filter((n) => !changing(n))
    .map((n) => aRecord(n).transactionId);
  let round = 0;
  const ids = await walk("", 9, async () => {
    round++;
    const touched = Array.from({ length: 140 }, (_, n) => n).filter(
      (n) => changing(n) && n % 4 === round % 4,
    );
    await keep(database.db, account, [
      ...touched.map((n) =>
        aRecord(n, { statusDate: instant(`2026-03-02T00:00:${String(round).padStart(2, "0")}Z`) }),
      ),
      aRecord(10_000 + round),
    ]);
  });
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(id, (counts.get(id) ?? 0) + 1);
  expect(still.filter((id) => counts.get(id) !== 1)).toEqual([]);
});

test("the pages of a summary up to now are of one period, although time passes", async () => {
  const question = "/v1/summary?group_by=provider,status";
  const { json: whole } = await onThatDay.get(`${question}&limit=100`, key);
  expect([whole["from"], whole["has_more"]]).toEqual(["2026-03-01T00:00:00.000Z", false]);
  const figures: unknown[] = [];
  for (let cursor = ""; ;) {
    const { json } = await onThatDay.get(`${question}&limit=1${cursor && `&cursor=${cursor}`}`, key);
    expect([json["from"], json["to"]]).toEqual([whole["from"], whole["to"]]);
    figures.push(...(json["data"] as unknown[]));
    if (json["has_more"] !== true) break;
    cursor = String(json["next_cursor"]);
    // Most of the transactions are older than thirty days then.
    clock.nowMs += DAY;
  }
  expect(figures.length).toBeGreaterThan(2);
  expect(figures).toEqual(whole["data"]);
});

test("a summary's cursor whose end is no time is refused", async () => {
  const path = "/v1/summary?from=2026-03-01&group_by=provider&limit=1";
  const cursor = String((await onThatDay.get(path, key)).json["next_cursor"]);
  const state = JSON.parse(Buffer.from(cursor, "base64url").toString()) as unknown[];
  const forged = Buffer.from(JSON.stringify(state.with(3, "2026-02-30T00:00:00.000Z"))).toString("base64url");
  const { status, json } = await onThatDay.get(`${path}&cursor=${forged}`, key);
  expect([status, json["code"]]).toEqual([400, "invalid_parameter"]);
});

test("a follower misses nothing, whatever commits in whatever order", async () => {
  const own = openTestDatabase(database.url);
  const seen = new Map<string, string>();
  let cursor = "";
  const state = { writing: true };
  const follow = async () => {
    const { json } = await server.get(
      `/v1/transactions?sort=last_changed_at&limit=20${cursor && `&cursor=${cursor}`}`,
      key,
    );
    for (const { id, in_amount } of json["data"] as { id: string; in_amount: string }[])
      seen.set(id, in_amount);
    cursor = (json["next_cursor"] as string | null) ?? cursor;
    return json["has_more"] === true;
  };
  // Each writer takes its time of change early and commits late, some much later than others that came after it.
  const writers = Array.from({ length: 4 }, async (_, writer) => {
    for (let turn = 0; turn < 12; turn++) {
      await own.transaction(async (tx) => {
        await tx.query(
          `update tieout.transactions set in_amount = $1, last_changed_at = clock_timestamp()
           where account_id = $2 and transaction_id = $3`,
          [`${writer}.${turn + 1}1`, account, aRecord(writer * 20 + turn).transactionId],
        );
        await tx.query("select pg_sleep($1)", [((writer * 7 + turn * 3) % 10) / 100]);
      });
    }
  });
  const following = (async () => {
    while (state.writing) await follow();
  })();
  await Promise.all(writers);
  state.writing = false;
  await following;
  // The same figures as the table, once the follower has come to its end.
  await waitFor("the follower has seen the last change", async () => {
    while (await follow());
    const rows = await database.db.query<{ id: string; amount: string }>(
      "select transaction_id as id, in_amount as amount from tieout.transactions",
    );
    return rows.every(({ id, amount }) => seen.get(id) === decimal(amount));
  });
  await own.close();
  expect(seen.size).toBeGreaterThanOrEqual(140);
});

function changing(n: number): boolean {
  return n % 5 === 0;
}

async function walk(
  query: string,
  limit: number,
  between: () => Promise<void> = async () => undefined,
): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = ""; ;) {
    const { status, json, text } = await server.get(
      `/v1/transactions?${query}&limit=${limit}${cursor && `&cursor=${cursor}`}`.replace("?&", "?"),
      key,
    );
    if (status !== 200) throw new Error(text);
    ids.push(...(json["data"] as { id: string }[]).map(({ id }) => id));
    if (json["has_more"] !== true) return ids;
    cursor = String(json["next_cursor"]);
    await between();
  }
}
