import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { exportRoutes } from "../../src/api/exports/routes.ts";
import { reportRoutes } from "../../src/api/reports/routes.ts";
import { aKey, useApi } from "../api/an-api.ts";
import { checkSchema, type JsonSchema } from "../api/check-schema.ts";
import { createFolderFiles } from "../../src/store/files/folder-files.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { waitFor } from "../support/wait-for.ts";
import { keepAccount, keepMany, keepTransactions, parseCsv } from "./books.ts";
import { cellsOf, readWorkbook } from "./read-workbook.ts";

const database = useTestDatabase();
const keys: Record<string, string> = {};
const server = useApi(database, {
  extensions: [
    (api) => reportRoutes({ database: database.db, rowsMax: 41_000, places: { max: 4, waitMs: 300 } })(api),
    (api) =>
      exportRoutes({
        database: database.db,
        files: createFolderFiles("/nowhere"),
        randomBytes,
        enqueue: async () => undefined,
      })(api),
  ],
});

beforeAll(async () => {
  const eu = await keepAccount(database.db, "eu");
  const us = await keepAccount(database.db, "us");
  await keepTransactions(database.db, eu, [{ transaction_id: "e1", wallet_address: "bc1qexampleaddress" }]);
  await keepTransactions(database.db, us, [
    { transaction_id: "u1" },
    { transaction_id: "u2", provider: "globex" },
  ]);
  keys["viewer"] = await aKey(database.db, "viewer");
  keys["accountant"] = await aKey(database.db, "accountant");
  keys["admin"] = await aKey(database.db, "admin");
  keys["euAdmin"] = await aKey(database.db, "admin", { accountIds: [eu] });
  keys["transactionsOnly"] = await aKey(database.db, "custom", { scopes: ["transactions:read"] });
  keys["euOnly"] = await aKey(database.db, "accountant", { accountIds: [eu] });
});

const october = "from=2026-10-01&to=2026-11-01";

