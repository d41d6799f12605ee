import { createHash } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { canonicaliseJson } from "../../src/core/canonical-json.ts";
import type { TransactionRecord } from "../../src/core/transaction.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { aKey, useApi } from "./an-api.ts";
import { aRecord, anAccount, instant, keep } from "./some-records.ts";

const database = useTestDatabase();
const server = useApi(database);

let viewer = "";
let accountant = "";
const records = Array.from({ length: 60 }, (_, n) => aRecord(n));

beforeAll(async () => {
  const main = await anAccount(database.db, "main");
  const other = await anAccount(database.db, "other");
  const special: Partial<TransactionRecord>[] = [
    { status: "pending", statusDate: instant("2026-04-01T00:00:00Z"), transactionHash: "" },
    {
      status: "completed",
      statusDate: instant("2026-04-01T00:05:00.000001Z"),
      transactionHash: "0xfeedfacecafe",
    },
  ];
  const extra = canonicaliseJson('{"partnerContext":"order-7_42","fee":0.123456789012345678901}');
  if (extra === null) throw new Error("not JSON");
  await keep(database.db, main, [
    ...records,
    ...special.map((more) => aRecord(1_000, { ...more, transactionId: "special", extra })),
    aRecord(2_000, { transactionId: "twice" }),
  ]);
  await keep(database.db, other, [aRecord(2_000, { transactionId: "twice", provider: "topper" })]);
  viewer = await aKey(database.db, "viewer");
  accountant = await aKey(database.db, "accountant");
});

