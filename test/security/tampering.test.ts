import { beforeAll, describe, expect, test } from "vitest";
import { recordColumns } from "../../src/core/record-fields.ts";
import { verifyStatements } from "../../src/reconcile/statement/verify-statements.ts";
import { findWrongDiscrepancies } from "../../src/store/books/discrepancy-integrity.ts";
import { encodedColumns } from "../../src/store/statements/incoming-row.ts";
import { findWrongLatest, type Mismatch } from "../../src/store/transactions/integrity.ts";
import type { Transaction } from "../../src/store/database.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { seedPage } from "../web/seed-page.ts";
import { takeStatement } from "../web/statement-file.ts";

const database = useTestDatabase();
beforeAll(async () => {
  await takeStatement(database.db, await seedPage(database.db, Date.now()));
});

/** What the owner of the tables can do behind the service's back; taken back after it was looked at. */
async function afterTampering(
  statement: string,
  look: (tx: Transaction) => Promise<Mismatch[]>,
): Promise<string[]> {
  return database.db.rehearse(async (tx) => {
    await tx.query("set local session_replication_role = replica");
    await tx.query(statement);
    return (await look(tx)).map(({ subject, problem }) => `${subject}: ${problem}`);
  });
}

test("what nobody touched is in order", async () => {
  expect(await findWrongLatest(database.db)).toEqual([]);
  expect(await findWrongDiscrepancies(database.db)).toEqual([]);
  expect(await verifyStatements(database.db)).toEqual([]);
});

describe("of a transaction", () => {
  const served = recordColumns.filter(
    (column) => !["transaction_id", "record_hash", "hash_version"].includes(column),
  );
  test.each([...served, "is_final", "first_seen_at"])("a changed %s is found, by its id", async (column) => {
    const [found] = await database.db.query<{ id: string; type: string }>(
      `select transaction_id as id, pg_typeof(${column})::text as type from tieout.transactions
       where account_id = 1 order by 1 limit 1`,
    );
    const values: Record<string, string> = {
      numeric: "999999",
      boolean: `not ${column}`,
      smallint: `${column} + 1`,
      jsonb: `'{"changed": true}'`,
      "timestamp with time zone": `${column} + interval '1 second'`,
      text: "'changed'",
    };
    const change = `update tieout.transactions set ${column} = ${values[found?.type ?? ""]}
                    where account_id = 1 and transaction_id = '${found?.id}'`;
    expect(await afterTampering(change, findWrongLatest)).toEqual([
      expect.stringMatching(new RegExp(`^transaction ${found?.id}: its latest row`)) as string,
    ]);
  });
});

describe("of a discrepancy", () => {
  const open =
    "where id = (select min(id) from tieout.discrepancies where state = 'open' and expected is not null)";
  test.each([
    ["closing it", `state = 'resolved', reason = 'x', resolved_by = 'x', resolved_at = now()`],
    ["giving it to someone", "owner = 'nobody'"],
    ["another expected amount", "expected = expected + 1, delta = delta - 1"],
    ["another actual amount", "actual = actual + 1, delta = delta + 1"],
    ["another currency", "currency = 'xxx'"],
    ["another value", "value = 123456"],
    ["a value in another currency", "value_currency = 'xxx'"],
    ["other facts", "facts_hash = sha256('x')"],
  ])("%s is found, by its id", async (_, change) => {
    const found = await afterTampering(
      `update tieout.discrepancies set ${change} ${open}`,
      findWrongDiscrepancies,
    );
    expect(found).toEqual([expect.stringMatching(/^discrepancy dis_\d+: /) as string]);
  });

  test("a value that was found once its currency was known is in order", async () => {
    const found = await afterTampering(
      `update tieout.discrepancy_events
       set facts = facts || '{"value": null, "value_currency": null}'
       where facts <> '{}'`,
      findWrongDiscrepancies,
    );
    expect(found).toEqual([]);
  });

  test("one without any event is found", async () => {
    const found = await afterTampering("delete from tieout.discrepancy_events", findWrongDiscrepancies);
    expect(found[0]).toMatch(/^discrepancy dis_\d+: nothing says that it was ever raised$/);
  });
});

