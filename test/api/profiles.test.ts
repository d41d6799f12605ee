import { beforeAll, expect, test } from "vitest";
import { openBooks } from "../reconcile/books.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { aKey, useApi } from "./an-api.ts";

const database = useTestDatabase();
const server = useApi(database);
let key = "";
let ofOther = "";

beforeAll(async () => {
  const [own, other] = [await openBooks(database.db), await openBooks(database.db)];
  key = await aKey(database.db, "accountant", { accountIds: [own.accountId] });
  ofOther = await aKey(database.db, "accountant", { accountIds: [other.accountId] });
});

const kappa = {
  name: "kappa",
  provider: "kappa",
  decimal: ",",
  time: { format: "DD.MM.YYYY HH:mm", zone: "Europe/Vilnius" },
  columns: {
    provider_transaction_id: "Order",
    status: "State",
    fiat_currency: "Currency",
    fiat_gross: "Amount",
    effective_at: "When",
  },
  required: ["provider_transaction_id", "fiat_gross"],
  statuses: { any: { done: "settled" } },
};
const header = ["Order", "State", "Currency", "Amount", "When"];

const save = (profile: object, by = key) =>
  server.send("POST", "/v1/profiles", by, { profile, reason: "new" });

test("rows are read as an import would read them, and nothing is kept", async () => {
  const rows = [
    ["A-1", "done", "EUR", "12,50", "31.01.2026 10:00"],
    ["A-2", "done", "EUR", "12.50", "31.01.2026 10:00"],
  ];
  const body = { profile: kappa, header, rows };
  const { status, json } = await server.send("POST", "/v1/profiles/preview", key, body);
  expect([status, json["missing"], json["repeated"]]).toEqual([200, [], []]);
  expect(json["rows"]).toMatchObject([
    {
      line: {
        line_type: "charge",
        status: "settled",
        provider_transaction_id: "A-1",
        fiat_gross: "12.5",
        effective_at: "2026-01-31T08:00:00.000Z",
      },
      rejection: null,
    },
    { line: null, rejection: { code: "row_unparseable", field: "fiat_gross" } },
  ]);
  expect((await server.get("/v1/profiles/kappa", key)).status).toBe(404);
});

test("a profile is saved for its account alone, each time with a version more, and noted", async () => {
  const first = await save(kappa);
  expect([first.status, first.json["version"], first.json["built_in"]]).toEqual([201, 1, false]);
  const second = await save({ ...kappa, grouping: "." });
  expect(second.json).toMatchObject({ version: 2, profile: { grouping: ".", version: 2 } });
  expect((await server.get("/v1/profiles/kappa", ofOther)).status).toBe(404);
  const entries = await database.db.query(
    "select subject, reason from tieout.audit_log where action = 'setting.saved' order by number",
  );
  expect(entries).toEqual([
    { subject: "kappa profile kappa", reason: "new" },
    { subject: "kappa profile kappa", reason: "new" },
  ]);
});

test("one that cannot be used is refused by what is wrong with it", async () => {
  const wrong = await save({ ...kappa, grouping: ",", time: { format: "soon", zone: "Mars" } });
  expect([wrong.status, wrong.json["code"]]).toEqual([422, "profile_invalid"]);
  expect(wrong.json["detail"]).toMatch(/grouping: .*; time\.zone: /);
  const taken = await save({ ...kappa, provider: "lambda" });
  expect([taken.status, taken.json["detail"]]).toEqual([
    422,
    "kappa is a profile of kappa: retire it first, or choose another name",
  ]);
  await server.send("POST", "/v1/profiles/kappa/retire", key, { reason: "wrong" });
  expect((await save({ ...kappa, provider: "lambda" })).status).toBe(201);
});