describe("the list", () => {
  test("is newest first, says what it is, and pages to its end without a gap or a repeat", async () => {
    const first = await list("limit=25");
    expect(first.json).toMatchObject({
      object: "list",
      url: "/v1/transactions",
      has_more: true,
      safe_until: null,
    });
    const ids = await walk("limit=7");
    // One id exists in two accounts.
    expect(ids.toSorted()).toEqual(
      [...records.map((r) => r.transactionId), "special", "twice", "twice"].toSorted(),
    );
    const dates = (first.json["data"] as { status_date: string }[]).map((one) => one.status_date);
    expect(dates).toEqual(dates.toSorted().toReversed());
  });

  test.each([
    ["status=completed", (r: TransactionRecord) => r.status === "completed"],
    ["status=completed,failed", (r: TransactionRecord) => r.status !== "pending"],
    ["status=completed&status=failed", (r: TransactionRecord) => r.status !== "pending"],
    [
      "provider=moonpay&transaction_type=buy",
      (r: TransactionRecord) => r.provider === "moonpay" && r.transactionType === "buy",
    ],
    [
      "source_currency=eur&country=de",
      (r: TransactionRecord) => r.sourceCurrency === "eur" && r.country === "de",
    ],
    [
      "provider=MOONPAY&source_currency=EUR&country=DE&status=Completed",
      (r: TransactionRecord) =>
        r.provider === "moonpay" &&
        r.sourceCurrency === "eur" &&
        r.country === "de" &&
        r.status === "completed",
    ],
    ["is_final=false", (r: TransactionRecord) => r.status === "pending"],
    ["status_date[gte]=2026-03-01T00:10:00Z&status_date[lt]=2026-03-01T00:20:00Z", between("00:10", "00:20")],
    ["status_date[gt]=2026-03-01T00:10:00Z&status_date[lte]=2026-03-01T00:20:00Z", between("00:11", "00:21")],
    ["status_date[gte]=2026-03-01T01:10:00%2B01:00&status_date[lt]=1772324400", between("00:10", "00:20")],
    [
      "in_amount[gte]=10&in_amount[lt]=20.25&source_currency=eur",
      (r: TransactionRecord) => num(r) >= 10 && num(r) < 20 && r.sourceCurrency === "eur",
    ],
  ])("filters by %s", async (query, fits) => {
    const march = "&status_date[lt]=2026-03-02";
    const found = await walk(query.includes("status_date[l") ? query : query + march);
    const expected = records.filter(fits).map((r) => r.transactionId);
    expect(expected.length).toBeGreaterThan(0);
    expect(found.toSorted()).toEqual(expected.toSorted());
  });

  test("a plain date means its whole day in the zone that is given", async () => {
    // 60 minutes from midnight UTC: all on 1 March in UTC; in New York still 28 February.
    expect((await sinceFebruary("status_date[lte]=2026-02-28")).length).toBe(0);
    expect((await sinceFebruary("status_date[lte]=2026-03-01")).length).toBe(60);
    expect((await sinceFebruary("status_date[lte]=2026-02-28&tz=America/New_York")).length).toBe(60);
    expect((await sinceFebruary("status_date[gt]=2026-02-28&status_date[lt]=2026-03-02")).length).toBe(60);
  });

  test("a time of ours that was shown can be asked for, whatever microseconds are behind it", async () => {
    await database.db.query(
      `update tieout.transactions set last_changed_at = date_trunc('milliseconds', last_changed_at) + interval '7 microseconds'
       where transaction_id = 'special'`,
    );
    const [special] = (await list("q=special")).json["data"] as { last_changed_at: string }[];
    const shown = special?.last_changed_at ?? "";
    expect(await walk(`q=special&last_changed_at[gte]=${shown}&last_changed_at[lte]=${shown}`)).toHaveLength(
      1,
    );
    expect(await walk(`q=special&last_changed_at[gt]=${shown}`)).toHaveLength(0);
  });

  test.each([
    ["a whole id", "special"],
    ["the beginning of an id", "01TX0000000059"],
    ["a provider's id", "prov-59"],
    ["a hash", "0xfeedfacecafe"],
    ["the beginning of a hash", "0xfeedface"],
    ["a reference", "order-7_42"],
  ])("finds %s", async (_, q) => {
    const ids = await walk(`q=${encodeURIComponent(q)}`);
    expect(ids).toHaveLength(1);
  });

  test("finds a wallet address only for those who may see it, and takes no letter for a wildcard", async () => {
    expect(await walk("q=bc1qwallet000059end", accountant)).toEqual(["01TX0000000059"]);
    expect(await walk("q=bc1qwallet000059", accountant)).toEqual(["01TX0000000059"]);
    expect(await walk("q=bc1qwallet000059end", viewer)).toEqual([]);
    expect(await walk("q=01TX%25%25%25%25%25%25%25", accountant)).toEqual([]);
    expect(await walk("q=01TX______", accountant)).toEqual([]);
  });

  test("masks wallet addresses for those who may not see them", async () => {
    expect(await walletSeenBy(viewer)).toBe("bc1q…9end");
    expect(await walletSeenBy(accountant)).toBe("bc1qwallet000059end");
  });

  test("continues after an id, counts when asked to, and expands the statuses", async () => {
    const [first = "", second = ""] = await walk("limit=2&status_date[lt]=2026-03-02");
    const after = await list(`starting_after=${first}&limit=1&status_date[lt]=2026-03-02`);
    expect(idsOf(after.json)).toEqual([second]);
    expect((await list("include=total&status=failed&status_date[lt]=2026-03-02")).json["total"]).toEqual({
      count: 20,
      capped: false,
    });
    const expanded = await list("q=special&expand[]=statuses");
    const [object] = expanded.json["data"] as { statuses: { status: string; is_latest: boolean }[] }[];
    expect(object?.statuses.map(({ status, is_latest }) => [status, is_latest])).toEqual([
      ["pending", false],
      ["completed", true],
    ]);
  });

  test("continues after an id of whichever of several accounts", async () => {
    const both = await walk("account=main,other&provider=topper,banxa&limit=100");
    expect(both).toContain("twice");
    const pages: string[] = [];
    for (let after = ""; ; after = `&starting_after=${pages.at(-1)}`) {
      const { status, json } = await list(`account=other,main&provider=banxa&limit=5${after}`);
      expect(status).toBe(200);
      pages.push(...idsOf(json));
      if (json["has_more"] !== true) break;
    }
    expect(pages).toEqual(await walk("account=main&provider=banxa"));
  });

  test("follows changes in their order, and always says where to go on", async () => {
    const page = await list("sort=last_changed_at&limit=100");
    expect(page.json).toMatchObject({ has_more: false, next_cursor: expect.any(String) as string });
    expect(page.json["safe_until"]).toMatch(/Z$/);
    const times = (page.json["data"] as { last_changed_at: string }[]).map((one) => one.last_changed_at);
    expect(times).toEqual(times.toSorted());
    const next = await list(`sort=last_changed_at&limit=100&cursor=${String(page.json["next_cursor"])}`);
    expect([next.json["data"], next.json["next_cursor"]]).toEqual([[], page.json["next_cursor"]]);
    expect(idsOf((await list("changed_since=2020-01-01&limit=100")).json)).toEqual(idsOf(page.json));
  });
});

