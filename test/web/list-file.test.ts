import { beforeAll, expect, test } from "vitest";
import { keepAccount, keepMany, parseCsv } from "../report/books.ts";
import { aPerson, cookieOf } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { usePage } from "./a-page.ts";

const database = useTestDatabase();
const service = usePage(database);
let cookie = "";
beforeAll(async () => {
  await keepMany(database.db, await keepAccount(database.db, "large"), 30_000);
  cookie = await cookieOf(database.db, await aPerson(database.db, "viewer"));
});

test("the list as a file is of one moment, whatever is written while it is read", async () => {
  const answer = await fetch(`${service.url}/transactions.csv`, { headers: { cookie } });
  const reader = answer.body?.getReader();
  const first = await reader?.read();
  // All move to the front of the list: read page by page without a snapshot, those after the first page would be missing.
  await database.db.query("update tieout.transactions set status_date = status_date + interval '1 year'");
  const chunks = [Buffer.from(first?.value ?? [])];
  for (let next = await reader?.read(); next?.value; next = await reader?.read())
    chunks.push(Buffer.from(next.value));
  const rows = parseCsv(Buffer.concat(chunks).toString().replace("\uFEFF", ""));
  expect(rows).toHaveLength(30_000);
  expect(new Set(rows.map((row) => row["transaction_id"])).size).toBe(30_000);
});
