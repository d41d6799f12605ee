import { beforeAll, describe, expect, test } from "vitest";
import { reconcileAccount } from "../../src/reconcile/reconcile.ts";
import { addRecords, addStatement, type Books, codesOf, matchesOf, openBooks } from "../reconcile/books.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { aKey, useApi } from "./an-api.ts";

const database = useTestDatabase();
const server = useApi(database);

let books: Books;
let key = "";
let ofOther = "";

/** T1 is matched by its id; T2 and the line S2 have nothing in common that a rule would see. */
beforeAll(async () => {
  books = await openBooks(database.db);
  const others = await openBooks(database.db);
  await addRecords(books, [
    { id: "T1" },
    { id: "T2", inAmount: "55" },
    { id: "T3", inAmount: "77" },
    { id: "B1", onramp: "banxa", onrampTransactionId: "b-1" },
  ]);
  await addStatement(books, {
    lines: [
      { of: "T1", net_amount: "2", payout_ref: "P-1" },
      { of: "S2", fiat_gross: "55.01", fiat_net: "52.01", net_amount: "1.5", payout_ref: "P-1" },
      { of: "T1", key: "refund:T1", type: "refund", net_amount: "-0.5", payout_ref: "P-1" },
      {
        key: "payout:P-1",
        type: "payout",
        net_amount: "4",
        payout_ref: "P-1",
        effective_at: "2026-03-31T00:00:00Z",
      },
      // It names the payout, and is none of its lines.
      { key: "balance", type: "balance", net_amount: "9", payout_ref: "P-1" },
    ],
  });
  await reconcileAccount(database.db, books.accountId);
  key = await aKey(database.db, "accountant", { accountIds: [books.accountId] });
  ofOther = await aKey(database.db, "accountant", { accountIds: [others.accountId] });
});

describe("matches", () => {
  test("say which rule made them, what agreed, and where the line stands", async () => {
    const { json } = await server.get("/v1/matches?transaction_id=T1&role=settles", key);
    const [match] = json["data"] as [{ id: string }];
    expect(match).toMatchObject({
      object: "match",
      id: expect.stringMatching(/^mat_\d+$/) as string,
      rule: "provider_id",
      keys: { provider_transaction_id: "mp-T1" },
      state: "active",
      made_by: "rules",
      in_expected: "100",
      in_actual: "100",
      in_difference: "0",
      line: { line_no: 2, line_type: "charge", payout_ref: "P-1" },
    });
    expect((await server.get(`/v1/matches/${match.id}`, key)).json).toEqual(match);
  });

  test.each([
    ["state=active", 2],
    ["state=suggested,ended", 0],
    ["rule=provider_id", 2],
    ["rule=person", 0],
    ["role=relates", 1],
    ["provider=banxa", 0],
    ["line=lin_999999", 0],
  ])("?%s finds %i", async (query, found) => {
    const { status, json } = await server.get(`/v1/matches?${query}`, key);
    expect([status, (json["data"] as object[]).length]).toEqual([200, found]);
  });
});

test("the story of a transaction tells the lines that stand for it and what disagrees", async () => {
  const { json } = await server.get("/v1/transactions/T1/story", key);
  const events = json["events"] as { kind: string; what: string; source: object }[];
  expect(events.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["status", "match", "match"]));
  expect(events.filter(({ kind }) => kind === "match").map(({ what }) => what)).toEqual([
    expect.stringMatching(/^settled by line 2 of .+ \(charge, by provider_id\)$/),
    expect.stringMatching(/^related to line 4 of .+ \(refund, by provider_id\)$/),
  ]);
  const missing = await server.get("/v1/transactions/T3/story", key);
  const raised = (missing.json["events"] as typeof events).filter(({ kind }) => kind === "discrepancy");
  expect(raised.map(({ what }) => what)).toEqual(["missing_from_statement raised"]);
});

