import { describe, expect, test } from "vitest";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { withdrawStatement } from "../../src/reconcile/statement/withdraw-statement.ts";
import { aKey, useApi } from "../api/an-api.ts";
import { parseCsv, readReport, requestFor } from "../report/books.ts";
import { useTestDatabase } from "../support/test-database.ts";
import {
  addRecords,
  addStatement,
  type ALine,
  type ARecord,
  codesOf,
  discrepanciesOf,
  openBooks,
} from "./books.ts";
import { openBench } from "./statement/import-for-test.ts";

const database = useTestDatabase();
const server = useApi(database);

/** A ledger of a provider that has no profile of its own: commissions, transfers, and what is left at month's end. */
const header =
  "provider_transaction_id,line_type,status,fiat_currency,fiat_gross,effective_at,payout_ref,net_amount,balance";
const march = ledger("M-1,commission,,EUR,,2026-03-10,,40,", ",balance,,EUR,,2026-04-01,,,40");
const april = (closing: string) =>
  ledger(
    "A-1,commission,,EUR,,2026-04-10,,25.50,",
    "P-1,payout,,EUR,,2026-04-15,P-1,40,",
    `,balance,,EUR,,2026-05-01,,,${closing}`,
  );
const may = ledger(",balance,,EUR,,2026-06-01,,,25.5");

const later = "2026-03-20T00:00:00.000Z";
const T1 = { id: "T1" };
const L1 = { of: "T1" };

function aBalance(day: string, amount: string, currency = "EUR"): ALine {
  const stated = { net_amount: amount, net_currency: currency, effective_at: `${day}T00:00:00Z` };
  return { key: `balance|${day}|${currency}`, type: "balance", ...stated };
}

/** Each is one file with these lines, beside the records if there are any. */
const cases: { about: string; records?: ARecord[]; lines: ALine[]; expected: string[]; facts?: object }[] = [
  {
    about: "nothing when a stated balance is the one before it, plus what came, less what was paid out",
    records: [T1],
    lines: [
      aBalance("2026-03-01", "10"),
      { ...L1, payout_ref: "P1", net_amount: "1.25" },
      { key: "f", type: "fee", payout_ref: "P1", net_amount: "-0.25", fee_total: null },
      { key: "p", type: "payout", payout_ref: "P1", net_amount: "1", effective_at: later },
      aBalance("2026-04-01", "10"),
      aBalance("2026-05-01", "10.01"),
    ],
    expected: [],
  },
  {
    about: "position_unexplained when it is not",
    records: [T1],
    lines: [
      aBalance("2026-03-01", "10"),
      { ...L1, payout_ref: "P1", net_amount: "1.25" },
      { key: "p", type: "payout", payout_ref: "P1", net_amount: "1.25", effective_at: later },
      aBalance("2026-04-01", "12"),
    ],
    expected: ["position_unexplained 2026-03"],
    facts: { expected: "10", actual: "12", delta: "2", currency: "EUR" },
  },
  {
    about: "position_unexplained in the currency in which it is, and only there",
    lines: [
      aBalance("2026-03-01", "10"),
      aBalance("2026-03-01", "7", "USD"),
      aBalance("2026-04-01", "10"),
      aBalance("2026-04-01", "-7", "USD"),
    ],
    expected: ["position_unexplained 2026-03"],
    facts: { expected: "7", actual: "-7", delta: "-14", currency: "USD" },
  },
  {
    about: "what falls on the time of a balance is in that balance, not in the next",
    lines: [
      aBalance("2026-03-01", "0"),
      { key: "a", type: "commission", net_amount: "5", effective_at: "2026-03-01T00:00:00Z" },
      { key: "b", type: "commission", net_amount: "3", effective_at: "2026-04-01T00:00:00Z" },
      aBalance("2026-04-01", "3"),
      {
        key: "p",
        type: "payout",
        payout_ref: "P1",
        net_amount: "8",
        effective_at: "2026-04-01T00:00:00.001Z",
      },
      aBalance("2026-05-01", "-5"),
    ],
    expected: [],
  },
  {
    about:
      "nothing when a payout was made in another currency: what was converted left the one and came into the other",
    lines: [
      aBalance("2026-03-01", "10"),
      aBalance("2026-03-01", "0", "USD"),
      { key: "a", type: "commission", payout_ref: "P1", net_amount: "100" },
      {
        key: "p",
        type: "payout",
        payout_ref: "P1",
        net_amount: "108",
        net_currency: "USD",
        rate: "1.08",
        effective_at: later,
      },
      aBalance("2026-04-01", "10"),
      aBalance("2026-04-01", "0", "USD"),
    ],
    expected: [],
  },
  {
    about: "nothing for the first balance, nor for what a balance seems to name or to be owed",
    records: [T1],
    lines: [L1, { ...aBalance("2026-03-10", "1000"), provider_transaction_id: "mp-T1", payout_ref: "P1" }],
    expected: [],
  },
  {
    about: "position_unexplained once for two balances of one time that contradict each other",
    lines: [
      aBalance("2026-03-01", "10"),
      { ...aBalance("2026-04-01", "10"), key: "a" },
      { ...aBalance("2026-04-01", "11"), key: "b" },
    ],
    expected: ["position_unexplained 2026-03"],
    facts: { expected: "10", actual: "11" },
  },
];

