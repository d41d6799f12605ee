import { once } from "node:events";
import { gunzipSync } from "node:zlib";
import { beforeAll, describe, expect, test } from "vitest";
import { reports } from "../../src/report/catalogue.ts";
import { PeriodNotCovered, ReportTooLarge } from "../../src/report/errors.ts";
import { streamReport } from "../../src/report/stream-report.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { waitFor } from "../support/wait-for.ts";
import {
  inOctober,
  keepAccount,
  keepMany,
  keepTransactions,
  october,
  openStream,
  parseCsv,
  readAll,
  readReport,
  requestFor,
  seesAll,
} from "./books.ts";

const database = useTestDatabase();
let eu = 0;

beforeAll(async () => {
  eu = await keepAccount(database.db, "eu");
  const us = await keepAccount(database.db, "us");
  await keepTransactions(database.db, eu, [
    { transaction_id: "a", status_date: "2026-09-30T23:30:00Z", provider: "acme" },
    {
      transaction_id: "b",
      status_date: "2026-10-15T10:00:00.123456Z",
      provider: "globex",
      status: "pending",
    },
    { transaction_id: "c", status_date: "2026-10-31T23:30:00Z", provider: "acme", source_currency: "USD" },
  ]);
  await keepTransactions(database.db, us, [
    { transaction_id: "b", provider: "acme", extra: { partnerContext: "order-7" } },
  ]);
});

const ids = (text: string) => parseCsv(text).map((row) => `${row["account"]}/${row["transaction_id"]}`);

describe("the period", () => {
  test("is half-open in UTC", async () => {
    const text = await readReport(database.db, requestFor("transactions", october));
    expect(ids(text)).toEqual(["us/b", "eu/b", "eu/c"]);
  });

  test("is half-open in the zone asked for, and dates are days of that zone", async () => {
    const text = await readReport(
      database.db,
      requestFor("transactions", { ...october, tz: ["Europe/Berlin"] }),
    );
    // Half past one in the night of 1 October, and of 1 November, in Berlin.
    expect(ids(text)).toEqual(["eu/a", "us/b", "eu/b"]);
    expect(parseCsv(text)[0]).toMatchObject({
      status_at: "2026-09-30T23:30:00.000Z",
      status_date: "2026-10-01",
      timezone: "Europe/Berlin",
    });
  });

  test("takes instants to the microsecond, which the file keeps", async () => {
    const given = { from: ["2026-10-15T12:00:00.123456+02:00"], to: ["2026-10-15T10:00:00.123457Z"] };
    const rows = parseCsv(await readReport(database.db, requestFor("transactions", given)));
    expect(rows.map((row) => row["status_at"])).toEqual(["2026-10-15T10:00:00.123456Z"]);
  });

  test("that is not covered is refused with its gaps, unless a part is asked for, and then that is said", async () => {
    const given = { from: ["2025-12-31"], to: ["2026-11-15"], account: ["eu"] };
    const refusal = await readReport(database.db, requestFor("transactions", given)).catch(
      (error: unknown) => error,
    );
    expect(refusal).toBeInstanceOf(PeriodNotCovered);
    expect((refusal as PeriodNotCovered).gaps).toEqual([
      { account: "eu", from: "2025-12-31T00:00:00.000Z", to: "2026-01-01T00:00:00.000Z" },
      { account: "eu", from: "2026-11-14T00:00:00.000Z", to: "2026-11-15T00:00:00.000Z" },
    ]);
    const { report, body } = await openStream(
      database.db,
      requestFor("transactions", { ...given, partial: ["true"] }),
    );
    expect(parseCsv((await readAll(body)).toString())).toHaveLength(3);
    expect(report.coverage).toMatchObject({ complete: false, gaps: [{ account: "eu" }, { account: "eu" }] });
  });

  test("left open reaches as far as has been read", async () => {
    const { report, body } = await openStream(database.db, requestFor("transactions"));
    expect(parseCsv((await readAll(body)).toString())).toHaveLength(4);
    expect(report.coverage).toEqual({ complete: true, gaps: [] });
  });

  test("that ends before it begins is a bad parameter", () => {
    const given = { from: ["2026-10-02"], to: ["2026-10-02"] };
    expect(() => requestFor("transactions", given)).toThrow(/^to: must lie after from/);
  });
});

test("filters, accounts and the reader's limit narrow what is written", async () => {
  const read = async (given: Record<string, string[]>, accountIds: number[] | null = null) =>
    ids(
      await readReport(database.db, requestFor("transactions", { ...october, ...given }), {
        accountIds,
        wallets: true,
      }),
    );
  expect(await read({ provider: ["acme"] })).toEqual(["us/b", "eu/c"]);
  expect(await read({ provider: ["acme,globex"], status: ["pending"] })).toEqual(["eu/b"]);
  expect(await read({ source_currency: ["USD"] })).toEqual(["eu/c"]);
  expect(await read({ account: ["us"] })).toEqual(["us/b"]);
  expect(await read({}, [eu])).toEqual(["eu/b", "eu/c"]);
  await expect(read({ account: ["us"] }, [eu])).rejects.toThrow('there is no account "us"; known are eu');
});