describe("a match by hand", () => {
  test("is refused where something stands against it, and says what to do first", async () => {
    const lines = {
      s2: await lineOf("charge:S2"),
      t1: await lineOf("charge:T1"),
      payout: await lineOf("payout:P-1"),
      balance: await lineOf("balance"),
    };
    const cases: [line: string, transaction: string, status: number, words: RegExp][] = [
      [lines.s2, "T9", 404, /There is no transaction T9/],
      ["lin_999999", "T2", 404, /There is no line lin_999999/],
      [lines.t1, "T2", 409, /is matched with T1 already: end mat_\d+ first/],
      [lines.s2, "T1", 409, /T1 is settled already: end mat_\d+ first/],
      [lines.s2, "B1", 409, /B1 is of banxa/],
      [lines.payout, "T2", 409, /is a payout/],
      [lines.balance, "T2", 409, /states a sum/],
    ];
    for (const [line, transaction_id, status, words] of cases) {
      const answer = await make({ line, transaction_id, reason: "same order" });
      expect([answer.status, answer.json["detail"]]).toEqual([status, expect.stringMatching(words)]);
    }
    expect((await make({ line: lines.s2, transaction_id: "T2" })).status).toBe(400);
    expect((await make({ line: "po_1", transaction_id: "T2", reason: "x" })).json["param"]).toBe("line");
  });

  test("settles the transaction at once, and the next run finds nothing to correct", async () => {
    expect(await codesOf(books)).toEqual(
      expect.arrayContaining(["missing_from_records charge:S2", "missing_from_statement T2"]),
    );
    const line = await lineOf("charge:S2");
    const booked_at = "2026-04-20";
    const made = await make({ line, transaction_id: "T2", reason: "same order, by mail", booked_at });
    expect(made).toMatchObject({ status: 201, json: { effective_at: "2026-04-20T00:00:00.000Z" } });
    expect(made.headers.get("location")).toBe(`/v1/matches/${String(made.json["id"])}`);
    expect(made.json).toMatchObject({
      rule: "person",
      state: "active",
      reason: "same order, by mail",
      made_by: expect.stringMatching(/^key:/) as string,
      in_expected: "55",
      in_actual: "55.01",
      in_difference: "0.01",
      difference_name: "rounding",
    });
    expect(await codesOf(books)).not.toEqual(expect.arrayContaining(["missing_from_statement T2"]));
    expect(await codesOf(books)).not.toEqual(expect.arrayContaining(["missing_from_records charge:S2"]));
    const before = await matchesOf(books);
    await reconcileAccount(database.db, books.accountId, { full: true });
    expect(await matchesOf(books)).toEqual(before);
    const [count] = await database.db.query(
      "select count(*)::int as rows from tieout.matches where transaction_id = 'T2'",
    );
    expect(count).toEqual({ rows: 1 });
    expect(await auditOf("match.made")).toMatchObject([
      { subject: made.json["id"], reason: "same order, by mail", after: { transaction_id: "T2", line } },
    ]);
  });

  test("ends with a reason, and the discrepancies are back", async () => {
    const id = await activeMatch("T2");
    const ended = await end(id, { reason: "it was another order" });
    expect(ended.json).toMatchObject({
      state: "ended",
      ended_reason: "it was another order",
      ended_by: expect.stringMatching(/^key:/) as string,
      barred: true,
    });
    const codes = await codesOf(books);
    expect(codes).toEqual(
      expect.arrayContaining(["missing_from_records charge:S2", "missing_from_statement T2"]),
    );
    await reconcileAccount(database.db, books.accountId, { full: true });
    expect(await codesOf(books)).toEqual(codes);
    const again = await end(id, { reason: "x" });
    expect([again.status, again.json["code"]]).toEqual([409, "match_refused"]);
    expect((await end(id, {})).status).toBe(400);
  });
});

test("a rule's match that a person ended is not made again, but a person may", async () => {
  const id = await activeMatch("T1");
  expect((await end(id, { reason: "the ids were reused" })).status).toBe(200);
  await reconcileAccount(database.db, books.accountId, { full: true });
  // Neither by its hash, nor as a suggestion; the refund still relates by its own id.
  expect(await matchesOf(books)).toMatchObject([{ line: "refund:T1", rule: "provider_id" }]);
  const line = await lineOf("charge:T1");
  const headers = { "idempotency-key": "after-all" };
  const body = { line, transaction_id: "T1", reason: "it was right after all" };
  const [first, second] = [
    await server.send("POST", "/v1/matches", key, body, headers),
    await server.send("POST", "/v1/matches", key, body, headers),
  ];
  expect([first.status, second.status, second.json]).toEqual([201, 201, first.json]);
  expect(await matchesOf(books)).toContainEqual(
    expect.objectContaining({ line: "charge:T1", transaction: "T1", rule: "person", state: "active" }),
  );
});