describe("a stated balance", () => {
  test.each(cases.map((each) => [each.about, each] as const))("%s", async (_, each) => {
    const books = await openBooks(database.db);
    if (each.records) await addRecords(books, each.records);
    await addStatement(books, { lines: each.lines });
    await reconcileAccount(database.db, books.accountId);
    expect(await codesOf(books)).toEqual(each.expected);
    expect((await discrepanciesOf(books))[0] ?? {}).toMatchObject(each.facts ?? {});
  });
});

describe("the balances of a ledger", () => {
  test("that agree raise nothing, and one that is off is raised with what it should be", async () => {
    const books = await openLedgers("off by ten", [march, april("35.5"), may]);
    expect(await books.reported()).toEqual([
      { actual: "35.5", currency: "EUR", expected: "25.5", file_name: "1.csv", line_no: "4", state: "open" },
      { actual: "25.5", currency: "EUR", expected: "35.5", file_name: "2.csv", line_no: "2", state: "open" },
    ]);
    expect(await books.reported({ as_at: ["2026-05-01"] })).toEqual([]);
    expect(await books.reported({ as_at: ["2026-05-02"] })).toHaveLength(1);
  });

  test("agree by themselves when a later file corrects them; what was known before stays", async () => {
    const books = await openLedgers("corrected", [march, april("35.5"), may]);
    const then = await books.now();
    const before = await books.reported({ known_at: [then] });
    await books.take("correction.csv", april("25.5"));
    expect((await books.reported()).map(({ state }) => state)).toEqual(["resolved", "resolved"]);
    expect(await books.reported({ known_at: [then] })).toEqual(before);
    expect(await books.reported({ state: ["open"], as_at: ["2026-07-01"] })).toEqual([]);
  });

  test("reach over a file that was taken back, and an incremental run finds what a full one does", async () => {
    const books = await openLedgers("taken back", [march, april("35.5"), may]);
    await books.withdraw(1);
    const open = { state: ["open"] };
    // Without April, 40 at the end of March are 25.5 at the end of May for no reason that is known.
    const expected = [{ expected: "40", actual: "25.5", file_name: "2.csv" }];
    expect(await books.reported(open)).toMatchObject(expected);
    await reconcileAccount(database.db, books.accountId, { full: true });
    expect(await books.reported(open)).toMatchObject(expected);
  });

  test("are in one class: the first says only where to begin, and what a person closed is out of the way", async () => {
    const books = await openLedgers("classes", [march, april("35.5"), may]);
    expect(await books.classes()).toEqual(["excluded 40", "discrepant 35.5", "discrepant 25.5"]);
    const key = await aKey(database.db, "accountant");
    const { json } = await server.get("/v1/discrepancies?code=position_unexplained&state=open", key);
    const found = (json["data"] as Record<string, unknown>[]).filter(({ account }) => account === "classes");
    expect(found).toContainEqual(
      expect.objectContaining({
        subject_kind: "period",
        period: { from: "2026-04-01T00:00:00.000Z", to: "2026-05-01T00:00:00.000Z" },
        expected: "25.5",
        actual: "35.5",
        delta: "10",
        value: "10",
        file_name: "1.csv",
        line_no: 4,
        since: "2026-05-01T00:00:00.000Z",
      }),
    );
    const closing = {
      action: { action: "resolve", reason: "a typo of theirs" },
      discrepancies: found.map(({ id, version }) => ({ id, version })),
    };
    const closed = await server.send("POST", "/v1/discrepancies/actions", key, closing);
    expect(closed.json).toMatchObject({ changed: [expect.anything(), expect.anything()], refused: [] });
    expect(await books.classes()).toEqual(["excluded 40", "excluded 35.5", "excluded 25.5"]);
  });

  test("are matched when they agree, and are never in a sum", async () => {
    const books = await openLedgers("agreeing", [march, april("25.5"), may]);
    expect(await books.classes()).toEqual(["excluded 40", "matched 25.5", "matched 25.5"]);
    const given = { account: ["agreeing"], columns: ["line_type,payout_ref,line_net,line_balance,class"] };
    const rows = parseCsv(await readReport(database.db, requestFor("itemised", given)));
    expect(rows.filter((row) => row["line_type"] === "balance")).toEqual(
      [
        ["40", "excluded"],
        ["25.5", "matched"],
        ["25.5", "matched"],
      ].map(([line_balance, found]) => ({
        line_type: "balance",
        payout_ref: "",
        line_net: "",
        line_balance,
        class: found,
      })),
    );
  });
});

