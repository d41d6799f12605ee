import { beforeEach, describe, expect, test } from "vitest";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { addRecords, type Books, discrepanciesOf, openBooks } from "../reconcile/books.ts";
import { databaseNow, rowsOf, sum } from "../report/claims.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { aKey, useApi } from "./an-api.ts";

const database = useTestDatabase();
const server = useApi(database);

let books: Books;
let key = "";
let statement = "";

/** Two orders of 60.10 and 39.90 came to the provider's books as one charge of 100, of which 3.33 is our share. */
beforeEach(async () => {
  books = await openBooks(database.db);
  key = await aKey(database.db, "accountant", { accountIds: [books.accountId] });
  await addRecords(books, [
    { id: "A", inAmount: "60.10", outAmount: "0.0012" },
    { id: "B", inAmount: "39.90", outAmount: "0.0008" },
    { id: "C", inAmount: "5" },
    { id: "X", onramp: "banxa", onrampTransactionId: "x-1" },
  ]);
  statement = await upload(fileOf({}));
});

describe("a split", () => {
  test("settles every transaction with its part, and the line once", async () => {
    expect(await found()).toEqual(
      expect.arrayContaining([
        "missing_from_records charge|lumped: 0 → 100 EUR",
        "missing_from_statement A: 60.1 → 0 EUR",
      ]),
    );
    const made = await split([part("A", "60.10"), part("B")]);
    expect(made.status).toBe(201);
    expect(made.json).toMatchObject({ object: "split", amount: "100", currency: "EUR", rest: "0" });
    expect(made.json["matches"]).toMatchObject([
      {
        transaction_id: "A",
        rule: "person",
        role: "settles",
        part_amount: "60.1",
        in_actual: "60.1",
        in_difference: "0",
      },
      { transaction_id: "B", part_amount: "39.9", in_expected: "39.9", in_actual: "39.9", out_actual: null },
    ]);
    expect(await found()).toEqual(["missing_from_statement C: 5 → 0 EUR"]);
    expect(await lumped()).toMatchObject({
      transaction_id: "A B",
      in_amount: "100",
      source_currency: "eur",
      out_amount: "0.002",
      status: "completed",
      in_difference: "0",
      line_gross: "100",
      line_net: "3.33",
      match_rule: "person",
      class: "matched",
      codes: "",
    });
    await expectTied();
  });

  test("is judged the same by the next run, and by one over everything", async () => {
    await split([part("A", "60"), part("B", "39.90")]);
    const before = await bookRows();
    await reconcileAccount(database.db, books.accountId);
    await reconcileAccount(database.db, books.accountId, { full: true });
    expect(await bookRows()).toEqual(before);
  });

  test("holds each part against its own transaction, and what is left against the line", async () => {
    await split([part("A", "50"), part("B", "39.90")]);
    expect(await found()).toEqual([
      "in_amount_mismatch A: 60.1 → 50 EUR",
      "missing_from_statement C: 5 → 0 EUR",
      "split_amount_mismatch charge|lumped: 89.9 → 100 EUR",
    ]);
    expect(await lumped()).toMatchObject({
      class: "discrepant",
      codes: "split_amount_mismatch in_amount_mismatch",
    });
    await expectTied();
  });

  test("compares the coins of the line with those of all its transactions", async () => {
    await split([part("A", "60.10"), part("C", "5"), part("B", "34.90")]);
    expect(await found()).toEqual([
      "in_amount_mismatch B: 39.9 → 34.9 EUR",
      "split_crypto_mismatch charge|lumped: 0.004 → 0.002 btc",
    ]);
  });

  test("is audited part by part, with who and why", async () => {
    const made = await split([part("A", "60.10"), part("B", "39.90")]);
    const ids = (made.json["matches"] as { id: string }[]).map(({ id }) => id);
    const rows = await database.db.query(
      "select action, subject, reason, after ->> 'part' as part, actor like 'key:%' as named from tieout.audit_log where subject = any($1) order by number",
      [ids],
    );
    expect(rows).toEqual([
      { action: "match.made", subject: ids[0], reason: "one charge for both", part: "60.1 EUR", named: true },
      { action: "match.made", subject: ids[1], reason: "one charge for both", part: "39.9 EUR", named: true },
    ]);
  });
});

