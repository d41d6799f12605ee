import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, describe, expect, test } from "vitest";
import { recordHash } from "../../../src/core/record-hash.ts";
import { createBlemishes, type Blemish } from "../../../src/sandbox/ledger/blemishes.ts";
import type { Answers } from "../../../src/sandbox/transactions/answers.ts";
import { faultKinds, noFaults, parseFaults } from "../../../src/sandbox/transactions/faults.ts";
import { createTransactionHandler } from "../../../src/sandbox/transactions/request-handler.ts";
import { afterAllMs, aLedger, toMs } from "../ledger/a-ledger.ts";
import { ask, authorised, keysOf, pageOf, readAll, setUp, type Page } from "./some-answers.ts";

const ledger = aLedger({ transactions: 300 });
const rowCount = Array.from({ length: 300 }, (_, index) => ledger.history.rowsOfTransaction(index)).flat()
  .length;
const withFaults = (faults: string, dialect = "") => setUp({ ledger, faults, dialect }).answers;
const statuses = (answers: Answers, count: number) =>
  Array.from({ length: count }, () => ask(answers).status);

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.closeAllConnections();
  for (const server of servers) server.close();
});

describe("answers", () => {
  test("429: at the given rate, with Retry-After in seconds and as a date", () => {
    const answers = withFaults("429=0.4");
    const all = Array.from({ length: 200 }, () => ask(answers));
    const refused = all.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(50);
    expect(refused.length).toBeLessThan(110);
    const waits = refused.map(({ headers }) => headers["retry-after"]!);
    expect(waits.some((text) => /^\d+$/.test(text))).toBe(true);
    expect(waits.some((text) => Date.parse(text) > afterAllMs && text.endsWith("GMT"))).toBe(true);
  });

  test("rate-limit: no more requests a second than allowed", () => {
    let nowMs = afterAllMs;
    const { answers } = setUp({ ledger, faults: "rate-limit=5", now: () => nowMs });
    expect(statuses(answers, 7)).toEqual([200, 200, 200, 200, 200, 429, 429]);
    nowMs += 400;
    expect(statuses(answers, 3)).toEqual([200, 200, 429]);
    nowMs += 10_000;
    expect(statuses(answers, 6)).toEqual([200, 200, 200, 200, 200, 429]);
  });

  test("5xx: all four of them, as JSON and as a proxy's page", () => {
    const answers = withFaults("5xx=1");
    const all = Array.from({ length: 60 }, () => ask(answers));
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([500, 502, 503, 504]));
    expect(new Set(all.map(({ headers }) => headers["content-type"])).size).toBe(2);
  });
  test("html: with status 200", () => {
    const { status, headers, body } = ask(withFaults("html=1"));
    expect([status, headers["content-type"]]).toEqual([200, "text/html; charset=utf-8"]);
    expect(body).toContain("<!doctype html>");
  });

  test("bom and nan: bodies that are not JSON", () => {
    expect(ask(withFaults("bom=1")).body.startsWith("\uFEFF{")).toBe(true);
    expect(ask(withFaults("nan=1")).body).toContain('"inAmount":NaN');
  });

  test("revoked-after: the key stops working for good", () => {
    expect(statuses(withFaults("revoked-after=3"), 6)).toEqual([200, 200, 200, 401, 401, 401]);
  });

  test("the same request of the same seed has the same fate", () => {
    const [once, again] = [0, 1].map(() => statuses(withFaults("429=0.3,5xx=0.2"), 60));
    expect(once).toEqual(again);
    expect(new Set(once).size).toBeGreaterThan(2);
  });
});

