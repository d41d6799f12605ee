import { beforeAll, expect, test } from "vitest";
import { aKey, useApi } from "../api/an-api.ts";
import { type Books, openBooks } from "../reconcile/books.ts";
import { declares, importFile, owed } from "../report/statement-file.ts";
import { rowsOf } from "../report/claims.ts";
import { signIn } from "../security/as-visitor.ts";
import { aPerson } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { usePage } from "./a-page.ts";

const database = useTestDatabase();
const api = useApi(database);
const page = usePage(database);
let books: Books;
let key = "";

/** Of SX-2 the dollars were converted, and ten euros stayed as they were. SX-1 states a rate, and nothing was converted. */
beforeAll(async () => {
  books = await openBooks(database.db);
  await importFile(books, [
    owed("2026-03-01T10:00:00Z", "5", "EUR", "SX-1"),
    declares("2026-03-02T00:00:00Z", "5", "EUR", "SX-1", "1"),
    owed("2026-03-05T10:00:00Z", "9000.01", "USD", "SX-2"),
    owed("2026-03-06T10:00:00Z", "359.67", "USD", "SX-2"),
    owed("2026-03-07T10:00:00Z", "10", "EUR", "SX-2"),
    declares("2026-03-17T00:00:00Z", "8620.91", "EUR", "SX-2", "0.92"),
  ]);
  key = await aKey(database.db, "accountant", { accountIds: [books.accountId] });
});

async function payouts(): Promise<Record<string, unknown>[]> {
  const { json } = await api.get(`/v1/payouts?account=${encodeURIComponent(books.name)}`, key);
  return json["data"] as Record<string, unknown>[];
}

async function idOf(ref: string): Promise<string> {
  return String((await payouts()).find(({ payout_ref: one }) => one === ref)?.["id"]);
}

test("the API says what was converted, at which rate, and which line states it", async () => {
  const { json } = await api.get(`/v1/payouts/${await idOf("SX-2")}`, key);
  expect(json).toMatchObject({
    net_computed: "8620.9056",
    net_declared: "8620.91",
    conversion: {
      rate: "0.92",
      line: expect.stringMatching(/^lin_\d+$/) as string,
      statement: expect.stringMatching(/^stm_\d+$/) as string,
      file_name: expect.stringMatching(/^simplex-\d+\.csv$/) as string,
      line_no: 7,
      originals: [{ currency: "USD", amount: "9359.68", converted: "8610.9056" }],
    },
  });
  const { json: plain } = await api.get(`/v1/payouts/${await idOf("SX-1")}`, key);
  expect(plain["conversion"]).toBeNull();
});

test("so does the report", async () => {
  const [plain, converted] = await rowsOf(books, "payout-reconciliation", {});
  expect(plain).toMatchObject({ payout_ref: "SX-1", converted_from: "", conversion_rate: "", rate_line: "" });
  expect(converted).toMatchObject({
    payout_ref: "SX-2",
    converted_from: "9359.68 USD",
    conversion_rate: "0.92",
    rate_line: expect.stringMatching(/^lin_\d+$/) as string,
    rate_file_name: expect.stringMatching(/^simplex-\d+\.csv$/) as string,
    rate_line_no: "7",
  });
});

test("so does the page, with a link to the line", async () => {
  const viewer = await signIn(database.db, await aPerson(database.db, "viewer"));
  const look = async (ref: string) => {
    const path = `/payouts/${(await idOf(ref)).replace("po_", "")}`;
    const answer = await fetch(page.url + path, { headers: viewer.headers });
    return answer.text();
  };
  const shown = await look("SX-2");
  expect(shown).toMatch(
    /At the rate of <strong>0\.92<\/strong>, stated in <a href="\/statements\/\d+\/lines\/7">/,
  );
  expect(shown).toContain('<data value="9359.68"');
  expect(shown).toContain("8,610.9056");
  expect(await look("SX-1")).not.toContain("At the rate of");
});