test("what cannot be split is refused, and nothing is changed", async () => {
  await split([part("A", "60.10"), part("B", "39.90")], await lineOf("charge:taken"));
  const foreign = await openBooks(database.db);
  await addRecords(foreign, [{ id: "F" }]);
  const others = await aKey(database.db, "accountant", { accountIds: [foreign.accountId] });
  const before = await bookRows();
  const line = await lineOf("charge:lumped");
  const payout = await lineOf("payout:P-1");
  const cases: [parts: object[], status: number, words: RegExp, of?: string][] = [
    [[part("C", "60"), part("D", "50")], 409, /come to 110 EUR, 10 more than the 100 EUR/],
    [[part("C", "100"), part("D", "0.000000001")], 409, /0\.000000001 more/],
    [[part("C", "0"), part("D", "50")], 400, /above zero/],
    [[part("C", "-5"), part("D", "50")], 400, /above zero/],
    [[part("C", "5 EUR"), part("D", "50")], 400, /above zero/],
    [[part("C", "5"), part("C", "6")], 409, /C is named twice/],
    [[part("C", "5")], 400, /parts/],
    [[part("C"), part("D")], 409, /Only one part/],
    [[part("C", "100"), part("D")], 409, /The part of D is 0/],
    [[part("C", "5"), part("F", "6")], 404, /There is no transaction F in the account/],
    [[part("C", "5"), part("X", "6")], 409, /X is of banxa/],
    [[part("C", "5"), part("A", "6")], 409, /A is settled already: end mat_\d+ first/],
    [[part("C", "5"), part("D", "6")], 409, /is a payout/, payout],
    [[part("C", "5"), part("D", "6")], 409, /is matched with A already/, await lineOf("charge:taken")],
    [[part("C", "5"), part("D", "6")], 404, /There is no line/, "lin_999999"],
  ];
  for (const [parts, status, words, of = line] of cases) {
    const answer = await split(parts, of);
    expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(words)]);
  }
  const body = { line, parts: [part("C", "5"), part("D", "6")], reason: "x" };
  expect((await server.send("POST", "/v1/matches/split", others, body)).status).toBe(404);
  expect(await bookRows()).toEqual(before);
});

test("the database itself lets no line have more parts than it has, nor a part beside the whole", async () => {
  await split([part("A", "60.10"), part("B", "39.90")]);
  const copy = (set: string) =>
    database.db.query(
      `insert into tieout.matches (account_id, provider, transaction_id, record_hash, line_id, part_no, part_amount, role, rule,
         state, made_by, reason, effective_at, matched_at)
       select account_id, provider, 'C', record_hash, line_id, ${set}, role, rule, state, made_by, reason, effective_at, matched_at
       from tieout.matches
       where account_id = $1 and transaction_id = 'A' and state = 'active'`,
      [books.accountId],
    );
  await expect(copy("2, 0.01")).rejects.toThrow(/come to more than the line/);
  await expect(copy("2, -1")).rejects.toThrow(/a_part_is_positive/);
  await expect(copy("0, null")).rejects.toThrow(/line_is_matched_once/);
  await expect(copy("1, null")).rejects.toThrow(/only_a_part_has_a_number/);
});

test("ending one part takes the whole split back, and it can be made again", async () => {
  const codes = await found();
  const parts = [part("A", "60.10"), part("B", "39.90")];
  const made = await split(parts);
  const [first, second] = made.json["matches"] as [{ id: string }, { id: string }];
  const ended = await server.send("POST", `/v1/matches/${second.id}/end`, key, { reason: "undone" });
  expect(ended.json).toMatchObject({ state: "ended", ended_reason: "undone", part_amount: "39.9" });
  expect((await server.get(`/v1/matches/${first.id}`, key)).json).toMatchObject({
    state: "ended",
    barred: true,
  });
  expect(await found()).toEqual(codes);
  expect(await lumped()).toMatchObject({ transaction_id: "", class: "discrepant" });
  expect((await server.send("POST", `/v1/matches/${first.id}/end`, key, { reason: "x" })).status).toBe(409);
  expect((await split(parts)).status).toBe(201);
  expect(await lumped()).toMatchObject({ transaction_id: "A B", class: "matched" });
});

