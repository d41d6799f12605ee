import { beforeAll, expect, test } from "vitest";
import { addRecords, type Books, openBooks } from "../reconcile/books.ts";
import { signIn, type VisitorOfTest } from "../security/as-visitor.ts";
import { aPerson, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { usePage } from "./a-page.ts";
import { readForms } from "./read-forms.ts";
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

async function preview(file: string, fields: Record<string, string> = {}): Promise<string> {
  const body = new FormData();
  const all = { account: books.name, provider: "ledgerco", csrf: ada.csrf, ...fields };
  for (const [name, value] of Object.entries(all)) body.append(name, value);
  body.append("file", new File([file], "ledger.csv"));
  const headers = { origin: service.url, ...ada.headers };
  const answer = await fetch(`${service.url}/statements/preview`, { method: "POST", headers, body });
  const html = await answer.text();
  expect([answer.status, wordsOf(html).slice(-900)]).toEqual([200, expect.anything()]);
  return wordsOf(html);
}

/** Returns its number: previews use numbers up. */
async function take(name: string, text: string, replaces: number | null = null): Promise<number> {
  const file = { name, text, provider: "ledgerco", replaces };
  await takeFile(database.db, file, { id: books.accountId, name: books.name });
  const [row] = await database.db.query<{ id: number }>("select max(id)::int as id from tieout.statements");
  return row?.id ?? 0;
}

let old = 0;
let corrects = 0;

const wordsOf = (html: string) =>
  html
    .replaceAll(/<[^>]+>/g, " ")
    .replaceAll(/\s+/g, " ")
    .replaceAll(/ (?=[.,:;])/g, "");

test("a preview says what it would raise, and that the file is read as a whole", async () => {
  const words = await preview(first);
  expect(words).toContain("3 matches made");
  expect(words).toContain(
    "This file is read as everything that ledgerco did in its period, 2026-03-10 – 2026-03-10, in all currencies: 1 completed transaction would count as missing.",
  );
  expect(words).toMatch(
    /Discrepancies that the import would raise.* missing from statement 1 Completed with us/,
  );
  expect(words).toContain(
    "Payout P-1 does not tie: its lines come to 3,007.50 EUR, the provider states 2,500.00 EUR.",
  );
});

test("a preview of a correction says what it withdraws, what is gone, and every value that changes", async () => {
  old = await take("ledger-1.csv", first);
  const words = await preview(corrected, { replaces: String(old) });
  expect(words).toContain(
    `Withdraws statement ${old}, ledger-1.csv. 2 lines of it are not in this file and would no longer count: K-3, P-1, 1,002.50 EUR of what is owed to us.`,
  );
  expect(words).toMatch(
    /1 known line would be restated.* line 3 Gross 100 1,136.5 The new value applies: .* line 3 Net 100 1,136.5 as above/,
  );
});

test("a preview says which rows repeat others, and so does the statement", async () => {
  expect(await preview(corrected, { replaces: String(old) })).toMatch(
    /known before \(1 of them from this file itself\).* line 4 repeats line 2/,
  );
  corrects = await take("ledger-2.csv", corrected, old);
  expect(wordsOf(await read(`/statements/${corrects}`))).toMatch(
    /1 row repeats another row of this file and counts once line 4 repeats line 2/,
  );
});

test("a statement leads to a form that replaces it, with its number filled in", async () => {
  const link = `/statements?replaces=${corrects}`;
  expect(await read(`/statements/${corrects}`)).toContain(`href="${link}#upload"`);
  const list = await read(link);
  expect(list).toMatch(new RegExp(`data-label="Number"[^>]*>${corrects}<`));
  const form = readForms(list).find(({ id }) => id === "statement-form");
  const typed = Object.fromEntries((form?.typed ?? []).map(({ name, value }) => [name, value]));
  expect(typed).toMatchObject({ account: books.name, provider: "ledgerco", replaces: String(corrects) });
  expect(await read(`/statements/${old}`)).not.toContain("?replaces=");
});

test("a withdrawn statement says which of its lines still count, and where", async () => {
  const html = await read(`/statements/${old}?wait=true`);
  expect(wordsOf(html)).toContain(
    `1 line still counts, because statement ${corrects} contains it too: ledger-2.csv.`,
  );
  expect(html).toContain(`<a href="/statements/${corrects}">`);
  expect(wordsOf(await read(`/statements/${corrects}?wait=true`))).not.toMatch(/still counts?/);
});