describe("one transaction", () => {
  test("has every digit, every field, and times in milliseconds", async () => {
    const { text, json } = await server.get("/v1/transactions/special", accountant);
    expect(json).toMatchObject({
      object: "transaction",
      id: "special",
      account: "main",
      status: "completed",
      status_date: "2026-04-01T00:05:00.000Z",
      in_amount: "1000.25",
      out_amount: "0.000000000000000001",
      missing_since: null,
    });
    expect(text).toContain("0.123456789012345678901");
  });

  test("has a strong tag that answers 304, and lists a weak one", async () => {
    for (const [path, form] of [
      ["/v1/transactions/special", /^"[\w-]+"$/],
      ["/v1/transactions?limit=2", /^W\/"[\w-]+"$/],
    ] as const) {
      const first = await server.get(path, viewer);
      const etag = first.headers.get("etag") ?? "";
      expect(etag).toMatch(form);
      expect(first.headers.get("cache-control")).toBe("private, no-cache");
      const again = await server.get(path, viewer, { "if-none-match": `"other", ${etag}` });
      expect([again.status, again.text, again.headers.get("etag")]).toEqual([304, "", etag]);
      expect((await server.get(path, viewer, { "if-none-match": '"other"' })).status).toBe(200);
    }
    const masked = await server.get("/v1/transactions/special", viewer);
    const full = await server.get("/v1/transactions/special", accountant);
    expect(masked.headers.get("etag")).not.toBe(full.headers.get("etag"));
  });

  test("needs its account where the id exists in two, and only there", async () => {
    const both = await server.get("/v1/transactions/twice", viewer);
    expect([both.status, both.json["code"], both.json["accounts"]]).toEqual([
      400,
      "account_required",
      ["main", "other"],
    ]);
    expect((await server.get("/v1/transactions/twice?account=other", viewer)).json["provider"]).toBe(
      "topper",
    );
    expect((await server.get("/v1/transactions/nobody", viewer)).json["code"]).toBe("not_found");
  });

  test("tells its statuses and its story, and where each fact came from", async () => {
    const statuses = await server.get("/v1/transactions/special/statuses?limit=1", viewer);
    expect(statuses.json).toMatchObject({
      has_more: true,
      data: [{ object: "transaction_status", status: "pending" }],
    });
    const next = await server.get(
      `/v1/transactions/special/statuses?limit=1&cursor=${String(statuses.json["next_cursor"])}`,
      viewer,
    );
    expect(next.json).toMatchObject({ has_more: false, data: [{ status: "completed", is_latest: true }] });

    await database.db.query(
      `insert into tieout.sync_findings (window_id, account_id, transaction_id, finding)
       select window_id, account_id, transaction_id, 'changed' from tieout.transaction_statuses
       where transaction_id = 'special' and status = 'completed'`,
    );
    const story = await server.get("/v1/transactions/special/story", viewer);
    expect(story.json["events"]).toMatchObject([
      {
        kind: "status",
        what: "first known as pending",
        clock: "aggregator",
        source: { window: { kind: "backfill" } },
      },
      {
        kind: "status",
        what: "pending → completed",
        at: "2026-04-01T00:05:00.000Z",
        changes: [{ field: "transaction_hash", before: "", after: "0xfeedfacecafe" }],
      },
      { kind: "finding", finding: "changed", clock: "tieout", source: { type: "deep_read" } },
    ]);
  });
});

test("the hash in an answer can be recomputed from the data", async () => {
  const { json } = await server.get("/v1/transactions/01TX0000000003", accountant);
  const { apiKey, ...rest } = records[3] ?? aRecord(3);
  const members = Object.entries({ ...rest, apiKey, hashVersion: 1 }).filter(
    ([name, value]) => name !== "extra" && value !== null,
  );
  const text = JSON.stringify(Object.fromEntries(members.toSorted(([a], [b]) => (a < b ? -1 : 1))));
  expect(json["record_hash"]).toBe(createHash("sha256").update(text).digest("hex"));
});

function list(query: string, key = viewer) {
  return server.get(`/v1/transactions?${query}`, key);
}

async function walk(query: string, key = viewer): Promise<string[]> {
  const ids: string[] = [];
  for (let cursor = ""; ;) {
    const { status, json, text } = await list(`${query}${cursor && `&cursor=${cursor}`}`, key);
    if (status !== 200) throw new Error(text);
    ids.push(...idsOf(json));
    if (json["has_more"] !== true) return ids;
    cursor = String(json["next_cursor"]);
  }
}

function idsOf(json: Record<string, unknown>): string[] {
  return (json["data"] as { id: string }[]).map(({ id }) => id);
}

function sinceFebruary(query: string): Promise<string[]> {
  return walk(`${query}&status_date[gte]=2026-02-01`);
}

async function walletSeenBy(key: string): Promise<unknown> {
  const { json } = await list("q=01TX0000000059", key);
  return (json["data"] as { wallet_address: string }[])[0]?.wallet_address;
}

function between(from: string, to: string) {
  return ({ statusDate }: TransactionRecord) =>
    statusDate.slice(11, 16) >= from && statusDate.slice(11, 16) < to;
}

function num(record: TransactionRecord): number {
  return Math.floor(Number(record.inAmount));
}