test("what was known before the split is told as it was", async () => {
  const earlier = { known_at: await databaseNow(books) };
  const before = { line: await lumped(earlier), orders: await rowsOf(books, "unsettled", earlier) };
  await split([part("A", "60.10"), part("B", "39.90")]);
  const between = { known_at: await databaseNow(books) };
  expect({ line: await lumped(earlier), orders: await rowsOf(books, "unsettled", earlier) }).toEqual(before);
  const [match] = (await server.get("/v1/matches?state=active&transaction_id=A", key)).json["data"] as [
    { id: string },
  ];
  await server.send("POST", `/v1/matches/${match.id}/end`, key, { reason: "undone" });
  expect(await lumped(between)).toMatchObject({ transaction_id: "A B", class: "matched" });
  expect(await lumped()).toMatchObject({ transaction_id: "", class: "discrepant" });
  // Booked today: at the end of the month, by what is known now, the orders were still on their way.
  await split([part("A", "60.10"), part("B", "39.90")]);
  const then = await rowsOf(books, "unsettled", { as_at: "2026-04-01T00:00:00Z" });
  expect(then.map((row) => row["transaction_id"])).toEqual(expect.arrayContaining(["A", "B"]));
});

describe("a corrected file", () => {
  test("keeps the split of a line that lives on", async () => {
    await split([part("A", "60.10"), part("B", "39.90")]);
    await upload(fileOf({ note: "again" }), statement);
    expect(await lumped()).toMatchObject({ transaction_id: "A B", class: "matched", file_name: "again.csv" });
    await expectTied();
  });

  test("keeps the parts of a line that says something else now, and says what does not add up", async () => {
    await split([part("A", "60.10"), part("B", "39.90")]);
    await upload(fileOf({ note: "again", gross: "90" }), statement);
    expect(await found()).toContain("split_amount_mismatch charge|lumped: 100 → 90 EUR");
    expect(await lumped()).toMatchObject({ transaction_id: "A B", line_gross: "90", class: "discrepant" });
    const before = await bookRows();
    await reconcileAccount(database.db, books.accountId, { full: true });
    expect(await bookRows()).toEqual(before);
  });

  test("that is withdrawn takes the split with it", async () => {
    await split([part("A", "60.10"), part("B", "39.90")]);
    await server.send("POST", `/v1/statements/${statement}/withdraw`, key, { reason: "wrong month" });
    expect((await server.get("/v1/matches?state=active", key)).json["data"]).toEqual([]);
  });
});

test("a refund for several orders is split, too, and none is refunded beyond what it was", async () => {
  await split([part("A", "60.10"), part("B", "39.90")]);
  const refund = await lineOf("refund:back");
  const made = await split([part("A", "60.10"), part("B", "9.90")], refund);
  expect(made.json).toMatchObject({ rest: "0", matches: [{ role: "relates" }, { role: "relates" }] });
  expect(await found()).toEqual(["missing_from_statement C: 5 → 0 EUR"]);
  await server.send("POST", `/v1/matches/${(made.json["matches"] as [{ id: string }])[0].id}/end`, key, {
    reason: "x",
  });
  await split([part("A", "20"), part("B", "50")], refund);
  expect(await found()).toContain("reversal_exceeds_original B: 39.9 → 50 EUR");
});

test("a split outlives a changed record, and is held against what the record says now", async () => {
  await split([part("A", "60.10"), part("B", "39.90")]);
  await addRecords(books, [{ id: "A", inAmount: "61", outAmount: "0.0012", at: "2026-03-10T12:30:00.000Z" }]);
  await reconcileAccount(database.db, books.accountId);
  const { json } = await server.get("/v1/matches?transaction_id=A", key);
  expect(json["data"]).toMatchObject([
    {
      state: "active",
      part_amount: "60.1",
      in_expected: "61",
      reason: "one charge for both",
      rule: "person",
    },
    { state: "ended", part_amount: "60.1", ended_reason: "record_changed", barred: false },
  ]);
  expect(await found()).toEqual([
    "in_amount_mismatch A: 61 → 60.1 EUR",
    "missing_from_statement C: 5 → 0 EUR",
  ]);
  expect(await lumped()).toMatchObject({ transaction_id: "A B", class: "discrepant", in_difference: "-0.9" });
});

test("the lines of a payout name all transactions of a split", async () => {
  await split([part("A", "60.10"), part("B", "39.90")]);
  const [payout] = (await server.get("/v1/payouts?provider=moonpay", key)).json["data"] as [{ id: string }];
  const { json } = await server.get(`/v1/payouts/${payout.id}/lines`, key);
  expect(json["data"]).toContainEqual(
    expect.objectContaining({ line_type: "charge", transaction_id: null, transaction_ids: ["A", "B"] }),
  );
});

function part(transaction_id: string, amount?: string) {
  return { transaction_id, amount };
}

async function split(parts: object[], line?: string) {
  const body = { line: line ?? (await lineOf("charge:lumped")), parts, reason: "one charge for both" };
  return server.send("POST", "/v1/matches/split", key, body);
}

