import { read, utils, write } from "@e965/xlsx";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { buffer } from "node:stream/consumers";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { discrepancyWorkbook } from "../../src/report/discrepancy-workbook.ts";
import type { Database } from "../../src/store/database.ts";
import { addRecords, addStatement, type Books, openBooks } from "../reconcile/books.ts";
import { aPerson } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { aKey, useApi } from "./an-api.ts";
import { editedWorkbook } from "./edited-workbook.ts";

const database = useTestDatabase();
const server = useApi(database);
let books: Books;
let key = "";
let ofOther = "";

beforeAll(async () => {
  const others = await openBooks(database.db);
  ofOther = await aKey(database.db, "accountant", { accountIds: [others.accountId] });
  for (const name of ["Ada", "Ben"]) await aPerson(database.db, "accountant", { name });
});

/** Three transactions that the statement does not name. */
beforeEach(async () => {
  books = await openBooks(database.db);
  await addRecords(
    books,
    ["T1", "T2", "T3", "T4"].map((id) => ({ id, inAmount: "1234567890.1234567890" })),
  );
  await addStatement(books, { lines: [{ of: "T4" }] });
  await reconcileAccount(database.db, books.accountId);
  key = await aKey(database.db, "accountant", { accountIds: [books.accountId] });
});

interface Row {
  discrepancy_id: string;
  version: number;
  decision?: string;
  owner?: string;
  note?: string;
  transaction_id: string;
}

async function download(): Promise<{ book: ReturnType<typeof read>; rows: Row[] }> {
  const answer = await fetch(`${server.url}/v1/discrepancies.xlsx?code=missing_from_statement`, {
    headers: { authorization: `Bearer ${key}` },
  });
  expect(answer.status).toBe(200);
  const book = read(Buffer.from(await answer.arrayBuffer()));
  const rows = utils.sheet_to_json<Row>(book.Sheets["discrepancies"] ?? {});
  return { book, rows: rows.toSorted((a, b) => (a.transaction_id < b.transaction_id ? -1 : 1)) };
}

async function send(bytes: Buffer, step: "" | "/preview" | `?${string}` = "", by = key) {
  const answer = await fetch(`${server.url}/v1/discrepancies/workbook${step}`, {
    method: "POST",
    body: new Uint8Array(bytes),
    headers: { authorization: `Bearer ${by}`, "content-type": "application/octet-stream" },
  });
  return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
}

function states(): Promise<object[]> {
  return database.db.query(
    `select transaction_id, state, owner, reason, version from tieout.discrepancies
     where account_id = $1 and code = 'missing_from_statement' order by transaction_id`,
    [books.accountId],
  );
}

/** `then`, after the first page of discrepancies has been read. */
function betweenPages(then: () => Promise<unknown>): Database {
  const { db } = database;
  let pages = 0;
  const between: typeof db.session = (work) =>
    db.session((client) => {
      const next = client.query.bind(client) as (...asked: unknown[]) => Promise<unknown>;
      const query = async (...asked: unknown[]) => {
        const answer = await next(...asked);
        if (JSON.stringify(asked[0]).includes("limit") && ++pages === 1) await then();
        return answer;
      };
      return work(
        new Proxy(client, {
          get: (held, name) => (name === "query" ? query : Reflect.get(held, name, held)),
        }),
      );
    });
  return { ...db, session: between };
}