function ledger(...rows: string[]): string {
  return `${[header, ...rows.map((row) => row.replace(/(\d{4}-\d\d-\d\d)/, "$1T00:00:00Z"))].join("\n")}\n`;
}

async function openLedgers(name: string, files: readonly string[]) {
  const bench = await openBench(database.db, name);
  const [account] = await database.db.query<{ id: number }>(
    "select id from tieout.accounts where name = $1",
    [name],
  );
  const accountId = account?.id ?? 0;
  const statements: number[] = [];
  async function take(file: string, text: string): Promise<void> {
    const { statement, rejects } = await bench.import(file, text, { provider: "ledgerpay" });
    expect(rejects).toEqual([]);
    statements.push(statement.id);
    await reconcileAccount(database.db, accountId);
  }
  for (const [at, text] of files.entries()) await take(`${at}.csv`, text);
  return {
    accountId,
    take,
    async withdraw(at: number) {
      const given = { statementId: statements[at] ?? 0, reason: "test", actor: "test" };
      await withdrawStatement({ database: database.db }, given);
      await reconcileAccount(database.db, accountId);
    },
    async now() {
      const [row] = await database.db.query<{ now: string }>(
        `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as now`,
      );
      return row?.now ?? "";
    },
    async reported(given: Record<string, string[]> = {}) {
      const columns = ["file_name,line_no,expected,actual,currency,state"];
      const question = { account: [name], code: ["position_unexplained"], columns, ...given };
      return parseCsv(await readReport(database.db, requestFor("discrepancies", question)));
    },
    async classes() {
      const rows = await database.db.query<{ said: string }>(
        `select class || ' ' || trim_scale(net_amount) as said
         from reporting.statement_lines
         where account = $1
           and line_type = 'balance'
           and is_current
         order by effective_at`,
        [name],
      );
      return rows.map(({ said }) => said);
    },
  };
}
