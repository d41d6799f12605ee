import { createHash } from "node:crypto";
import { describe, expect, test } from "vitest";
import { dialectWords, parseDialect, plainDialect } from "../../../src/sandbox/transactions/dialect.ts";
import { namingOf } from "../../../src/sandbox/transactions/currency-names.ts";
import type { SandboxRecord } from "../../../src/sandbox/record.ts";
import type { Decimal } from "../../../src/core/decimal.ts";
import { afterAllMs, aLedger, DAY, fromMs, HOUR, toMs, world } from "../ledger/a-ledger.ts";
import { ask, authorised, inText, keysOf, pageOf, readAll, setUp } from "./some-answers.ts";

const small = aLedger({ transactions: 260 });
const view = small.at(afterAllMs);
const everyRow = Array.from({ length: 260 }, (_, index) => small.history.rowsOfTransaction(index)).flat();
const everything = everyRow.map((row) => JSON.stringify(JSON.parse(view.textOf(row)))).toSorted();
const latestRows = Array.from({ length: 260 }, (_, index) => small.history.rowsOfTransaction(index).at(-1)!);

describe("the pages of a listing together are the whole set", () => {
  const dialects = Object.entries(dialectWords).flatMap(([name, words]) =>
    words.map((word) => `${name}=${word}`),
  );

  test.each([
    ...dialects,
    "last-cursor=echo,order=descending,pages=short",
    "last-cursor=empty-page,window=creation,pages=empty-between,order=scrambled",
    "last-cursor=null,window=creation,order=descending,rows=latest,pages=single",
    "last-cursor=empty,pages=empty-between,rows=latest",
  ])("when %s", (dialect) => {
    const { answers } = setUp({ ledger: small, dialect });
    const named = small.at(afterAllMs, namingOf(parseDialect(dialect)));
    const rows = dialect.includes("rows=latest") ? latestRows : everyRow;
    const expected = rows.map((row) => JSON.stringify(JSON.parse(named.textOf(row)))).toSorted();
    expect(keysOf(readAll(answers)).toSorted()).toEqual(expected);
  });

  test("and name a crypto asset by its code, or by its id in the other dialect", () => {
    const assetsOf = (dialect: string) =>
      new Set(
        readAll(setUp({ ledger: small, dialect }).answers)
          .flatMap(({ transactions }) => transactions)
          .map(
            (record) => record[record["transactionType"] === "sell" ? "sourceCurrency" : "targetCurrency"],
          ),
      );
    const symbols = new Set(world.assets.map(({ symbol }) => symbol));
    expect([...assetsOf("")].filter((name) => !symbols.has(String(name)))).toEqual([]);
    expect(assetsOf("currency=id")).toContain("usdc_polygon");
    expect(assetsOf("currency=id")).toContain("btc_bitcoin");
    expect(assetsOf("currency=id,asset-ids=bare")).toContain("btc");
  });

  test("and a limit above 50 is refused, or 50 in the other dialect", () => {
    expect(ask(setUp({ ledger: small }).answers, { limit: "51" }).status).toBe(400);
    for (const above of ["51", "1000000000000", "9".repeat(400)]) {
      const { limit, transactions } = pageOf(
        ask(setUp({ ledger: small, dialect: "limit-above=capped" }).answers, { limit: above }),
      );
      expect([limit, transactions.length]).toEqual([50, 50]);
    }
  });

  test.each([1, 7, 49, 50])("with a limit of %i", (limit) => {
    const pages = readAll(setUp({ ledger: small }).answers, { limit: String(limit) });
    expect(keysOf(pages).toSorted()).toEqual(everything);
    expect(pages.every((page) => page.limit === limit && page.transactions.length <= limit)).toBe(true);
  });

  test("when the set is a multiple of the limit, without an empty page at the end", () => {
    const { answers } = setUp({ ledger: small });
    const ids = everyRow
      .slice(0, 1)
      .map((row) => row.transactionId)
      .join(",");
    const rows = pageOf(ask(answers, { transactionIds: ids })).transactions.length;
    const pages = readAll(answers, { transactionIds: ids, limit: String(rows) });
    expect(pages).toHaveLength(1);
    expect(pages[0]).not.toHaveProperty("cursor");
  });
});

describe("the last page", () => {
  test("has no cursor, a null one or an empty one", () => {
    expect(readIn("").at(-1)).not.toHaveProperty("cursor");
    expect(readIn("last-cursor=null").at(-1)?.cursor).toBeNull();
    expect(readIn("last-cursor=empty").at(-1)?.cursor).toBe("");
  });

  test("may be followed by an empty one, which ends or echoes", () => {
    const ended = readIn("last-cursor=empty-page");
    expect(ended.at(-1)?.transactions).toEqual([]);
    expect(ended.at(-1)).not.toHaveProperty("cursor");
    const echoed = readIn("last-cursor=echo");
    expect(echoed.at(-1)?.transactions).toEqual([]);
    expect(echoed.at(-1)?.cursor).toBe(echoed.at(-2)?.cursor);
  });
});

