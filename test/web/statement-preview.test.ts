import { beforeAll, expect, test } from "vitest";
import { addRecords, type Books, openBooks } from "../reconcile/books.ts";
import { signIn, type VisitorOfTest } from "../security/as-visitor.ts";
import { aPerson, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { usePage } from "./a-page.ts";
import { takeFile } from "./statement-file.ts";

const database = useTestDatabase();
const service = usePage(database);
let ada: VisitorOfTest;
let books: Books;

const header =
  "provider_transaction_id,line_type,side,status,fiat_currency,fiat_gross,fiat_net,asset,network,crypto_amount,effective_at,payout_ref,net_amount";
const order = (id: string, gross = "100", day = "10") =>
  `${id},charge,buy,settled,EUR,${gross},${gross},BTC,bitcoin,0.002,2026-03-${day}T12:01:00Z,P-1,1002.5`;
const payout = "P-1,payout,,settled,EUR,,,,,,2026-03-20T00:00:00Z,P-1,2500";
const fileOf = (...rows: string[]) => `${[header, ...rows].join("\n")}\n`;
const first = fileOf(order("K-1"), order("K-2"), order("K-3"), payout);
/** Says K-1 twice and K-2 with another amount; leaves K-3 and the payout out. */
const corrected = fileOf(order("K-1"), order("K-2", "1136.5"), order("K-1"), order("K-9", "100", "11"));

beforeAll(async () => {
  books = await openBooks(database.db);
  await addRecords(
    books,
    ["K-1", "K-2", "K-3", "K-4"].map((id) => ({ id, onramp: "ledgerco", onrampTransactionId: id })),
  );
  ada = await signIn(database.db, await aPerson(database.db, everyRole));
});

async function read(path: string): Promise<string> {
  const answer = await fetch(service.url + path, { headers: ada.headers });
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.text();
}

const take = (name: string, text: string, replaces: number | null = null) =>
  takeFile(
    database.db,
    { name, text, provider: "ledgerco", replaces },
    { id: books.accountId, name: books.name },
  );

const wordsOf = (html: string) =>
  html
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ (?=[.,:;])/g, "");

test("a withdrawn statement says which of its lines still count, and where", async () => {
  await take("ledger-1.csv", first);
  await take("ledger-2.csv", corrected, 1);
  const html = await read("/statements/1?wait=true");
  expect(wordsOf(html)).toContain("1 line still counts, because statement 2 contains it too: ledger-2.csv.");
  expect(html).toContain('<a href="/statements/2">');
  expect(wordsOf(await read("/statements/2?wait=true"))).not.toMatch(/still counts?/);
});
