import { describe, expect, test } from "vitest";
import { parseInstant } from "../../src/core/instant.ts";
import { normalisePage } from "../../src/upstream/normalise.ts";
import { idsPerRequestMax } from "../../src/upstream/transactions.ts";
import { emptyPage, failure, scripted } from "./client-for.ts";

const record = { transactionId: "a", status: "new", statusDate: "2026-01-15T12:00:00.000Z" };

const many = (count: number) => ({ body: { transactions: Array.from({ length: count }, () => record) } });

describe("fault 06: the end of a listing", () => {
  test.each([
    ["absent", {}],
    ["null", { cursor: null }],
    ["empty", { cursor: "" }],
  ])("a cursor that is %s is the end", async (_, more) => {
    const { upstream } = await scripted([{ body: { ...emptyPage, ...more } }]);
    expect((await upstream.fetchPage()).nextCursor).toBeNull();
  });

  test("a short or an empty page with a cursor goes on", async () => {
    const { upstream } = await scripted([{ body: { ...emptyPage, cursor: "more" } }]);
    expect((await upstream.fetchPage()).nextCursor).toBe("more");
  });

  test("a cursor sent as a number keeps its digits", async () => {
    const { upstream } = await scripted([{ body: '{"transactions":[],"cursor":12345678901234567890}' }]);
    expect((await upstream.fetchPage()).nextCursor).toBe("12345678901234567890");
  });

  // The last two cannot be kept, nor sent back as they came.
  test.each([true, {}, ["c"], "a\u0000b", "\ud800"])(
    "a cursor that is %j fails the page: it must not pass for the end",
    async (cursor) => {
      const { upstream } = await scripted([{ body: { ...emptyPage, cursor } }], { attemptsMax: 1 });
      expect(await failure(upstream.fetchPage())).toMatchObject({
        code: "body_unexpected",
        field: "cursor",
        retry: true,
      });
    },
  );

  test("a cursor nested too deep fails the page", async () => {
    const deep = "[".repeat(100) + "]".repeat(100);
    const { upstream } = await scripted([{ body: `{"transactions":[],"cursor":${deep}}` }], {
      attemptsMax: 1,
    });
    expect(await failure(upstream.fetchPage())).toMatchObject({ code: "body_unexpected" });
  });
});