describe("on the wire", () => {
  test("latency-ms: the answer waits", async () => {
    const url = await serve(withFaults("latency-ms=80"));
    const started = performance.now();
    expect((await get(url)).status).toBe(200);
    expect(performance.now() - started).toBeGreaterThan(35);
  });

  test("reset: no answer at all", async () => {
    await expect(get(await serve(withFaults("reset=1")))).rejects.toThrow("fetch failed");
  });

  test("truncated: the body breaks off, with the connection or without", async () => {
    const url = await serve(withFaults("truncated=1"));
    const outcomes = new Set<string>();
    for (let tries = 0; tries < 30; tries++) {
      const text = await get(url)
        .then(
          (response) => response.text(),
          () => null,
        )
        .catch(() => null);
      outcomes.add(text === null ? "cut" : isJson(text) ? "whole" : "not json");
    }
    expect(outcomes).toEqual(new Set(["cut", "not json"]));
  });

  test("slow-body: whole, but late", async () => {
    const started = performance.now();
    const response = await get(await serve(withFaults("slow-body=1")));
    expect(isJson(await response.text())).toBe(true);
    expect(performance.now() - started).toBeGreaterThan(500);
  });

  test("skew-seconds: the Date header is off", async () => {
    const response = await get(await serve(withFaults("skew-seconds=-600")));
    expect(Date.parse(response.headers.get("date")!)).toBeCloseTo(afterAllMs - 600_000, -4);
  });

  test("without faults both endpoints answer, and other paths are left to others", async () => {
    const url = await serve(withFaults(""));
    const { transactionId } = ledger.history.transactionOf(5);
    expect(((await (await get(`${url}/transactions?limit=3`)).json()) as Page).transactions).toHaveLength(3);
    const single: unknown = await (await get(`${url}/transactions/${transactionId}`)).json();
    expect(single).toMatchObject({ transactionId });
    expect((await get(`${url}/transactions/%`)).status).toBe(404);
    expect((await get(`${url}/transactionsfoo`)).status).toBe(599);
    expect((await get(`${url}/transactions/a/b`)).status).toBe(599);
  });
});

describe("pages", () => {
  test("duplicates: within a page and across pages, but nothing is lost and no page is too long", () => {
    const pages = readAll(withFaults("duplicates=0.7"), { limit: "10" });
    expect(pages.every(({ transactions }) => transactions.length <= 10)).toBe(true);
    const keys = keysOf(pages);
    expect(new Set(keys).size).toBe(rowCount);
    expect(keys.length).toBeGreaterThan(rowCount + 20);
    const within = pages.some((page) => new Set(keysOf([page])).size < page.transactions.length);
    const across = pages.some(
      (page, at) => at > 0 && keysOf([page]).some((key) => keysOf([pages[at - 1]!]).includes(key)),
    );
    expect([within, across]).toEqual([true, true]);
  });

  test("over-limit and huge-page: more records than asked for", () => {
    expect(pageOf(ask(withFaults("over-limit=1"), { limit: "10" })).transactions).toHaveLength(12);
    expect(pageOf(ask(withFaults("huge-page=1"), { limit: "2" })).transactions).toHaveLength(100);
  });

  test("cursor-pages: a listing of more pages is refused", () => {
    const answers = withFaults("cursor-pages=2");
    const first = pageOf(ask(answers));
    const second = pageOf(ask(answers, { cursor: first.cursor! }));
    const third = ask(answers, { cursor: second.cursor! });
    expect([third.status, third.body]).toEqual([400, expect.stringContaining("has expired")]);
  });

  test("cursor-seconds: an old cursor is refused", () => {
    let nowMs = afterAllMs;
    const { answers } = setUp({ ledger, faults: "cursor-seconds=30", now: () => nowMs });
    const { cursor } = pageOf(ask(answers));
    nowMs += 30_000;
    expect(ask(answers, { cursor: cursor! }).status).toBe(200);
    nowMs += 1;
    expect(ask(answers, { cursor: cursor! }).status).toBe(400);
  });

  test("cursor-loop: a page leads to itself, or back to an earlier one", () => {
    const answers = withFaults("cursor-loop=0.5");
    let cursor = pageOf(ask(answers, { limit: "5" })).cursor!;
    const seen = [cursor];
    const loops = new Set<number>();
    for (let pages = 0; pages < 40; pages++) {
      cursor = pageOf(ask(answers, { limit: "5", cursor })).cursor!;
      const before = seen.lastIndexOf(cursor);
      if (before >= 0) loops.add(Math.min(seen.length - before, 2));
      seen.push(cursor);
    }
    expect(loops).toEqual(new Set([1, 2]));
  });

  test("window-days: a long window is refused, a short one is not", () => {
    const answers = withFaults("window-days=7");
    expect(ask(answers).status).toBe(400);
    const startDateTime = "2024-05-01T00:00:00Z";
    expect(ask(answers, { startDateTime, endDateTime: "2024-05-08T00:00:00Z" }).status).toBe(200);
    expect(ask(answers, { startDateTime, endDateTime: "2024-05-08T00:00:00.001Z" }).status).toBe(400);
  });
});

