import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { gunzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { reconcileInside } from "../../../src/reconcile/reconcile.ts";
import { parseInstant } from "../../../src/core/instant.ts";
import { writeRejects } from "../../../src/reconcile/statement/rejects-csv.ts";
import { useTestDatabase } from "../../support/test-database.ts";
import { aProfile, nothing, openBench, rowsInTables } from "./import-for-test.ts";

const database = useTestDatabase();
const transak = await readFile("test/fixtures/statements/transak.csv", "utf8");
const header = "id,status,currency,amount,time";
const profiles = [aProfile()];

test("a preview shows what the import then does, and writes nothing", async () => {
  const bench = await openBench(database.db, "preview");
  const text = transak.replace("1.37,0.18,0.00068203,,", "n/a,0.18,0.00068203,,");
  const preview = await bench.preview("transak-2026-01.csv", text);
  expect(preview).toMatchObject({ state: "previewed", statement: { rowsAccepted: 5, rowsRejected: 1 } });
  expect(await rowsInTables(database.db)).toEqual(nothing);
  const imported = await bench.import("transak-2026-01.csv", text);
  const { statement, rejects, restated, problems } = imported;
  const shown = (each: typeof statement) => ({ ...each, id: 0, importedAt: "", madeAt: "" });
  expect(shown(preview.statement)).toEqual(shown(statement));
  expect({ rejects, restated, problems }).toEqual({
    rejects: preview.rejects,
    restated: preview.restated,
    problems: preview.problems,
  });
});

test("a preview of a file that would be refused says why, and still shows its rows", async () => {
  const bench = await openBench(database.db, "refused");
  const preview = await bench.preview("cut.csv", transak.slice(0, 900));
  expect(preview.problems).toMatchObject([{ code: "file_truncated" }]);
  expect(preview.rejects).toMatchObject([{ lineNo: 4, code: "row_unparseable" }]);
});

test("a preview runs what comes after the lines in the same database transaction", async () => {
  const bench = await openBench(database.db, "consequences");
  const seen: object[] = [];
  const preview = await bench.preview("transak.csv", transak, {
    deps: {
      afterLines: async (tx, { accountId, provider, statementId }) => {
        seen.push(
          ...(await tx.query(
            "select count(*)::int as lines from tieout.statement_lines where statement_id = $1",
            [statementId],
          )),
        );
        return reconcileInside(tx, { accountId, provider });
      },
    },
  });
  expect(seen).toEqual([{ lines: 6 }]);
  expect(preview.consequences).toMatchObject({ provider: "transak", counts: { matched: 0 } });
});

test("an import that dies in the middle leaves nothing", async () => {
  const bench = await openBench(database.db, "dies");
  const dying = bench.import("transak.csv", transak, {
    deps: {
      failpoint: () => {
        throw new Error("the plug was pulled");
      },
    },
  });
  await expect(dying).rejects.toThrow("the plug was pulled");
  const rows = await database.db.query(
    "select 1 from tieout.statement_lines as l join tieout.accounts as a on a.id = l.account_id where a.name = 'dies'",
  );
  expect(rows).toEqual([]);
});

test("the bytes are kept as they came", async () => {
  const bench = await openBench(database.db, "bytes");
  const { statement } = await bench.import("bytes.csv", transak);
  const parts = await database.db.query<{ content: Buffer }>(
    "select content from tieout.statement_files where statement_id = $1 order by part",
    [statement.id],
  );
  const bytes = Buffer.concat(parts.map(({ content }) => gunzipSync(content)));
  expect(bytes.toString("utf8")).toBe(transak);
  expect(statement.sha256.toString("hex")).toBe(createHash("sha256").update(transak).digest("hex"));
});

test("rejected rows download with their text, which cannot run as a formula", async () => {
  const bench = await openBench(database.db, "download");
  const rows = [
    "=1+1,done,EUR,ten,2026-01-01T10:00:00Z",
    'B,"a ""b"", c",EUR,-5x,2026-01-01T10:00:00Z',
    "C,done,EUR,5,2026-01-01T10:00:00Z",
  ];
  const { statement } = await bench.import("download.csv", `${header}\n${rows.join("\n")}\n`, {
    profiles,
    generatedAt: parseInstant("2026-02-01T00:00:00Z"),
  });
  let csv = "";
  for await (const piece of writeRejects(database.db, statement.id)) csv += piece;
  expect(csv).toBe(
    "line_no,code,field,reason,original_text\n" +
      '2,row_unparseable,fiat_amount,"""ten"" is not an amount with a decimal point and no grouping","\'=1+1,done,EUR,ten,2026-01-01T10:00:00Z"\n' +
      '3,row_unparseable,fiat_amount,"""-5x"" is not an amount with a decimal point and no grouping","B,""a """"b"""", c"",EUR,-5x,2026-01-01T10:00:00Z"\n',
  );
});

test("overlapping and missing days between statements are warned of", async () => {
  const bench = await openBench(database.db, "periods");
  const row = (id: string, day: string) => `${header}\n${id},done,EUR,1,${day}T10:00:00Z\n`;
  const january = await bench.import("p-2026-01.csv", row("A", "2026-01-05"), { profiles });
  expect(january.statement.warnings).toEqual([]);
  const overlap = await bench.import("p_2026-01-20_2026-02-10.csv", row("B", "2026-02-05"), { profiles });
  expect(overlap.statement.warnings).toMatchObject([
    {
      code: "period_overlap",
      message: "shares days with p-2026-01.csv",
      statementIds: [january.statement.id],
    },
  ]);
  const april = await bench.import("p-2026-04.csv", row("C", "2026-04-05"), { profiles });
  expect(april.statement.warnings).toMatchObject([
    {
      code: "period_gap",
      message: "nothing covers 2026-02-11 to 2026-03-31, after p_2026-01-20_2026-02-10.csv",
    },
  ]);
});