// Readers keep hashes of what they were sent: a quicker way to write a page must not change one byte of it.
test("a seed's listing is the same bytes for ever", () => {
  const { answers } = setUp();
  const digest = createHash("sha256");
  for (let cursor: string | null | undefined = ""; typeof cursor === "string";) {
    const answer = answers.list({ ...authorised, query: cursor === "" ? "" : `cursor=${cursor}` });
    digest.update(answer.body);
    cursor = pageOf(inText(answer)).cursor;
  }
  expect(digest.digest("hex")).toBe("06c96c57b42fd1575e62a243924b2b356155a1a8366043f09f43648a00c5d453");
});

test("records ascend, descend or are mixed within a page", () => {
  const ascending = datesIn("");
  expect(ascending).toEqual(ascending.toSorted());
  expect(datesIn("order=descending")).toEqual(ascending.toSorted().toReversed());
  expect(datesIn("order=scrambled")).not.toEqual(ascending);
});

test("short pages and empty ones have a cursor all the same", () => {
  const short = readAll(setUp({ ledger: small, dialect: "pages=short" }).answers);
  expect(new Set(short.map((page) => page.transactions.length)).size).toBeGreaterThan(5);
  const between = readAll(setUp({ ledger: small, dialect: "pages=empty-between" }).answers);
  expect(between.filter((page) => page.transactions.length === 0 && page.cursor).length).toBeGreaterThan(5);
});

describe("a time window", () => {
  const clustered = aLedger({ transactions: 6000, toMs: fromMs + DAY, clusterMs: 60_000 });
  const all = Array.from({ length: 6000 }, (_, index) => clustered.history.rowsOfTransaction(index)).flat();
  const start = fromMs + 5 * HOUR;
  const end = fromMs + 5 * HOUR + 120_000;
  const query = { startDateTime: new Date(start).toISOString(), endDateTime: new Date(end).toISOString() };
  const countBetween = (dialect: string) =>
    keysOf(readAll(setUp({ ledger: clustered, dialect }).answers, query)).length;
  const at = (ms: number) => all.filter((row) => row.dateMs === ms).length;

  test("takes or leaves the records exactly on its bounds", () => {
    const inside = at(start + 60_000);
    expect(Math.min(at(start), inside, at(end))).toBeGreaterThan(6);
    expect(countBetween("")).toBe(at(start) + inside);
    expect(countBetween("start=exclusive")).toBe(inside);
    expect(countBetween("end=inclusive")).toBe(at(start) + inside + at(end));
    expect(countBetween("start=exclusive,end=inclusive")).toBe(inside + at(end));
  });

  test("selects by creation: then all statuses of those transactions, however late", () => {
    const pages = readAll(setUp({ ledger: clustered, dialect: "window=creation" }).answers, query);
    const ids = new Set(all.filter((row) => isCreatedIn(row.index)).map((row) => row.transactionId));
    const records = pages.flatMap((page) => page.transactions);
    expect(new Set(records.map((record) => record["transactionId"]))).toEqual(ids);
    expect(records).toHaveLength(all.filter((row) => ids.has(row.transactionId)).length);
  });

  test("neighbouring windows share nothing and miss nothing", () => {
    const { answers } = setUp({ ledger: clustered });
    const edges = [fromMs - DAY, fromMs, start, start + 1, end, end + 30_000, fromMs + DAY, fromMs + 9 * DAY];
    const parts = edges.slice(1).flatMap((to, i) =>
      keysOf(
        readAll(answers, {
          startDateTime: new Date(edges[i]!).toISOString(),
          endDateTime: new Date(to).toISOString(),
        }),
      ),
    );
    expect(parts).toHaveLength(all.length);
    expect(new Set(parts).size).toBe(all.length);
  });

  test("may be given with an offset, as a day, or finer than a millisecond", () => {
    const { answers } = setUp({ ledger: small });
    const count = (startDateTime: string) => keysOf(readAll(answers, { startDateTime })).length;
    expect(count("2024-05-01T02:00:00+02:00")).toBe(count("2024-05-01T00:00:00.000Z"));
    expect(count("2024-05-01")).toBe(count("2024-05-01T00:00:00Z"));
    const exact = everyRow[200]!.dateMs;
    const text = new Date(exact).toISOString();
    expect(count(text)).toBe(count(text.replace("Z", "4Z")) + 1);
  });

  function isCreatedIn(index: number): boolean {
    const { createdMs } = clustered.history.transactionOf(index);
    return createdMs >= start && createdMs < end;
  }
});