describe("records", () => {
  test("malformed: the same ones every time, in many ways, and the ledger knows which", () => {
    const answers = withFaults("malformed=0.3");
    const records = recordsOf(readAll(answers));
    const broken = records.filter((record) => isBroken(record));
    expect(records).toHaveLength(rowCount);
    expect(broken.length).toBe(
      apart("malformed=0.3").filter(({ blemish }) => blemish === "malformed").length,
    );
    expect(broken.length).toBeGreaterThan(rowCount * 0.2);
    expect(recordsOf(readAll(answers)).filter((record) => isBroken(record))).toEqual(broken);
  });

  test.each<[Blemish, (record: Record<string, unknown>) => boolean]>([
    [
      "unknown-status",
      ({ status }) =>
        !["new", "pending", "paid", "completed", "failed", "canceled"].includes(status as string),
    ],
    ["unknown-fields", (record) => "riskScore" in record],
    ["null-fields", (record) => Object.values(record).includes(null)],
  ])("%s: what the ledger expects is what is served", (name, isOdd) => {
    const odd = recordsOf(readAll(withFaults(`${name}=0.2`))).filter((record) => isOdd(record));
    const expected = apart(`${name}=0.2`).filter(({ blemish }) => blemish === name);
    expect(odd.map((record) => JSON.stringify(record)).toSorted()).toEqual(
      expected.map(({ text }) => JSON.stringify(JSON.parse(text))).toSorted(),
    );
    expect(odd.length).toBeGreaterThan(20);
    // It can still be kept, and has an identity of its own.
    expect(new Set(expected.map(({ record }) => recordHash(record!))).size).toBe(expected.length);
  });

  test("late: invisible until some time after the status date, then there", () => {
    let nowMs = toMs;
    const { answers } = setUp({ ledger, faults: "late=0.5,late-seconds=864000", now: () => nowMs });
    const happened = (ms: number) =>
      Array.from({ length: 300 }, (_, index) => ledger.history.rowsOfTransaction(index))
        .flat()
        .filter((row) => row.dateMs <= ms).length;
    const early = keysOf(readAll(answers)).length;
    expect(early).toBeLessThan(happened(toMs) - 20);
    nowMs = afterAllMs;
    expect(keysOf(readAll(answers))).toHaveLength(rowCount);
  });

  test("drift: records appear in old places while the sandbox runs, and all are there in the end", () => {
    let nowMs = afterAllMs;
    const { answers } = setUp({ ledger, faults: "drift=0.4,churn-seconds=10", now: () => nowMs });
    const counts = [0, 3_000, 6_000, 11_000].map((laterMs) => {
      nowMs = afterAllMs + laterMs;
      return keysOf(readAll(answers)).length;
    });
    expect(counts).toEqual(counts.toSorted((a, b) => a - b));
    expect(counts[0]).toBeLessThan(rowCount - 100);
    expect(counts.at(-1)).toBe(rowCount);
  });

  test("vanished: transactions disappear from lists and singly", () => {
    let nowMs = afterAllMs;
    const { answers } = setUp({ ledger, faults: "vanished=0.3,churn-seconds=10", now: () => nowMs });
    const before = recordsOf(readAll(answers));
    nowMs += 11_000;
    const after = new Set(recordsOf(readAll(answers)).map((record) => record["transactionId"]));
    const gone = before.filter((record) => !after.has(record["transactionId"]));
    expect(before).toHaveLength(rowCount);
    expect(gone.length).toBeGreaterThan(50);
    expect(answers.single({ ...authorised, query: "" }, String(gone[0]!["transactionId"])).status).toBe(404);
  });

  test("edited: a record says something else without a new status date", () => {
    let nowMs = afterAllMs;
    const { answers } = setUp({ ledger, faults: "edited=0.3,churn-seconds=10", now: () => nowMs });
    const before = new Map(
      recordsOf(readAll(answers)).map((record) => [keyOf(record), JSON.stringify(record)]),
    );
    nowMs += 11_000;
    const changed = recordsOf(readAll(answers)).filter(
      (record) => before.get(keyOf(record)) !== JSON.stringify(record),
    );
    expect(changed.length).toBeGreaterThan(rowCount * 0.2);
    expect(changed.every((record) => before.has(keyOf(record)))).toBe(true);
  });

  test("switching faults off heals everything at once", () => {
    const { answers, switches } = setUp({ ledger, faults: "malformed=1,429=0.5,vanished=1" });
    switches.faults = noFaults;
    const pages = readAll(answers);
    expect(keysOf(pages)).toHaveLength(rowCount);
    expect(recordsOf(pages).some((record) => isBroken(record))).toBe(false);
  });
});