describe("a workbook of discrepancies", () => {
  test("is of one moment, whatever is decided while it is read", async () => {
    const copied = `account_id, provider, code, level, subject_kind, transaction_id, since, state, first_seen_at`;
    await database.db.query(
      `insert into tieout.discrepancies (fingerprint, fingerprint_version, facts_hash, last_changed_at, ${copied})
       select sha256(n::text::bytea), 1, facts_hash, timestamptz '2026-01-01' + n * interval '1 second', ${copied}
       from generate_series(1, 1200) as n
       cross join (select * from tieout.discrepancies where account_id = $1 limit 1) as one`,
      [books.accountId],
    );
    const decide = () =>
      database.db.query(
        "update tieout.discrepancies set last_changed_at = now() where last_changed_at < timestamptz '2026-01-01' + interval '50 seconds'",
      );
    const reader = { database: betweenPages(decide), accountIds: [books.accountId] };
    const { body } = await discrepancyWorkbook(reader, { sort: "-last_changed_at", state: ["open"] });
    const book = read(await buffer(body));
    const rows = utils.sheet_to_json<Row>(book.Sheets["discrepancies"] ?? {});
    const kept = await database.db.query("select from tieout.discrepancies where account_id = $1", [
      books.accountId,
    ]);
    expect(new Set(rows.map((row) => row.discrepancy_id)).size).toBe(kept.length);
  });

  test("goes out, is edited by another program, is looked at, and comes back", async () => {
    const { book, rows } = await download();
    expect(rows.map(({ transaction_id }) => transaction_id)).toEqual(["T1", "T2", "T3"]);
    rows[0] = { ...(rows[0] as Row), decision: "resolve", note: "confirmed by mail", owner: "Ada" };
    rows[1] = { ...(rows[1] as Row), note: "asked them", owner: "Ben" };
    book.Sheets["discrepancies"] = utils.json_to_sheet(rows);
    const edited = write(book, { type: "buffer", bookType: "xlsx" }) as Buffer;

    const before = await states();
    const preview = await send(edited, "/preview");
    expect(preview.json).toMatchObject({
      state: "previewed",
      rows: { read: 3, changed: 2, unchanged: 1, refused: 0 },
      changed: [
        { row: 2, actions: ["resolve", "assign"], note: "confirmed by mail", needs_approval: false },
        { row: 3, actions: ["assign", "comment"] },
      ],
    });
    expect(await states()).toEqual(before);

    expect((await send(edited)).json).toEqual({ ...preview.json, state: "applied" });
    expect(await states()).toMatchObject([
      { transaction_id: "T1", state: "resolved", owner: "Ada", reason: "confirmed by mail", version: 3 },
      { transaction_id: "T2", state: "open", owner: "Ben", version: 2 },
      { transaction_id: "T3", state: "open", owner: null, version: 1 },
    ]);
    const entries = await database.db.query(
      `select action from tieout.audit_log where subject = $1 order by number`,
      [rows[0].discrepancy_id],
    );
    expect(entries).toEqual([{ action: "discrepancy.resolved" }, { action: "discrepancy.assigned" }]);
    // Sent twice, it has nothing left to do but to say that it is stale.
    expect((await send(edited)).json).toMatchObject({ rows: { changed: 0, unchanged: 1, refused: 2 } });
  });

  test("books its decisions on the day that is named, and says what is wrong with one", async () => {
    const { rows } = await download();
    const [row] = rows;
    const book = await editedWorkbook([
      [row?.discrepancy_id ?? "", String(row?.version), "resolve", null, "confirmed by mail"],
    ]);
    for (const [day, says] of [
      ["soon", "booked_at is not a day or a time"],
      ["2999-01-01", "2999-01-01 is in the future"],
    ]) {
      const refused = await send(book, `?booked_at=${day}`);
      expect(refused).toMatchObject({ status: 400, json: { code: "invalid_parameter", param: "booked_at" } });
      expect(refused.json["detail"]).toContain(says);
    }
    expect(await send(book, "?booked_at=2026-10-31")).toMatchObject({
      status: 200,
      json: { rows: { changed: 1 } },
    });
    const decided = await database.db.query(
      `select booked_at::text as at from tieout.decisions where 'dis_' || discrepancy_id = $1`,
      [row?.discrepancy_id],
    );
    expect(decided).toEqual([{ at: "2026-10-31 00:00:00+00" }]);
  });

  test("accounts for every row, and refuses each bad one with its reason", async () => {
    const { rows } = await download();
    const [first, second, third] = rows.map(({ discrepancy_id }) => discrepancy_id) as [
      string,
      string,
      string,
    ];
    const bytes = await editedWorkbook([
      [first, "7", "resolve", null, "late"],
      [second, "1", "forget", null, null],
      [third, "1", "write_off", null, null],
      [third, "1", "investigate", null, null],
      ["dis_999999", "1", "investigate", null, null],
      ["", "1", null, null, "x"],
      [second, "one", null, null, "x"],
      [second, "1", null, null, " ".repeat(30_000)],
    ]);
    const { json } = await send(bytes);
    expect(json).toMatchObject({
      rows: { read: 8, changed: 0, unchanged: 0, refused: 8 },
      refused: [
        { row: 2, id: first, code: "version_mismatch", reason: expect.stringContaining("someone else") },
        {
          row: 3,
          id: second,
          code: "invalid_row",
          reason: expect.stringContaining('"forget" is not a decision'),
        },
        { row: 4, id: third, code: "invalid_row", reason: expect.stringContaining("needs a reason") },
        { row: 5, id: third, code: "given_twice" },
        { row: 6, id: "dis_999999", code: "not_found" },
        { row: 7, id: null, code: "invalid_row" },
        { row: 8, id: second, code: "invalid_row" },
        { row: 9, id: null, code: "invalid_row", reason: "column 5 has more than 10000 characters" },
      ],
    });
    expect(await states()).toMatchObject([{ version: 1 }, { version: 1 }, { version: 1 }]);
  });

  test("refuses a row whose decision is not a step, and leaves its owner alone as well", async () => {
    const { rows } = await download();
    const bytes = await editedWorkbook([[rows[0]?.discrepancy_id ?? "", "1", "reopen", "Ada", null]]);
    expect((await send(bytes)).json).toMatchObject({ refused: [{ code: "state_conflict" }] });
    expect(await states()).toMatchObject([{ owner: null, version: 1 }, {}, {}]);
  });

  test("refuses a row whose owner is nobody, and leaves it undecided as well", async () => {
    const { rows } = await download();
    const bytes = await editedWorkbook([[rows[0]?.discrepancy_id ?? "", "1", "resolve", "Adda", "by mail"]]);
    const reason = `"Adda" is not an active person who sees this account: give the name or e-mail of one`;
    expect((await send(bytes)).json).toMatchObject({ refused: [{ row: 2, code: "owner_unknown", reason }] });
    expect(await states()).toMatchObject([{ state: "open", owner: null, version: 1 }, {}, {}]);
  });

  test("of another account is not there for a key that may not see it", async () => {
    const { rows } = await download();
    const bytes = await editedWorkbook(rows.map((row) => [row.discrepancy_id, "1", "resolve", null, "mine"]));
    const { json } = await send(bytes, "", ofOther);
    expect(json).toMatchObject({
      rows: { read: 3, changed: 0, refused: 3 },
      refused: [{ code: "not_found" }, {}, {}],
    });
  });

  test.each([
    ["something else", () => Promise.resolve(Buffer.from("discrepancy_id,version\n")), "cut off or damaged"],
    ["another sheet", () => editedWorkbook([], "other"), "it has no sheet discrepancies"],
  ])("that is %s is refused as a whole", async (_name, make, says) => {
    const { status, json } = await send(await make());
    expect([status, json["code"]]).toEqual([400, "invalid_body"]);
    expect(json["detail"]).toContain(says);
  });
});