describe("a page", () => {
  test("asks with all that it was given, encoded", async () => {
    const { upstream, server } = await scripted([{ body: emptyPage }]);
    const from = parseInstant("2026-01-01T00:00:00Z") ?? undefined;
    const to = parseInstant("2026-01-02T00:00:00Z") ?? undefined;
    if (!from || !to) throw new Error("unreadable");
    await upstream.fetchPage({ from, to, limit: 7, cursor: "a+b/c=&d", ids: ["x", "y é"] });
    expect(Object.fromEntries(server.requests[0]?.query ?? [])).toEqual({
      startDateTime: "2026-01-01T00:00:00.000Z",
      endDateTime: "2026-01-02T00:00:00.000Z",
      limit: "7",
      transactionIds: "x,y é",
      cursor: "a+b/c=&d",
    });
  });

  test("leaves out what it was not given, and always says its limit", async () => {
    const { upstream, server } = await scripted([{ body: emptyPage }]);
    await upstream.fetchPage();
    expect(server.requests[0]?.path).toBe("/transactions?limit=50");
  });

  test("carries the limit in force and the server's clock", async () => {
    const headers = { date: "Thu, 15 Jan 2026 12:00:00 GMT" };
    const { upstream } = await scripted([
      { headers, body: { ...emptyPage, limit: 20 } },
      { body: { transactions: [] } },
    ]);
    const first = await upstream.fetchPage();
    expect(first).toMatchObject({ echoedLimit: 20, serverDateMs: Date.UTC(2026, 0, 15, 12) });
    expect(await upstream.fetchPage()).toMatchObject({ echoedLimit: null });
  });

  test("fault 09: somewhat more than the limit is taken, ten times as much is not", async () => {
    const { upstream } = await scripted([many(22), many(21), many(20)]);
    expect(await failure(upstream.fetchPage({ limit: 2 }))).toMatchObject({
      code: "page_too_large",
      retry: false,
    });
    expect(await failure(upstream.fetchPage({ limit: 2 }))).toMatchObject({ code: "page_too_large" });
    expect((await upstream.fetchPage({ limit: 2 })).rawRecords).toHaveLength(20);
  });

  test.each([
    [],
    null,
    "text",
    {},
    { transactions: null },
    { transactions: { 0: record } },
    { message: emptyPage },
  ])("a body of %j is not a page", async (body) => {
    const { upstream } = await scripted([{ body: JSON.stringify(body) }], { attemptsMax: 1 });
    expect(await failure(upstream.fetchPage())).toMatchObject({ code: "body_unexpected", retry: true });
  });

  test("fault 10: one record nested too deep costs that record, not the page", async () => {
    const deep = "[".repeat(100_000) + "]".repeat(100_000);
    const text = JSON.stringify(record);
    const body = `{"transactions":[${text},{"deep":${deep},${text.slice(1)},${text}],"cursor":"c"}`;
    const { upstream } = await scripted([{ body }]);
    const { rawRecords, nextCursor } = await upstream.fetchPage();
    const { records, rejections } = normalisePage(rawRecords);
    expect(records).toHaveLength(2);
    expect(rejections).toMatchObject([{ reason: "nested_too_deep" }]);
    expect(nextCursor).toBe("c");
  });

  test.each([0, -1, 1.5, 51, Number.NaN])(
    "a limit of %s is our own mistake, and nothing is sent",
    async (limit) => {
      const { upstream, server } = await scripted([{ body: emptyPage }]);
      await expect(upstream.fetchPage({ limit })).rejects.toThrow(RangeError);
      expect(server.requests).toEqual([]);
    },
  );

  test("51 ids, none, or one that holds a comma are our own mistake, and nothing is sent", async () => {
    const { upstream, server } = await scripted([{ body: emptyPage }]);
    const ids = Array.from({ length: idsPerRequestMax + 1 }, (_, index) => `id${index}`);
    await expect(upstream.fetchPage({ ids })).rejects.toThrow(RangeError);
    await expect(upstream.fetchPage({ ids: [] })).rejects.toThrow(RangeError);
    await expect(upstream.fetchPage({ ids: ["a,b"] })).rejects.toThrow(/comma/);
    expect(server.requests).toEqual([]);
    await upstream.fetchPage({ ids: ids.slice(1) });
  });
});

describe("one transaction", () => {
  test("is the same record as in the list", async () => {
    const { upstream } = await scripted([{ body: record }, { body: { transactions: [record] } }]);
    const single = await upstream.fetchTransaction("a");
    expect(single).toEqual(normalisePage((await upstream.fetchPage()).rawRecords).records[0]);
  });

  test("its id is encoded, whatever it holds", async () => {
    const { upstream, server } = await scripted([{ body: record }]);
    await upstream.fetchTransaction("a/b?c=d--");
    expect(server.requests[0]?.path).toBe("/transactions/a%2Fb%3Fc%3Dd--");
  });

  test.each(["", ".", ".."])("an id of %j would read something else, and is refused", async (id) => {
    const { upstream, server } = await scripted([{ body: record }]);
    await expect(upstream.fetchTransaction(id)).rejects.toThrow(RangeError);
    expect(server.requests).toEqual([]);
  });

  test("one that is not there is not_found", async () => {
    const { upstream } = await scripted([{ status: 404 }]);
    expect(await failure(upstream.fetchTransaction("a"))).toMatchObject({
      code: "not_found",
      endpoint: "GET /transactions/{transactionId}",
    });
  });

  test("one that cannot be understood is a rejection, not an error", async () => {
    const { upstream } = await scripted([{ body: { status: "new" } }]);
    expect(await upstream.fetchTransaction("a")).toMatchObject({ kind: "rejection" });
  });
});