test("faults are read from a line of names, and mistakes are named", () => {
  expect(parseFaults("")).toEqual(noFaults);
  expect(parseFaults("429=0.05, skew-seconds=-5")).toMatchObject({ "429": 0.05, "skew-seconds": -5 });
  expect(() => parseFaults("fire=1")).toThrow(/none is called "fire"; there are .*429/);
  expect(() => parseFaults("429=2")).toThrow(/429 is a share between 0 and 1, not "2"/);
  expect(() => parseFaults("429")).toThrow(/not ""/);
  expect(() => parseFaults("rate-limit=-1")).toThrow(/a number, 0 or more/);
});

test("every fault is tried above", () => {
  expect(Object.keys(faultKinds)).toHaveLength(29);
});

function recordsOf(pages: readonly Page[]): Record<string, unknown>[] {
  return pages.flatMap((page) => page.transactions);
}

function keyOf({ transactionId, status, statusDate }: Record<string, unknown>): string {
  return [transactionId, status, statusDate].map(String).join(" ");
}

function apart(faults: string) {
  const view = ledger.at(afterAllMs);
  const blemishes = createBlemishes({ seed: "tests", faults: parseFaults(faults), sinceMs: afterAllMs });
  return Array.from({ length: 300 }, (_, index) => ledger.history.rowsOfTransaction(index))
    .flat()
    .map((row) => blemishes.served(view, row));
}

function isBroken(record: Record<string, unknown>): boolean {
  const { transactionId, status, statusDate, inAmount, outAmount, details } = record;
  return (
    [transactionId, status].some((text) => typeof text !== "string") ||
    Number.isNaN(Date.parse(String(statusDate))) ||
    [inAmount, outAmount].some((amount) => typeof amount !== "number") ||
    details !== undefined
  );
}

async function serve(answers: Answers): Promise<string> {
  const handle = createTransactionHandler(answers);
  const server = createServer((request, response) => {
    if (!handle(request, response)) response.writeHead(599).end();
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function get(url: string): Promise<Response> {
  const address = new URL(url).pathname === "/" ? `${url}/transactions` : url;
  return fetch(address, { headers: { authorization: "pk_sandbox", "x-service-secret": "sk_sandbox" } });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