describe("payouts", () => {
  test("add up from gross to the difference, and every line of theirs is listed", async () => {
    const { json } = await server.get("/v1/payouts?provider=moonpay&status=not_tied", key);
    const [payout] = json["data"] as [{ id: string; line_count: number }];
    expect(payout).toMatchObject({
      payout_ref: "P-1",
      currency: "EUR",
      line_count: 3,
      commissions: "3.5",
      refunds: "0.5",
      net_computed: "3",
      net_declared: "4",
      difference: "1",
      status: "not_tied",
    });
    const one = await server.get(`/v1/payouts/${payout.id}`, key);
    expect(one.json["waterfall"]).toEqual([
      { step: "gross", amount: "0", total: "0" },
      { step: "fees", amount: "0", total: "0" },
      { step: "refunds", amount: "-0.5", total: "-0.5" },
      { step: "chargebacks", amount: "0", total: "-0.5" },
      { step: "chargeback_reversals", amount: "0", total: "-0.5" },
      { step: "commissions", amount: "3.5", total: "3" },
      { step: "adjustments", amount: "0", total: "3" },
      { step: "reserves", amount: "0", total: "3" },
      { step: "net_computed", amount: "3", total: "3" },
      { step: "net_declared", amount: "4", total: "4" },
      { step: "difference", amount: "1", total: "1" },
    ]);
    const lines = await server.get(`/v1/payouts/${payout.id}/lines?limit=3`, key);
    const rest = await server.get(
      `/v1/payouts/${payout.id}/lines?limit=3&cursor=${String(lines.json["next_cursor"])}`,
      key,
    );
    const all = [...(lines.json["data"] as PayoutLine[]), ...(rest.json["data"] as PayoutLine[])];
    expect(
      all.map(({ line_type, net_amount, transaction_id }) => [line_type, net_amount, transaction_id]),
    ).toEqual([
      ["charge", "2", "T1"],
      ["charge", "1.5", null],
      ["refund", "-0.5", "T1"],
      ["payout", "4", null],
    ]);
    const short = await server.get(`/v1/discrepancies?payout=${payout.id}&code=payout_sum_mismatch`, key);
    expect(short.json["data"]).toMatchObject([
      { code: "payout_sum_mismatch", payout: payout.id, payout_ref: "P-1" },
    ]);
  });
});

test("a key of another account sees and parts nothing", async () => {
  const id = await activeMatch("T1");
  const { json } = await server.get("/v1/payouts", key);
  const [payout] = json["data"] as [{ id: string }];
  for (const path of [`/v1/matches/${id}`, `/v1/payouts/${payout.id}`, `/v1/payouts/${payout.id}/lines`])
    expect([path, (await server.get(path, ofOther)).status]).toEqual([path, 404]);
  for (const path of ["/v1/matches", "/v1/payouts"])
    expect((await server.get(path, ofOther)).json["data"]).toEqual([]);
  expect((await server.send("POST", `/v1/matches/${id}/end`, ofOther, { reason: "x" })).status).toBe(404);
  const body = { line: await lineOf("charge:S2"), transaction_id: "T3", reason: "x" };
  expect((await server.send("POST", "/v1/matches", ofOther, body)).status).toBe(404);
});

interface PayoutLine {
  line_type: string;
  net_amount: string;
  transaction_id: string | null;
}

function make(body: object) {
  return server.send("POST", "/v1/matches", key, body);
}

function end(id: string, body: object) {
  return server.send("POST", `/v1/matches/${id}/end`, key, body);
}

async function activeMatch(transactionId: string): Promise<string> {
  const { json } = await server.get(
    `/v1/matches?transaction_id=${transactionId}&state=active&role=settles`,
    key,
  );
  return (json["data"] as [{ id: string }])[0].id;
}

async function lineOf(lineKey: string): Promise<string> {
  const [row] = await database.db.query<{ id: string }>(
    "select id::text from tieout.statement_lines where account_id = $1 and line_key = $2",
    [books.accountId, lineKey],
  );
  return `lin_${row?.id}`;
}

function auditOf(action: string): Promise<Record<string, unknown>[]> {
  return database.db.query("select * from tieout.audit_log where action = $1 order by number", [action]);
}
