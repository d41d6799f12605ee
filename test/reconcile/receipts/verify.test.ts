import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { verifyReceipts } from "../../../src/reconcile/receipts/verify-receipts.ts";
import { useTestDatabase } from "../../support/test-database.ts";
import { openBooks } from "../books.ts";
import { declarePayouts, receive } from "./bank.ts";

const database = useTestDatabase();

test("verify finds a changed byte, line and match, and names the row", async () => {
  const { db } = database;
  const books = await openBooks(db);
  await declarePayouts(books, [{ ref: "PO-2026-03", net: "100" }]);
  await receive(books, [
    ["2026-03-25", "100", "PO-2026-03"],
    ["2026-03-26", "7", "other"],
  ]);
  expect(await verifyReceipts(db)).toEqual([]);

  // As someone who owns the tables could.
  const tamper = (table: string, change: string) =>
    db.query(`begin; alter table tieout.${table} disable trigger all; ${change};
              alter table tieout.${table} enable trigger all; commit`);
  await tamper("receipt_lines", "update tieout.receipt_lines set amount = 8 where amount = 7");
  expect(await verifyReceipts(db)).toEqual([
    { subject: "row 3 of receipts 1", problem: "the values that are kept are not those of the file" },
  ]);
  await tamper("receipt_lines", "update tieout.receipt_lines set amount = 7 where amount = 8");

  await db.query("update tieout.receipt_matches set key = 'ANOTHERNAME'");
  expect(await verifyReceipts(db)).toMatchObject([
    { problem: "the name it was made by is not a name of its line" },
  ]);
  await db.query("update tieout.receipt_matches set key = 'PO202603'");

  const other = gzipSync("another file").toString("hex");
  await tamper("receipt_file_bytes", `update tieout.receipt_file_bytes set content = '\\x${other}'`);
  expect(await verifyReceipts(db)).toEqual([
    { subject: "receipts 1", problem: "its bytes are not those of the file that was imported" },
  ]);
});

test("of a file that an earlier version read, verify asks for another import only where it is read differently", async () => {
  const { db } = database;
  const books = await openBooks(db);
  await receive(books, [["2026-03-25", "100", "PO-2026-03 of 2026-03-24"]]);
  const own = `where account_id = ${books.accountId}`;
  const asVersion2 = (change: string) =>
    db.query(`begin; alter table tieout.receipt_lines disable trigger all; alter table tieout.receipt_files disable trigger all;
              update tieout.receipt_files set parser_version = 2 ${own};
              update tieout.receipt_lines set ${change} ${own};
              alter table tieout.receipt_lines enable trigger all; alter table tieout.receipt_files enable trigger all; commit`);
  const found = async () => (await verifyReceipts(db)).filter(({ problem }) => !problem.includes("bytes"));
  // Later versions find more names.
  await asVersion2("keys = keys[1:1]");
  expect(await found()).toEqual([]);
  await asVersion2("direction = 'debit'");
  expect(await found()).toMatchObject([
    {
      problem:
        "the values that are kept are not those of the file; files are read more strictly now: withdraw it and import it again",
    },
  ]);
});