/** Row by row with the versions of the rows: what was written again is not the same. */
function bookRows(): Promise<unknown[]> {
  return database.db.query(
    `select 'match' as of, id, xmin::text, ctid::text, state from tieout.matches
     union all
     select 'finding', id, xmin::text, ctid::text, code from tieout.findings
     union all
     select 'audit', number, xmin::text, ctid::text, action from tieout.audit_log
     order by 1, 2`,
  );
}

async function lumped(given: Record<string, string> = {}): Promise<Record<string, string> | undefined> {
  const rows = await rowsOf(books, "itemised", given);
  const own = rows.filter(
    (row) => row["line_type"] === "charge" && row["provider_transaction_id"]?.startsWith("lumped"),
  );
  expect(own).toHaveLength(1);
  return own[0];
}

/** Every figure of the payout is a sum over the rows, and nothing is counted twice. */
async function expectTied(): Promise<void> {
  const rows = (await rowsOf(books, "itemised", {})).filter((row) => row["payout_ref"] === "P-1");
  const [payout] = await rowsOf(books, "payout-reconciliation", {});
  const own = rows.filter((row) => row["line_type"] !== "payout");
  expect(sum(own.map((row) => row["line_net"]))).toBe(payout?.["net_computed"]);
  const owed = await rowsOf(books, "receivable", { from: "2026-03-01", to: "2026-04-01" });
  expect(owed.map((row) => row["unexplained"])).toEqual(["0"]);
  const posted = await rowsOf(books, "journal", { from: "2026-03-01", to: "2026-04-01" });
  expect(sum(posted.map((row) => row["debit"]))).toBe(sum(posted.map((row) => row["credit"])));
  const claim = posted.filter((row) => row["account_code"] === "1200");
  expect(sum(claim.map(({ debit, credit }) => debit || (credit ? `-${credit}` : "0")))).toBe(
    owed[0]?.["closing"],
  );
  expect(new Set(posted.map((row) => `${row["entry"]} ${row["account_code"]} ${row["line"]}`)).size).toBe(
    posted.length,
  );
}

/** About the line and its orders; another line of the file and its refund are not part of most stories. */
async function found(): Promise<string[]> {
  return (await discrepanciesOf(books))
    .filter(({ subject }) => ["charge|lumped", "A", "B", "C"].includes(subject))
    .map(
      ({ code, subject, expected, actual, currency }) =>
        `${code} ${subject}: ${expected} → ${actual} ${currency}`,
    );
}

async function upload(file: string, replaces?: string): Promise<string> {
  const name = file.includes("again") ? "again.csv" : "first.csv";
  const query = new URLSearchParams({
    file_name: name,
    provider: "moonpay",
    profile: "generic",
    account: books.name,
  });
  if (replaces !== undefined) query.set("replaces", replaces);
  const answer = await server.send("POST", `/v1/statements?${query.toString()}`, key, file, {
    "content-type": "text/csv",
  });
  expect([answer.status, answer.text]).toEqual([201, expect.anything()]);
  await reconcileAccount(database.db, books.accountId);
  return (answer.json["statement"] as { id: string }).id;
}

function fileOf({ note = "first", gross = "100" }: { note?: string; gross?: string }): string {
  const generated = note === "first" ? "2026-04-01T06:00:00Z" : "2026-04-02T06:00:00Z";
  return [
    `#note,${note}`,
    `#generated_at,${generated}`,
    "#period_from,2026-03-01",
    "#period_to,2026-04-01",
    "type,side,status,provider_transaction_id,fiat_currency,fiat_gross,asset,crypto_amount,net_amount,net_currency,payout_ref,effective_at",
    `charge,buy,settled,lumped,EUR,${gross},BTC,0.002,3.33,EUR,P-1,2026-03-10T12:01:00Z`,
    "charge,buy,settled,taken,EUR,100,BTC,0.002,1,EUR,P-1,2026-03-10T13:01:00Z",
    "refund,buy,settled,back,EUR,70,BTC,0,-0.7,EUR,P-1,2026-03-12T12:00:00Z",
    "payout,,settled,P-1,EUR,,,,3.63,EUR,P-1,2026-03-20T00:00:00Z",
    "",
  ].join("\n");
}

async function lineOf(name: string): Promise<string> {
  const [type, id] = name.split(":");
  const [row] = await database.db.query<{ id: string }>(
    `select id::text from tieout.statement_lines
     where account_id = $1 and line_type = $2 and provider_transaction_id = $3
     order by id desc limit 1`,
    [books.accountId, type, id],
  );
  return `lin_${row?.id}`;
}