test("wallet addresses are masked for readers who may not see them, in every report and format", async () => {
  const address = "bc1qexampleaddress";
  await database.db.query(
    `insert into tieout.quarantined_records values
       ($1, sha256('x'), '{"walletAddress":"' || $2 || '"}', 'no_status', 'status', 1, '2026-10-02', '2026-10-02')`,
    [eu, address],
  );
  await keepTransactions(database.db, eu, [
    { transaction_id: "d", extra: { other: address }, wallet_address: address },
    { transaction_id: "e", wallet_address: "short" },
  ]);
  let shown = 0;
  for (const report of reports) {
    for (const format of ["csv", "jsonl"] as const) {
      const request = requestFor(report.name, inOctober(report), format);
      const masked = await readReport(database.db, request, { accountIds: null, wallets: false });
      expect(masked).not.toContain(address);
      expect(masked).not.toContain("short");
      if ((await readReport(database.db, request, seesAll)).includes(address)) shown++;
    }
  }
  expect(shown).toBe(8);
  const given = { ...october, columns: ["transaction_id,wallet_address"] };
  const rows = parseCsv(
    await readReport(database.db, requestFor("transactions", given), { accountIds: [eu], wallets: false }),
  );
  expect(Object.fromEntries(rows.map((row) => [row["transaction_id"], row["wallet_address"]]))).toMatchObject(
    {
      d: "bc1q…ress",
      e: "…",
    },
  );
});

test("columns come in the order asked for", async () => {
  const given = { ...october, account: ["us"], columns: ["partner_context,account"] };
  expect(await readReport(database.db, requestFor("transactions", given))).toBe(
    "partner_context,account\norder-7,us\n",
  );
});

test("gzip gives the same bytes, compressed", async () => {
  const given = { ...october, account: ["us"] };
  const { body, report } = await openStream(
    database.db,
    requestFor("transactions", { ...given, gzip: ["true"] }),
  );
  const plain = await readReport(database.db, requestFor("transactions", given));
  expect(gunzipSync(await readAll(body)).toString()).toBe(plain);
  expect(report.fileName).toBe("transactions_v1_2026-10-01_2026-10-31_UTC_all.csv.gz");
});

test("a report with more rows than allowed is refused before the first byte", async () => {
  const { signal } = new AbortController();
  const options = { rowsMax: 2, signal, before: () => Promise.reject(new Error("must not be asked")) };
  const request = requestFor("transactions", { ...october, account: ["eu"] });
  await expect(streamReport(database.db, request, seesAll, options)).rejects.toBeInstanceOf(ReportTooLarge);
});

test("what the audit refuses is not given out", async () => {
  const before = () => Promise.reject(new Error("the audit log is away"));
  await expect(openStream(database.db, requestFor("transactions", october), seesAll, before)).rejects.toThrow(
    "audit log",
  );
});

test("nothing is asked of the zones that the database knows", async () => {
  // Half a day ahead of UTC from the middle of October on.
  const changesMs = [Date.parse("2026-10-15T00:00:00Z")];
  const clock = { changesMs, offsetsMs: [0, 12 * 3_600_000] };
  const zone = { name: "Mars/Olympus", clock, dayClock: clock };
  const text = await readReport(database.db, { ...requestFor("transactions", october), zone });
  const days = new Map(
    parseCsv(text).map((row) => [`${row["account"]}/${row["transaction_id"]}`, row["status_date"]]),
  );
  expect(["us/b", "eu/b", "eu/c"].map((id) => days.get(id))).toEqual([
    "2026-10-10",
    "2026-10-15",
    "2026-11-01",
  ]);
  expect(text).toContain("Mars/Olympus");
});

test("a report shows one moment, whatever is written meanwhile", async () => {
  const account = await keepAccount(database.db, "busy");
  await keepMany(database.db, account, 2_000);
  const given = { ...october, account: ["busy"], columns: ["transaction_id,status,in_amount"] };
  // The rows are counted, none of them is written yet: now everything changes.
  const { body, rows } = await openStream(
    database.db,
    requestFor("transactions", given),
    seesAll,
    async () => {
      const change = "update tieout.transactions set status = 'failed', in_amount = 0 where account_id = $1";
      await database.db.query(change, [account]);
      await keepTransactions(database.db, account, [
        { transaction_id: "zz", status_date: "2026-10-30T00:00:00Z" },
      ]);
    },
  );
  const found = parseCsv((await readAll(body)).toString());
  expect([found.length, rows]).toEqual([2_000, 2_000]);
  expect(found.filter((row) => row["status"] !== "completed" || row["in_amount"] === "0")).toEqual([]);
});

test("a reader who goes away ends the query, and its backend is gone within two seconds", async () => {
  const account = await keepAccount(database.db, "large");
  await keepMany(database.db, account, 40_000);
  const running = () =>
    database.db.query<{ pid: number }>(
      "select pid from pg_stat_activity where query like 'copy (%' and datname = current_database() and pid <> pg_backend_pid()",
    );
  const { body } = await openStream(database.db, requestFor("transactions", { account: ["large"] }));
  await once(body, "readable");
  const [backend] = await running();
  expect(backend).toBeDefined();
  body.destroy();
  await waitFor("the backend is gone", async () => (await running()).length === 0, { timeoutMs: 2_000 });
  const left = await database.db.query("select from pg_stat_activity where pid = $1", [backend?.pid]);
  expect(left).toEqual([]);
});

test("a small report comes whole every time, also when all of it comes in one piece", async () => {
  const request = requestFor("transactions", { ...october, account: ["us"], columns: ["account"] });
  for (let time = 0; time < 300; time++) {
    const { body } = await openStream(database.db, request);
    // Someone who is slow to begin: by then the last byte is here.
    if (time % 2 === 0) await new Promise((resolve) => setImmediate(resolve));
    expect((await readAll(body)).toString()).toBe("account\nus\n");
  }
});