describe("transactionIds", () => {
  test("of which one is unknown are all refused in the other dialect", () => {
    const { answers } = setUp({ ledger: small, dialect: "unknown-ids=refused" });
    const ids = [3, 77].map((index) => small.history.transactionOf(index).transactionId);
    expect(ask(answers, { transactionIds: ids.join(",") }).status).toBe(200);
    expect(ask(answers, { transactionIds: [...ids, "unknown"].join(",") }).status).toBe(404);
    expect(ask(answers, {}).status).toBe(200);
  });

  test("select all statuses of those transactions, unknown ids aside", () => {
    const { answers } = setUp({ ledger: small });
    const ids = [3, 77, 200].map((index) => small.history.transactionOf(index).transactionId);
    const pages = readAll(answers, { transactionIds: [...ids, "unknown", ids[0]].join(","), limit: "3" });
    const rows = [3, 77, 200].flatMap((index) => small.history.rowsOfTransaction(index));
    expect(keysOf(pages).toSorted()).toEqual(
      rows.map((row) => JSON.stringify(JSON.parse(view.textOf(row)))).toSorted(),
    );
  });

  test("and a window select what lies in both", () => {
    const { answers } = setUp({ ledger: small });
    const [row] = small.history.rowsOfTransaction(77);
    const startDateTime = new Date(row!.dateMs).toISOString();
    const endDateTime = new Date(row!.dateMs + 1).toISOString();
    const page = pageOf(ask(answers, { transactionIds: row!.transactionId, startDateTime, endDateTime }));
    expect(page.transactions.map((record) => record["statusDate"])).toEqual([startDateTime]);
  });
});

test("a single transaction is its latest record", () => {
  const { answers } = setUp({ ledger: small });
  const latest = small.history.rowsOfTransaction(42).at(-1)!;
  const found = answers.single(
    { authorization: "pk_sandbox", serviceSecret: "sk_sandbox", query: "" },
    latest.transactionId,
  );
  expect(found.body).toBe(view.textOf(latest));
});

test("what people did appears among the seeded records, also outside the history's time", () => {
  const made = [
    "2024-05-01T10:00:00.000Z",
    "2024-05-01T10:00:30.000Z",
    new Date(toMs + 20 * DAY).toISOString(),
    "2020-01-01T00:00:00.000Z",
  ];
  const records = made.map((statusDate, at): SandboxRecord =>
    journalRecord(statusDate, at < 2 ? "one" : `other-${at}`, at === 0 ? "new" : "completed"),
  );
  const ledger = aLedger({ transactions: 260 }, records);
  for (const dialect of ["", "window=creation", "order=descending", "rows=latest"]) {
    const { answers } = setUp({ ledger, dialect });
    const found = keysOf(readAll(answers, { limit: "20" })).filter((text) =>
      text.includes("checkout made by hand"),
    );
    expect(found).toHaveLength(dialect === "rows=latest" ? 3 : 4);
  }
  const { answers } = setUp({ ledger });
  const asked = pageOf(ask(answers, { transactionIds: "one" })).transactions;
  expect(asked.map((record) => record["status"])).toEqual(["new", "completed"]);
});

test("a cursor works with another limit, and only for the listing it belongs to", () => {
  const { answers } = setUp({ ledger: small });
  const first = pageOf(ask(answers, { limit: "10" }));
  const second = pageOf(ask(answers, { limit: "20", cursor: first.cursor! }));
  expect([...first.transactions, ...second.transactions]).toEqual(
    pageOf(ask(answers, { limit: "30" })).transactions,
  );
  const elsewhere = ask(answers, { cursor: first.cursor!, startDateTime: "2024-05-01" });
  expect([elsewhere.status, elsewhere.body]).toEqual([
    400,
    expect.stringContaining("belongs to other filters"),
  ]);
});

test("dialects are read from a line of words, and mistakes are named", () => {
  expect(parseDialect("")).toEqual(plainDialect);
  expect(parseDialect("window=creation, start=exclusive")).toMatchObject({
    window: "creation",
    start: "exclusive",
  });
  expect(() => parseDialect("windows=creation")).toThrow(
    /no switch "windows"; there are last-cursor, window/,
  );
  expect(() => parseDialect("window=both")).toThrow(/window is one of status, creation, not "both"/);
});

function readIn(dialect: string) {
  return readAll(setUp({ ledger: small, dialect }).answers);
}

function datesIn(dialect: string): string[] {
  return readIn(dialect).flatMap((page) => page.transactions.map((record) => String(record["statusDate"])));
}

function journalRecord(statusDate: string, transactionId: string, status: string): SandboxRecord {
  return {
    apiKey: "pk_sandbox",
    country: "de",
    inAmount: "100" as Decimal,
    outAmount: "0.001" as Decimal,
    onramp: "moonpay",
    onrampTransactionId: "checkout made by hand",
    paymentMethod: "creditcard",
    sourceCurrency: "eur",
    targetCurrency: "btc",
    status,
    statusDate,
    transactionId,
    transactionType: "buy",
    transactionHash: "",
    walletAddress: "bc1q",
  };
}
