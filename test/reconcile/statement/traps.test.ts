import { describe, expect, test } from "vitest";
import { parseInstant } from "../../../src/core/instant.ts";
import { withdrawStatement } from "../../../src/reconcile/statement/withdraw-statement.ts";
import { useTestDatabase } from "../../support/test-database.ts";
import { aProfile, linesInForce, openBench } from "./import-for-test.ts";

const database = useTestDatabase();
const header = "id,status,currency,amount,time";
const unique = [aProfile()];
const counted = [aProfile({ identity: { mode: "counted" } })];

function file(...rows: string[]): string {
  return `${[header, ...rows].join("\n")}\n`;
}

const a = "A,done,EUR,10.00,2026-01-01T10:00:00Z";
const b = "B,done,EUR,20.00,2026-01-02T10:00:00Z";
const c = "C,done,EUR,30.00,2026-01-03T10:00:00Z";

describe("known traps of reading statements", () => {
  test("two files read at the same moment do not see each other's rows", async () => {
    const bench = await openBench(database.db, "at once");
    const results = await Promise.all([
      bench.import("one.csv", file(a, b), { profiles: unique }),
      bench.import("two.csv", file(b, c), { profiles: unique }),
    ]);
    const accepted = results.map(({ statement }) => statement.rowsAccepted).toSorted((x, y) => x - y);
    expect(accepted).toEqual([1, 2]);
    expect(await keys("at once")).toEqual(["charge|A", "charge|B", "charge|C"]);
    for (const { statement } of results) {
      const own = await database.db.query(
        "select 1 from tieout.statement_rows where statement_id = $1 and outcome in ('accepted', 'duplicate')",
        [statement.id],
      );
      expect(own).toHaveLength(2);
    }
  });

  test("one bad line does not stop the file", async () => {
    const bench = await openBench(database.db, "bad line");
    const { statement, rejects } = await bench.import(
      "bad.csv",
      file(a, "B,done,EUR,twenty,2026-01-02T10:00:00Z", c),
      { profiles: unique },
    );
    expect(statement).toMatchObject({ rowsRead: 3, rowsAccepted: 2, rowsRejected: 1 });
    expect(rejects).toEqual([
      {
        lineNo: 3,
        code: "row_unparseable",
        field: "fiat_amount",
        reason: '"twenty" is not an amount with a decimal point and no grouping',
        originalText: "B,done,EUR,twenty,2026-01-02T10:00:00Z",
      },
    ]);
  });

  test("every row that was left out is listed with its reason", async () => {
    const bench = await openBench(database.db, "listed");
    const profile = aProfile({ skip: [{ field: "status", values: ["void"] }] });
    const text = `Report of January\n\n${file(a, "B,void,EUR,1,2026-01-02T10:00:00Z", header, a, "C,done,XYZ,1,2026-01-02T10:00:00Z")}`;
    const { statement } = await bench.import("listed.csv", text, { profiles: [profile] });
    const rows = await database.db.query(
      "select line_no, outcome, code from tieout.statement_rows where statement_id = $1 order by line_no",
      [statement.id],
    );
    expect(rows).toEqual([
      { line_no: 1, outcome: "preamble", code: null },
      { line_no: 2, outcome: "blank", code: null },
      { line_no: 3, outcome: "header", code: null },
      { line_no: 4, outcome: "accepted", code: null },
      { line_no: 5, outcome: "skipped", code: null },
      { line_no: 6, outcome: "header", code: null },
      { line_no: 7, outcome: "duplicate", code: "row_duplicate_in_file" },
      { line_no: 8, outcome: "rejected", code: "unknown_currency" },
    ]);
    expect(statement).toMatchObject({
      rowsOfFile: 8,
      preambleRows: 1,
      blankRows: 1,
      headerRows: 2,
      skippedRows: 1,
      rowsRead: 3,
    });
  });

  test("the same file again changes no row and returns the earlier import", async () => {
    const bench = await openBench(database.db, "again");
    const first = await bench.import("again.csv", file(a, b), { profiles: unique });
    const before = await versions();
    const second = await bench.import("renamed.csv", file(a, b), { profiles: unique });
    expect(second.state).toBe("already_imported");
    expect(second.statement.id).toBe(first.statement.id);
    expect(await versions()).toEqual(before);
  });

  test("the same file again is not taken for the correction of another one", async () => {
    const bench = await openBench(database.db, "again replaces");
    const first = await bench.import("first.csv", file(a), { profiles: unique });
    const second = await bench.import("second.csv", file(a, b), { profiles: unique });
    const again = (replaces: number) =>
      bench.import("second.csv", file(a, b), { profiles: unique, replaces });
    await expect(again(first.statement.id)).rejects.toThrow(
      `withdraw that one with tieout statement withdraw stm_${first.statement.id}`,
    );
    expect((await again(second.statement.id)).state).toBe("already_imported");
  });

  test("overlapping files add nothing twice", async () => {
    for (const [name, profiles] of [
      ["overlap unique", unique],
      ["overlap counted", counted],
    ] as const) {
      const bench = await openBench(database.db, name);
      await bench.import("1.csv", file(a, b), { profiles });
      const { statement } = await bench.import("2.csv", file(b, c), { profiles });
      expect(statement).toMatchObject({ rowsAccepted: 1, rowsDuplicate: 1 });
      expect(await linesInForce(database.db, name)).toHaveLength(3);
    }
  });

  test("twins survive: there are as many lines as the most that any one file has", async () => {
    const bench = await openBench(database.db, "twins");
    await bench.import("1.csv", file(a, b, a), { profiles: counted });
    expect(await linesInForce(database.db, "twins")).toHaveLength(3);
    await bench.import("2.csv", file(a), { profiles: counted });
    expect(await linesInForce(database.db, "twins")).toHaveLength(3);
    await bench.import("3.csv", file(a, a, a), { profiles: counted });
    const occurrences = (await linesInForce(database.db, "twins")).map(({ occurrence }) => occurrence);
    expect(occurrences.map(String).toSorted(byText)).toEqual(["1", "1", "2", "3"]);
  });

  test("columns are read by name, so that a new order of them changes nothing", async () => {
    const bench = await openBench(database.db, "order");
    await bench.import("1.csv", file(a, b), { profiles: unique });
    const turned = "time,amount,note,Currency ,STATUS,id\n2026-01-01T10:00:00Z,10,new,EUR,done,A\n";
    const { statement } = await bench.import("2.csv", turned, { profiles: unique });
    expect(statement).toMatchObject({ rowsDuplicate: 1, rowsAccepted: 0 });
  });

  test("a column that the profile needs and that is gone refuses the file", async () => {
    const bench = await openBench(database.db, "gone");
    const renamed = file(a).replace("amount", "total");
    await expect(bench.import("gone.csv", renamed, { profiles: unique })).rejects.toMatchObject({
      importCode: "file_layout_changed",
      message: expect.stringContaining("has no amount") as string,
    });
  });

  test("a column that is there twice refuses the file", async () => {
    const bench = await openBench(database.db, "double");
    const doubled = "id,status,currency,amount,amount,time\nA,done,EUR,1,2,2026-01-01T10:00:00Z\n";
    await expect(bench.import("double.csv", doubled, { profiles: unique })).rejects.toMatchObject({
      importCode: "file_layout_changed",
    });
  });

  test("ids are unique within a provider and an account, not across them", async () => {
    const bench = await openBench(database.db, "two providers");
    const other = [aProfile({ name: "other", provider: "otherpay" })];
    await bench.import("1.csv", file(a), { profiles: unique });
    const { statement } = await bench.import("2.csv", file(a, b), { profiles: other });
    expect(statement).toMatchObject({ rowsAccepted: 2, rowsDuplicate: 0 });
    const elsewhere = await openBench(database.db, "another account");
    const there = await elsewhere.import("1.csv", file(a), { profiles: unique });
    expect(there.statement).toMatchObject({ rowsAccepted: 1 });
  });
});