/** Statements are read on a connection of their own, so what was done to them is undone by doing the opposite. */
describe("of a statement", () => {
  async function found(tables: string[], ...statements: [change: string, back: string][]): Promise<string[]> {
    const run = (which: 0 | 1) =>
      database.db.transaction(async (tx) => {
        await tx.query("set local session_replication_role = replica");
        for (const pair of statements) await tx.query(pair[which]);
      });
    await database.db.query(
      tables.map((name) => `create table public.kept_${name} as table tieout.${name}`).join(";"),
    );
    try {
      await run(0);
      return (await verifyStatements(database.db)).map(({ subject, problem }) => `${subject}: ${problem}`);
    } finally {
      await run(1);
      await database.db.query(tables.map((name) => `drop table public.kept_${name}`).join(";"));
      expect(await verifyStatements(database.db)).toEqual([]);
    }
  }

  const line = "id = (select min(id) from tieout.statement_lines)";
  const values: Record<string, string> = {
    fiat_gross: "fiat_gross + 900",
    net_amount: "net_amount + 900",
    wallet_address: "'0x0'",
    effective_at: "effective_at + interval '1 hour'",
    status: "'failed'",
    extra: `'{"x": 1}'`,
  };

  test.each(Object.keys(values))("a line's changed %s is found, by its place in the file", async (column) => {
    expect(encodedColumns).toContain(column);
    const back = `update tieout.statement_lines as l set ${column} = k.${column} from public.kept_statement_lines as k where k.id = l.id`;
    const told = await found(
      ["statement_lines"],
      [`update tieout.statement_lines set ${column} = ${values[column]} where ${line}`, back],
    );
    expect(told).toEqual(["line 2 of statement 1: the values that are kept are not those of the file"]);
  });

  test("a row that became rejected, and lost its line, is found", async () => {
    const back = `update tieout.statement_rows as r set outcome = k.outcome, code = k.code, reason = k.reason, line_id = k.line_id
                  from public.kept_statement_rows as k where k.statement_id = r.statement_id and k.line_no = r.line_no`;
    const told = await found(
      ["statement_rows"],
      [
        "update tieout.statement_rows set outcome = 'rejected', code = 'x', reason = 'x', line_id = null where line_no = 3",
        back,
      ],
    );
    expect(told).toEqual([
      "line 3 of statement 1: no row of the file leads to what is kept of it",
      "line 3 of statement 1: the file read again gives another outcome",
    ]);
  });

  test("other bytes, and another hash that fits them, are found", async () => {
    const back =
      "update tieout.statement_files as f set content = k.content from public.kept_statement_files as k where k.part = f.part";
    const other =
      "update tieout.statement_files set content = decode('1f8b080000000000000303000000000000000000', 'hex') where part = 1";
    expect((await found(["statement_files"], [other, back])).join()).toContain("its bytes");
    const hashed = await found(
      ["statements"],
      [
        "update tieout.statements set sha256 = sha256('x')",
        "update tieout.statements as s set sha256 = k.sha256 from public.kept_statements as k where k.id = s.id",
      ],
    );
    expect(hashed).toContain("statement 1: its hash is not the one that the audit log has of its import");
    expect(hashed).toContain("statement 1: its bytes are not those of the file that was imported");
  });

  test("other totals are found", async () => {
    const told = await found(
      ["statements"],
      [
        `update tieout.statements set totals = '[]'`,
        "update tieout.statements as s set totals = k.totals from public.kept_statements as k where k.id = s.id",
      ],
    );
    expect(told).toEqual(["statement 1: its counts or totals are not those of its file"]);
  });
});
