import { describe, expect, test } from "vitest";
import { parseInstant } from "../../../src/core/instant.ts";
import { withdrawStatement } from "../../../src/reconcile/statement/withdraw-statement.ts";
import { useTestDatabase } from "../../support/test-database.ts";
import { aProfile, openBench } from "./import-for-test.ts";

const database = useTestDatabase();
const profiles = [aProfile()];
const header = "id,status,currency,amount,time";
const a = "A,done,EUR,10.00,2026-01-01T10:00:00Z";
const b = "B,done,EUR,20.00,2026-01-02T10:00:00Z";
const c = "C,done,EUR,30.00,2026-01-03T10:00:00Z";
const file = (...rows: string[]) => `${[header, ...rows].join("\n")}\n`;

describe("the file that a line is traced to", () => {
  test("is the correction that replaced the file which first brought it, and before that it was the old one", async () => {
    const bench = await openBench(database.db, "replaced");
    const old = await bench.import("old.csv", file(a, b), { profiles });
    const before = await databaseNow();
    await bench.import("new.csv", file(c, b, a), { profiles, replaces: old.statement.id });
    expect(await traces("replaced")).toEqual(["A new.csv 4", "B new.csv 3", "C new.csv 2"]);
    expect(await traces("replaced", before)).toEqual(["A old.csv 2", "B old.csv 3", "C new.csv 2"]);
  });

  test("goes back to the older file when the newer one is withdrawn, and stays with the last when none is left", async () => {
    const bench = await openBench(database.db, "taken back");
    const first = await bench.import("first.csv", file(a, b), { profiles });
    const second = await bench.import("second.csv", file(b, a), { profiles });
    const both = await databaseNow();
    expect(await traces("taken back")).toEqual(["A second.csv 3", "B second.csv 2"]);
    await withdraw(second.statement.id);
    expect(await traces("taken back")).toEqual(["A first.csv 2", "B first.csv 3"]);
    await withdraw(first.statement.id);
    expect(await traces("taken back")).toEqual(["A first.csv 2", "B first.csv 3"]);
    expect(await traces("taken back", both)).toEqual(["A second.csv 3", "B second.csv 2"]);
    await bench.import("again.csv", file(a, b), { profiles });
    expect(await traces("taken back")).toEqual(["A again.csv 2", "B again.csv 3"]);
  });

  test("is the one that was made last, whichever was imported last", async () => {
    const bench = await openBench(database.db, "made last");
    const made = (day: string) => ({ profiles, generatedAt: parseInstant(`2026-02-${day}T00:00:00Z`) });
    await bench.import("late.csv", file(b, a), made("02"));
    await bench.import("early.csv", file(a, b, c), made("01"));
    expect(await traces("made last")).toEqual(["A late.csv 3", "B late.csv 2", "C early.csv 4"]);
  });

  test("is found for one line by an index, however many files there are", async () => {
    const [plan] = await database.db.query<{ "QUERY PLAN": unknown }>(
      "explain (format json) select * from tieout.line_files where line_id = 1",
    );
    const past = await database.db.query(
      "explain (format json) select * from tieout.line_files_at(now()) where line_id = 1",
    );
    // The function is looked through: a scan of it would read every line of every account.
    expect(JSON.stringify([plan, past])).not.toContain("Function Scan");
  });
});

async function databaseNow(): Promise<string> {
  const [row] = await database.db.query<{ at: string }>("select clock_timestamp()::text as at");
  return row?.at ?? "";
}

async function traces(account: string, knownAt: string | null = null): Promise<string[]> {
  const source = knownAt === null ? "tieout.line_files" : "tieout.line_files_at($2::timestamptz)";
  const rows = await database.db.query<{ trace: string }>(
    `select l.provider_transaction_id || ' ' || s.file_name || ' ' || f.line_no as trace
     from ${source} as f
     join tieout.statement_lines as l on l.id = f.line_id
     join tieout.statements as s on s.id = f.statement_id
     join tieout.accounts as a on a.id = l.account_id
     where a.name = $1
     order by 1`,
    knownAt === null ? [account] : [account, knownAt],
  );
  return rows.map(({ trace }) => trace);
}

function withdraw(statementId: number) {
  return withdrawStatement({ database: database.db }, { statementId, reason: "a test", actor: "test" });
}