describe("versions of a line", () => {
  const corrected = "A,done,EUR,12.50,2026-01-01T10:00:00Z";

  test("a corrected file shows what changed, and the later made file stands, whichever comes first", async () => {
    const older = { profiles: unique, generatedAt: parseInstant("2026-02-01T00:00:00Z") };
    const newer = { profiles: unique, generatedAt: parseInstant("2026-02-02T00:00:00Z") };
    const forth = await openBench(database.db, "forth");
    await forth.import("1.csv", file(a, b), older);
    const { statement, restated } = await forth.import("2.csv", file(corrected, b), newer);
    expect(statement).toMatchObject({ rowsAccepted: 1, rowsRestated: 1, rowsDuplicate: 1 });
    expect(restated).toMatchObject([
      {
        lineNo: 2,
        lineKey: "charge|A",
        stands: true,
        changes: { fiat_gross: { before: "10", after: "12.5" } },
      },
    ]);
    const back = await openBench(database.db, "back");
    await back.import("2.csv", file(corrected, b), newer);
    const late = await back.import("1.csv", file(a, b), older);
    expect(late.restated).toMatchObject([{ stands: false }]);
    for (const name of ["forth", "back"]) {
      const amounts = (await linesInForce(database.db, name)).map(({ fiat_gross }) => fiat_gross);
      expect(amounts).toEqual(["12.5", "20"]);
    }
  });

  test("two contents for one key in one file reject all of those rows, and only those", async () => {
    const bench = await openBench(database.db, "conflict");
    const { statement, rejects } = await bench.import("conflict.csv", file(a, b, corrected, c), {
      profiles: unique,
    });
    expect(statement).toMatchObject({ rowsAccepted: 2, rowsRejected: 2 });
    expect(rejects.map(({ lineNo, code }) => [lineNo, code])).toEqual([
      [2, "row_key_conflict"],
      [4, "row_key_conflict"],
    ]);
    expect(await keys("conflict")).toEqual(["charge|B", "charge|C"]);
  });

  test("withdrawing takes back what only this file carries, and brings an older version back", async () => {
    const bench = await openBench(database.db, "withdraw");
    const first = await bench.import("1.csv", file(a, b), { profiles: unique });
    const second = await bench.import("2.csv", file(corrected, b, c), { profiles: unique });
    const result = await withdraw(second.statement.id);
    expect(result).toMatchObject({ linesRetired: 2, linesRestored: 1, statement: { state: "withdrawn" } });
    const lines = await linesInForce(database.db, "withdraw");
    expect(lines.map(({ line_key, fiat_gross }) => [line_key, fiat_gross])).toEqual([
      ["charge|A", "10"],
      ["charge|B", "20"],
    ]);
    await withdraw(first.statement.id);
    expect(await linesInForce(database.db, "withdraw")).toEqual([]);
    await expect(withdraw(first.statement.id)).rejects.toMatchObject({ code: "statement_withdrawn" });
    const again = await bench.import("1.csv", file(a, b), { profiles: unique });
    expect(again).toMatchObject({ state: "imported", statement: { rowsAccepted: 2 } });
    expect(await linesInForce(database.db, "withdraw")).toHaveLength(2);
  });

  test("a replacement withdraws the old file in the same database transaction", async () => {
    const bench = await openBench(database.db, "replace");
    const old = await bench.import("old.csv", file(a, a, b), { profiles: counted });
    const { statement } = await bench.import("new.csv", file(a, b, c), {
      profiles: counted,
      replaces: old.statement.id,
    });
    expect(statement).toMatchObject({ replacesId: old.statement.id, rowsAccepted: 1, rowsDuplicate: 2 });
    const amounts = (await linesInForce(database.db, "replace")).map(({ fiat_gross }) => fiat_gross);
    expect(amounts.map(String).toSorted(byText)).toEqual(["10", "20", "30"]);
    const [replaced] = await database.db.query(
      "select state, withdrawn_reason from tieout.statements where id = $1",
      [old.statement.id],
    );
    expect(replaced).toEqual({
      state: "withdrawn",
      withdrawn_reason: `replaced by statement ${statement.id}`,
    });
  });

  test("every import and every withdrawal is in the audit log", async () => {
    const bench = await openBench(database.db, "audited");
    const { statement } = await bench.import("audited.csv", file(a), { profiles: unique });
    await withdraw(statement.id);
    const entries = await database.db.query(
      "select actor, action, reason from tieout.audit_log where subject = $1 order by number",
      [`statement ${statement.id}`],
    );
    expect(entries).toEqual([
      { actor: "test", action: "statement.imported", reason: null },
      { actor: "test", action: "statement.withdrawn", reason: "a test" },
    ]);
  });

  test("the tables of lines refuse to be changed", async () => {
    for (const table of ["statement_lines", "statement_rows", "statement_files"]) {
      for (const change of [`delete from tieout.${table}`, `truncate tieout.${table} cascade`]) {
        await expect(database.db.query(change)).rejects.toThrow("append-only");
      }
    }
    await expect(database.db.query("update tieout.statement_lines set net_amount = 1")).rejects.toThrow(
      "append-only",
    );
  });
});

function withdraw(statementId: number) {
  return withdrawStatement({ database: database.db }, { statementId, reason: "a test", actor: "test" });
}

function byText(x: string, y: string): number {
  return x < y ? -1 : 1;
}

async function keys(account: string): Promise<unknown[]> {
  return (await linesInForce(database.db, account)).map(({ line_key }) => line_key);
}

async function versions(): Promise<unknown[]> {
  return database.db.query(
    `select 'line' as what, ctid::text, xmin::text, xmax::text from tieout.statement_lines
     union all select 'row', ctid::text, xmin::text, xmax::text from tieout.statement_rows
     union all select 'statement', ctid::text, xmin::text, xmax::text from tieout.statements
     order by 1, 2`,
  );
}