describe("a report at once", () => {
  test("comes as a file with a telling name", async () => {
    const answer = await ask(`/v1/reports/transactions.csv?${october}&provider=acme&tz=Europe/London`);
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      "content-type": "text/csv; charset=utf-8; header=present",
      "content-disposition":
        'attachment; filename="transactions_v1_2026-10-01_2026-10-31_Europe-London_acme.csv"',
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "report-rows": "2",
      "report-partial": "false",
    });
    expect(parseCsv(await answer.text()).map((row) => row["transaction_id"])).toEqual(["e1", "u1"]);
  });

  test("finds the words of records in either case", async () => {
    const asked = `${october}&provider=ACME&status=Completed&transaction_type=BUY&source_currency=EUR`;
    const answer = await ask(`/v1/reports/transactions.csv?${asked}`);
    expect(parseCsv(await answer.text()).map((row) => row["transaction_id"])).toEqual(["e1", "u1"]);
  });

  test("comes as a workbook by its name, or by what the reader accepts", async () => {
    const type = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
    const named = await ask(`/v1/reports/transactions.xlsx?${october}`);
    const accepted = await ask(`/v1/reports/transactions?${october}`, "accountant", {
      headers: { Accept: `text/html, ${type};q=0.9` },
    });
    for (const answer of [named, accepted]) {
      expect(answer.status).toBe(200);
      expect(answer.headers.get("content-type")).toBe(type);
      expect(answer.headers.get("content-disposition")).toContain(
        "transactions_v1_2026-10-01_2026-10-31_UTC_all.xlsx",
      );
      const book = readWorkbook(Buffer.from(await answer.arrayBuffer()));
      const ids = cellsOf(book, "transactions").map((row) => row[1]?.v);
      expect(ids).toEqual(["transaction_id", "e1", "u1", "u2"]);
    }
  });

  test("leaves an entry in the audit log, with who and what", async () => {
    await (await ask(`/v1/reports/transactions.v1.jsonl?${october}&account=us`)).text();
    const [entry] = await database.db.query(
      "select actor, action, subject, after, request_id from tieout.audit_log order by number desc limit 1",
    );
    expect(entry).toMatchObject({
      actor: expect.stringMatching(/^key:/) as string,
      action: "report.exported",
      subject: "transactions.v1",
      request_id: "made-1",
      after: {
        rows: 2,
        format: "jsonl",
        parameters: { account: ["us"], from: ["2026-10-01"], to: ["2026-11-01"] },
      },
    });
  });

  test("shows wallets and accounts only to keys that may see them", async () => {
    expect(await (await ask(`/v1/reports/transactions.csv?${october}`, "viewer")).text()).toContain(
      "bc1q…ress",
    );
    expect(await (await ask(`/v1/reports/transactions.csv?${october}`)).text()).toContain(
      "bc1qexampleaddress",
    );
    const limited = parseCsv(await (await ask(`/v1/reports/transactions.csv?${october}`, "euOnly")).text());
    expect(limited.map((row) => row["account"])).toEqual(["eu"]);
  });

  test.each([
    ["position.csv?as_at=2026-11-01", "transactionsOnly", "scope_missing", "reconcile:read"],
    ["audit-trail.csv", "accountant", "scope_missing", "audit:read"],
    ["audit-trail.csv", "euAdmin", "key_limited", "all accounts"],
  ])("%s is not for the key %s: %s", async (path, key, code, says) => {
    const answer = await ask(`/v1/reports/${path}`, key);
    expect(answer.status).toBe(403);
    expect(await answer.json()).toMatchObject({ code, detail: expect.stringContaining(says) as string });
  });

  test("of another moment says which, and tells a limited key of its accounts only", async () => {
    const path = "/v1/reports/unsettled.csv?as_at=2026-11-01&tz=Europe/London";
    const answer = await ask(path, "euOnly");
    expect([answer.status, answer.headers.get("content-disposition")]).toEqual([
      200,
      'attachment; filename="unsettled_v1_start_2026-10-31_Europe-London_all.csv"',
    ]);
    expect(parseCsv(await answer.text()).map((row) => row["transaction_id"])).toEqual(["e1"]);
    const trail = await ask("/v1/reports/audit-trail.csv?subject=unsettled.v1", "admin");
    expect(parseCsv(await trail.text())).toMatchObject([{ action: "report.exported" }]);
  });

  test.each([
    [
      "an unknown format",
      "transactions.xml",
      404,
      "not_found",
      /^There is no format xml\. Ask for one of transactions\.v1\.csv, transactions\.v1\.jsonl, /,
    ],
    ["an unknown report", "transaction.csv", 404, "not_found", /Did you mean transactions\?/],
    [
      "a report without its format",
      "transactions",
      404,
      "not_found",
      /ask for \/v1\/reports\/transactions\.v1\.csv/,
    ],
    ["an unknown parameter", "transactions.csv?form=1", 400, "unknown_parameter", /did you mean from\?/],
    [
      "an unknown column",
      "transactions.csv?columns=statu",
      400,
      "invalid_parameter",
      /there is no column "statu"; did you mean status\?/,
    ],
    [
      "a bad time",
      "transactions.csv?from=yesterday",
      400,
      "invalid_parameter",
      /from: not a day or a time: "yesterday"\. Use 2026-11-14/,
    ],
    ["a day before all", "transactions.csv?from=0001-01-01", 400, "invalid_parameter", /not a day/],
    ["a bad zone", "transactions.csv?tz=Mars", 400, "invalid_parameter", /not a time zone: "Mars"/],
    ["an offset as zone", "transactions.csv?tz=%2B02:00", 400, "invalid_parameter", /not a time zone/],
    [
      "a preset that it does not have",
      "rates.csv?preset=xero",
      400,
      "invalid_parameter",
      /expected one of plain, excel, found "xero"/,
    ],
    [
      "a parameter given twice",
      "transactions.csv?tz=UTC&tz=UTC",
      400,
      "invalid_parameter",
      /given more than once/,
    ],
    ["a NUL", "transactions.csv?provider=a%00b", 400, "invalid_parameter", /printable characters/],
    [
      "an empty filter",
      "transactions.csv?status=",
      400,
      "invalid_parameter",
      /1 to 200 printable characters/,
    ],
    [
      "a key in the wrong place",
      "transactions.csv?tz=tieout_abcdefgh_secret",
      400,
      "invalid_parameter",
      /\[a key\]/,
    ],
    ["an unknown account", "transactions.csv?account=mars", 400, "invalid_parameter", /known are eu, us/],
  ])("refuses %s, and says what is allowed", async (_, path, status, code, says) => {
    const answer = await ask(`/v1/reports/${path}`);
    const body = (await answer.json()) as { code: string; detail: string };
    expect([answer.status, body.code]).toEqual([status, code]);
    expect(body.detail).toMatch(says);
    expect(answer.headers.get("content-type")).toBe("application/problem+json");
  });

  test("lists every problem at once", async () => {
    const body = (await (await ask("/v1/reports/transactions.csv?from=x&to=y&raw=maybe")).json()) as {
      errors: { path: string }[];
    };
    expect(body.errors.map(({ path }) => path)).toEqual(["from", "to", "raw"]);
  });

  test("of a period that is not covered is refused with the gaps; partial is said", async () => {
    const path = "/v1/reports/transactions.csv?from=2026-10-01&to=2026-12-01&account=us";
    const refused = await ask(path);
    expect(refused.status).toBe(409);
    expect(await refused.json()).toMatchObject({
      code: "period_not_covered",
      gaps: [{ account: "us", from: "2026-11-14T00:00:00.000Z", to: "2026-12-01T00:00:00.000Z" }],
    });
    const partial = await ask(`${path}&partial=true`);
    expect([partial.status, partial.headers.get("report-partial")]).toEqual([200, "true"]);
    await partial.text();
  });

  test("answers HEAD without a body, and without keeping a connection", async () => {
    const answer = await ask(`/v1/reports/transactions.csv?${october}`, "viewer", { method: "HEAD" });
    expect([answer.status, answer.headers.get("report-rows")]).toEqual([200, "3"]);
    await waitFor("no copy is running", async () => (await copies()).length === 0, { timeoutMs: 2_000 });
  });

  test("is ended in the database when the reader goes away, and its place is free again", async () => {
    const large = await keepAccount(database.db, "large");
    await keepMany(database.db, large, 40_000);
    const path = "/v1/reports/transactions.csv?account=large";
    const leave = new AbortController();
    const slow = await Promise.all([1, 2].map(() => ask(path, "viewer", { signal: leave.signal })));
    for (const answer of slow) await answer.body?.getReader().read();
    expect(await copies()).toHaveLength(2);
    const busy = await ask(path, "viewer");
    expect([busy.status, busy.headers.get("retry-after")]).toEqual([429, "5"]);
    // One key cannot use up the others' share.
    const other = await ask(`/v1/reports/transactions.csv?${october}&account=us`, "accountant");
    expect([other.status, (await other.text()).split("\n").length]).toEqual([200, 4]);
    leave.abort();
    await waitFor("the backends are gone", async () => (await copies()).length === 0, { timeoutMs: 2_000 });
    const again = await ask(path);
    expect(again.status).toBe(200);
    expect((await again.text()).split("\n")).toHaveLength(40_002);
  });

  test("leaves nothing running for readers who go away before it begins", async () => {
    for (let waitMs = 0; waitMs < 40; waitMs += 4) {
      const signal = AbortSignal.timeout(waitMs);
      await ask("/v1/reports/transactions.csv?account=large", "viewer", { signal }).catch(() => undefined);
    }
    const status = async () => {
      const again = await ask(`/v1/reports/transactions.csv?${october}&account=us`);
      await again.text();
      return again.status;
    };
    await waitFor("their places are free", async () => (await status()) === 200, { timeoutMs: 5_000 });
    await waitFor("nothing is running", async () => (await copies()).length === 0, { timeoutMs: 2_000 });
  });

  test("that nobody waits for gives its place back while it is still being worked out", async () => {
    await database.db.transaction(async (tx) => {
      await tx.query("lock table tieout.transactions in access exclusive mode");
      const path = `/v1/reports/transactions.csv?${october}`;
      const leaving = AbortSignal.timeout(300);
      await Promise.allSettled([1, 2].map(() => ask(path, "viewer", { signal: leaving })));
      await waitFor("their queries are gone", async () => (await copies()).length === 0, {
        timeoutMs: 3_000,
      });
      // It waits as the others did, and is not refused.
      await expect(ask(path, "viewer", { signal: AbortSignal.timeout(300) })).rejects.toThrow("timeout");
    });
  });

  test("without a row gives its place back too", async () => {
    for (let time = 0; time < 10; time++) {
      const answer = await ask(`/v1/reports/ageing.jsonl?code=in_amount_mismatch`, "viewer");
      expect([answer.status, await answer.text()]).toEqual([200, ""]);
    }
  });

  test("with too many rows names the way to have it", async () => {
    const large = await keepAccount(database.db, "larger");
    await keepMany(database.db, large, 1_001);
    const answer = await ask("/v1/reports/transactions.csv?account=large,larger");
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({
      code: "report_too_large",
      detail: expect.stringContaining("POST /v1/exports") as string,
    });
  });
});

