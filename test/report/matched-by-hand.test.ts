import { describe, expect, test } from "vitest";
import { decimal } from "../../src/core/decimal.ts";
import { parseDayOrInstant } from "../../src/core/period.ts";
import { makeMatch } from "../../src/reconcile/match-by-hand.ts";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { splitLine } from "../../src/reconcile/split-by-hand.ts";
import { addRecords, addStatement, type ALine, type Books, openBooks } from "../reconcile/books.ts";
import { aPerson } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { databaseNow } from "./claims.ts";
import { parseCsv, readReport, requestFor } from "./books.ts";

const database = useTestDatabase();
const booked = { bookedAt: parseDayOrInstant("2026-05-15") ?? undefined };
const before = { as_at: ["2026-05-01"] };
const unheardOf = {
  of: "one",
  provider_transaction_id: "unheard of",
  our_reference: null,
  transaction_hash: null,
};
const after = { as_at: ["2026-06-01"] };

describe("what a person matches, as at a day before it is booked", () => {
  const cases: Record<
    string,
    { lines: ALine[]; shared?: object; match: (books: Books) => Promise<unknown>; codes: string[] }
  > = {
    "a charge that names no order, and differs from it": {
      lines: [{ ...unheardOf, fiat_gross: "250", fiat_net: "247" }],
      match: matchWithOne,
      codes: ["missing_from_records"],
    },
    "a charge that fits two orders": {
      lines: [{ of: "one", provider_transaction_id: "shared" }],
      shared: { onrampTransactionId: "shared" },
      match: matchWithOne,
      codes: ["ambiguous"],
    },
    "a refund of an order that it does not name": {
      lines: [
        { ...unheardOf, type: "refund", key: "back", fiat_gross: "30", net_amount: "-30" },
        { of: "one", key: "first" },
      ],
      match: matchWithOne,
      codes: ["unlinked_reversal"],
    },
    "a charge that is split, and whose parts leave something over": {
      lines: [{ ...unheardOf, fiat_gross: "210", fiat_net: "207" }],
      match: splitOverBoth,
      codes: ["missing_from_records"],
    },
  };
  for (const [name, { lines, shared, match, codes }] of Object.entries(cases))
    test(`${name}: every report says what it said before`, async () => {
      const books = await openBooks(database.db);
      await addRecords(books, [
        { id: "one", ...shared },
        { id: "two", ...shared },
      ]);
      await addStatement(books, { lines });
      await reconcileAccount(database.db, books.accountId);
      const said = await askAll(books);
      await match(books);
      expect(await askAll(books)).toEqual(said);
      const itemised = (when: Record<string, string[]>) => ask(books, "itemised", when);
      expect((await itemised(before))[0]).toMatchObject({
        class: "discrepant",
        codes: codes.join(" "),
        match_rule: "",
      });
      expect((await itemised(after))[0]).toMatchObject({ match_rule: "person" });
      // A run over everything finds it as the match did.
      await reconcileAccount(database.db, books.accountId, { full: true });
      expect(await askAll(books)).toEqual(said);
    });
});

test("what was known before the rule came stays as it was, and the next run judges everything by it", async () => {
  const { db } = database;
  const books = await openBooks(db);
  await addRecords(books, [{ id: "one" }]);
  await addStatement(books, { lines: [unheardOf] });
  await db.transaction(async (tx) => {
    await tx.query("set local session_replication_role = replica");
    await tx.query("delete from tieout.rule_changes where rule = 'lines_from_booking'");
  });
  await reconcileAccount(db, books.accountId);
  await matchWithOne(books);
  const knownAt = await databaseNow(books);
  const classes = async (given: object) =>
    (await ask(books, "itemised", { ...before, ...given })).map((row) => row["match_rule"]);
  expect(await classes({})).toEqual(["person"]);
  await db.query(
    "insert into tieout.rule_changes (rule, since) values ('lines_from_booking', clock_timestamp())",
  );
  expect(await classes({})).toEqual([""]);
  expect(await classes({ known_at: [knownAt] })).toEqual(["person"]);
  const kinds = async () => (await reconcileAccount(db, books.accountId)).map(({ kind }) => kind);
  expect([await kinds(), await kinds()]).toEqual([["full"], ["incremental"]]);
});

const reports = [
  "itemised",
  "discrepancies",
  "ageing",
  "unsettled",
  "payout-reconciliation",
  "position",
  "receivable",
  "provider-summary",
];

async function ask(books: Books, name: string, given: Record<string, string[]>) {
  const request = requestFor(name, { account: [books.name], partial: ["true"], ...given });
  return parseCsv(await readReport(database.db, request));
}

async function askAll(books: Books): Promise<Record<string, unknown>> {
  const answers: Record<string, unknown> = {};
  for (const name of reports) answers[name] = await ask(books, name, before);
  // An entry names the order that its line belongs to, whenever that was found out.
  answers["journal"] = (await ask(books, "journal", before)).map((row) => ({ ...row, transaction_id: "" }));
  return answers;
}

async function theLine({ accountId }: Books): Promise<number> {
  const [line] = await database.db.query<{ id: number }>(
    "select id::int from tieout.statement_lines where account_id = $1 order by line_no limit 1",
    [accountId],
  );
  return line?.id ?? 0;
}

async function controller() {
  return { actor: `person:${await aPerson(database.db, "controller")}`, requestId: "req_1" };
}

async function matchWithOne(books: Books): Promise<void> {
  const wanted = {
    lineId: await theLine(books),
    transactionId: "one",
    reason: "they wrote to us",
    ...booked,
  };
  await makeMatch(database.db, { accountIds: null }, wanted, await controller());
}

async function splitOverBoth(books: Books): Promise<void> {
  const parts = ["one", "two"].map((transactionId) => ({ transactionId, amount: decimal("100") }));
  const wanted = { lineId: await theLine(books), parts, reason: "one for both", ...booked };
  await splitLine(database.db, { accountIds: null }, wanted, await controller());
}
