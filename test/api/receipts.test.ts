import { readFile } from "node:fs/promises";
import { beforeAll, expect, test } from "vitest";
import { useTestDatabase } from "../support/test-database.ts";
import { type Books, openBooks } from "../reconcile/books.ts";
import { bankCsv, declarePayouts } from "../reconcile/receipts/bank.ts";
import { aKey, useApi } from "./an-api.ts";

const database = useTestDatabase();
const server = useApi(database);
let books: Books;
let key = "";

beforeAll(async () => {
  books = await openBooks(database.db);
  await declarePayouts(books, [{ ref: "PO-2026-03", net: "100" }]);
  key = await aKey(database.db, "accountant");
});

async function upload(path: string, body: string, more: Record<string, string> = {}) {
  const answer = await fetch(server.url + path, {
    method: "POST",
    body,
    headers: { authorization: `Bearer ${key}`, "content-type": "text/csv", ...more },
  });
  return { status: answer.status, json: (await answer.json()) as Record<string, unknown> };
}

test("a bank's file is previewed, imported once, matched by hand, parted and withdrawn", async () => {
  const file = bankCsv([["2026-03-25", "100", "no name at all"]]);
  const query = `?account=${encodeURIComponent(books.name)}&file_name=..%2F..%2Fbank%1b[31m.csv`;
  const preview = await upload(`/v1/receipts/preview${query}`, file);
  expect(preview).toMatchObject({
    status: 200,
    json: { state: "previewed", file: { id: null, rows: { accepted: 1 } } },
  });

  const once = { "idempotency-key": "one" };
  const imported = await upload(`/v1/receipts${query}`, file, once);
  expect(imported).toMatchObject({
    status: 201,
    json: { state: "imported", file: { format: "csv", file_name: "bank[31m.csv" } },
  });
  expect(await upload(`/v1/receipts${query}`, file, once)).toEqual(imported);
  expect(await upload(`/v1/receipts${query}`, file)).toMatchObject({ json: { state: "already_imported" } });
  const { id: fileId } = imported.json["file"] as { id: string };
  expect((await server.get(`/v1/receipts/${fileId}/original`, key)).text).toBe(file);

  const { json: lines } = await server.get("/v1/receipt-lines?matched=false", key);
  const [line] = lines["data"] as { id: string; unmatched_amount: string }[];
  expect(line?.unmatched_amount).toBe("100");
  const { json: suggested } = await server.get(`/v1/receipt-lines/${line?.id}/suggestions`, key);
  const [suggestion] = suggested["data"] as { payout: string; same_amount: boolean }[];
  expect(suggestion).toMatchObject({ same_amount: true });

  const body = { line: line?.id, payout: suggestion?.payout, reason: "seen by mail" };
  const made = await server.send("POST", "/v1/receipt-matches", key, body);
  expect(made).toMatchObject({ status: 201, json: { rule: "person", amount: "100" } });
  const { json: payout } = await server.get(`/v1/payouts/${suggestion?.payout}`, key);
  expect(payout).toMatchObject({ state: "received", received_amount: "100" });

  const ended = await server.send("POST", `/v1/receipt-matches/${String(made.json["id"])}/end`, key, {
    reason: "no",
  });
  expect(ended).toMatchObject({ status: 200, json: { state: "ended" } });
  const withdrawn = await server.send("POST", `/v1/receipts/${fileId}/withdraw`, key, { reason: "wrong" });
  expect(withdrawn).toMatchObject({ status: 200, json: { state: "withdrawn", withdrawn_reason: "wrong" } });
});

test("a file whose balances do not add up is refused with its figures, and nothing is written", async () => {
  const mt940 = [
    ":20:X",
    ":25:DE1",
    ":28C:1",
    ":60F:C260324EUR10,",
    ":61:260325C5,NTRFX",
    ":62F:C260325EUR16,",
    "-",
    "",
  ];
  const query = `?account=${encodeURIComponent(books.name)}`;
  const refused = await upload(`/v1/receipts${query}`, mt940.join("\n"));
  expect(refused).toMatchObject({ status: 422, json: { code: "statement_refused" } });
  expect(refused.json["detail"]).toContain("opening 10 + lines 5 = 15, and the bank says 16 EUR");
  const accepted = await upload(`/v1/receipts${query}&accept=known`, mt940.join("\n"));
  expect(accepted).toMatchObject({
    status: 201,
    json: { file: { accepted_codes: ["control_total_mismatch"] } },
  });
});

test("of a chain's file, the wallets that received are shown only to those who may see wallets", async () => {
  const query = `?account=${encodeURIComponent(books.name)}&file_name=chain.csv`;
  const imported = await upload(
    `/v1/receipts${query}`,
    await readFile("test/fixtures/receipts/chain.csv", "utf8"),
  );
  expect(imported.status).toBe(201);
  const { id } = imported.json["file"] as { id: string };
  const viewer = await aKey(database.db, "viewer");
  const wallets = /A11CE0000|bc1qexample0/i;
  for (const path of [`/v1/receipts/${id}`, "/v1/receipts"]) {
    expect(JSON.stringify((await server.get(path, key)).json)).toMatch(wallets);
    expect(JSON.stringify((await server.get(path, viewer)).json)).not.toMatch(wallets);
  }
});

test("an archive, and an encoding that there is not, are refused with a reason", async () => {
  const query = `?account=${encodeURIComponent(books.name)}`;
  const archive = await upload(`/v1/receipts/preview${query}`, "PK\u0003\u0004 and so on");
  expect(archive).toMatchObject({ status: 422, json: { code: "statement_refused" } });
  expect(archive.json["detail"]).toContain("this is a workbook or another archive");
  const strange = await upload(`/v1/receipts/preview${query}&encoding=klingon`, bankCsv([]));
  expect(strange).toMatchObject({ status: 422, json: { code: "statement_refused" } });
  expect(strange.json["detail"]).toContain("its encoding is given as klingon, which is not known");
});