test("the catalogue lists every report with its columns and parameters", async () => {
  const { data } = (await (await ask("/v1/reports", "viewer")).json()) as {
    data: { id: string; columns: unknown[]; parameters: unknown[] }[];
  };
  expect(data.map(({ id }) => id)).toEqual([
    "transactions.v1",
    "transaction-statuses.v1",
    "daily-summary.v1",
    "provider-summary.v1",
    "rates.v1",
    "execution-quality.v1",
    "open-transactions.v1",
    "quarantine.v1",
    "payout-reconciliation.v1",
    "itemised.v1",
    "discrepancies.v1",
    "open-errors.v1",
    "ageing.v1",
    "position.v1",
    "unsettled.v1",
    "receivable.v1",
    "journal.v1",
    "fee-variance.v1",
    "receipts.v1",
    "audit-trail.v1",
  ]);
  for (const report of data) expect(report.columns.length).toBeGreaterThan(5);
});

test("the document describes the routes of reports and exports, with examples that fit", async () => {
  const { json } = await server.get("/openapi.json", null);
  const { paths, components } = json as unknown as {
    paths: Record<
      string,
      Record<
        string,
        { responses: Record<string, { content?: Record<string, { schema: JsonSchema; example?: unknown }> }> }
      >
    >;
    components: { schemas: Record<string, JsonSchema> };
  };
  const mine = Object.entries(paths).filter(([path]) => /^\/v1\/(reports|exports)/.test(path));
  expect(mine.map(([path]) => path).toSorted()).toEqual([
    "/v1/exports",
    "/v1/exports/{id}",
    "/v1/exports/{id}/cancel",
    "/v1/exports/{id}/download",
    "/v1/reports",
    "/v1/reports/{file}",
  ]);
  for (const [, operations] of mine) {
    for (const { responses } of Object.values(operations)) {
      const good = responses["200"] ?? responses["202"];
      for (const { schema, example } of Object.values(good?.content ?? {})) {
        expect(example).toBeDefined();
        expect(checkSchema(components.schemas, schema, example)).toEqual([]);
      }
    }
  }
});

function ask(path: string, key = "accountant", init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("authorization", `Bearer ${keys[key]}`);
  return fetch(server.url + path, { ...init, headers });
}

function copies(): Promise<object[]> {
  return database.db.query(
    "select pid from pg_stat_activity where query like 'copy (%' and state = 'active' and datname = current_database()",
  );
}
