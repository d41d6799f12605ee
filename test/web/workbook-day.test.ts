import { expect, test } from "vitest";
import { read as readBook, utils } from "@e965/xlsx";
import { preparePeriod } from "../../src/close/prepare.ts";
import { approvePeriod } from "../../src/close/sign.ts";
import { editedWorkbook } from "../api/edited-workbook.ts";
import { addMissingOrder, alice, bob, monthOfBooks, openMonth } from "../close/a-month.ts";
import { signIn } from "../security/as-visitor.ts";
import { aPerson } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { usePage } from "./a-page.ts";

const database = useTestDatabase();
const service = usePage(database);

test("the decisions of a workbook count from the day that is named, which a preview keeps", async () => {
  const books = await openMonth(database.db);
  await preparePeriod(database.db, await monthOfBooks(books), [], alice);
  await approvePeriod(database.db, await monthOfBooks(books), bob);
  await addMissingOrder(books, "UNPAID");
  const ada = await signIn(database.db, await aPerson(database.db, "accountant"));
  const [found] = await database.db.query<{ id: string; version: number }>(
    "select id::text, version from tieout.discrepancies where transaction_id = 'UNPAID'",
  );
  const { id, version } = found ?? { id: "", version: 0 };
  const book = await editedWorkbook([[`dis_${id}`, String(version), "resolve", null, "by mail"]]);
  const amounts = await editedWorkbook([[`dis_${id}`, String(version), "write_off", null, "not worth it"]]);
  const sendBook = async (step: string, day: string, bytes = book) => {
    const body = new FormData();
    for (const [name, value] of Object.entries({ booked_at: day, csrf: ada.csrf })) body.append(name, value);
    body.append("file", new File([new Uint8Array(bytes)], "open.xlsx"));
    const answer = await fetch(`${service.url}/discrepancies/workbook${step}`, {
      method: "POST",
      redirect: "manual",
      headers: { ...ada.headers, origin: service.url },
      body,
    });
    return { status: answer.status, text: await answer.text() };
  };
  const list = await (await fetch(`${service.url}/discrepancies`, { headers: ada.headers })).text();
  expect(list).toMatch(
    /<form[^>]*\/discrepancies\/workbook\/preview".*?type="date" name="booked_at".*?<\/form>/s,
  );
  for (const step of ["/preview", ""]) {
    const closed = await sendBook(step, "2026-03-20");
    expect([closed.status, closed.text]).toEqual([
      409,
      expect.stringContaining("The books are closed up to"),
    ]);
  }
  const preview = await sendBook("/preview", "2026-04-20");
  expect(preview.text).toMatch(/1 would be changed.*name="booked_at" value="2026-04-20"/s);
  await database.db.query("update tieout.write_off_limits set amount = 10");
  const writtenOff = wordsOf((await sendBook("/preview", "2026-04-20", amounts)).text);
  expect(writtenOff).toMatch(
    /row 2 missing from statement 100.00 EUR write off: needs approval not worth it/,
  );
  expect(writtenOff).toContain(
    "1 write-off is above your limit: another person must approve it on Approvals.",
  );
  expect(await sendBook("", "2026-04-20")).toMatchObject({ status: 303 });
  const decided = await database.db.query(
    "select (booked_at at time zone 'UTC')::date::text as day from tieout.decisions where discrepancy_id = $1::bigint",
    [id],
  );
  expect(decided).toEqual([{ day: "2026-04-20" }]);
});

test("the workbook holds what the queue is narrowed to", async () => {
  const ada = await signIn(database.db, await aPerson(database.db, "accountant"));
  const read = async (path: string) => fetch(service.url + path, { headers: ada.headers });
  const rowsIn = async (query: string) => {
    const list = await (await read(`/discrepancies?${query}`)).text();
    const [, href = ""] = /href="(\/discrepancies\.xlsx[^"]*)"/.exec(list) ?? [];
    const book = readBook(Buffer.from(await (await read(href.replaceAll("&amp;", "&"))).arrayBuffer()));
    return utils.sheet_to_json(book.Sheets["discrepancies"] ?? {}).length;
  };
  expect(await rowsIn("code=missing_from_statement&show=closed&owner=unassigned&age_min=1")).toBe(1);
  expect(await rowsIn("code=missing_from_statement")).toBe(0);
  expect(await rowsIn("show=closed&value_min=100.01&currency=EUR&sort=-value&statement=1")).toBe(0);
});

const wordsOf = (html: string) =>
  html
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ (?=[.,:])/g, "");
