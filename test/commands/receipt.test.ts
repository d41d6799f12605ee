import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openBooks } from "../reconcile/books.ts";
import { declarePayouts } from "../reconcile/receipts/bank.ts";
import { runTieout } from "../support/run-tieout.ts";
import { useTestDatabase } from "../support/test-database.ts";

const database = useTestDatabase();
let folder = "";

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "tieout-test-"));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const receipt = (...args: string[]) =>
  runTieout(["receipt", ...args], { DATABASE_URL: database.url.reveal(), TIEOUT_DATA_DIR: folder });

test("an import says how many matches it made, and how to name an encoding that the file does not state", async () => {
  const books = await openBooks(database.db);
  await declarePayouts(books, [{ ref: "PO-4711", net: "100" }]);
  const file = join(folder, "bank.csv");
  const rows = ["25.03.2026;100,00;EUR;Zahlung für PO-4711", "26.03.2026;7,00;EUR;etwas anderes"];
  await writeFile(file, `Buchungstag;Betrag;Waehrung;Verwendungszweck\n${rows.join("\n")}\n`, "latin1");
  const asked = ["import", file, "--account", books.name, "--bank-account", "DE1"];
  const refused = await receipt(...asked);
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(
    "not utf-8: save the file as UTF-8, or name its encoding, such as windows-1252",
  );
  const imported = await receipt(...asked, "--encoding", "windows-1252");
  expect(imported).toMatchObject({ code: 0 });
  expect(imported.stdout).toContain("result: 1 match made, 0 ended; 1 discrepancy raised, 0 agreed");
});

test("a line that settles nothing says so, and what it could settle", async () => {
  const books = await openBooks(database.db);
  const file = join(folder, "alone.csv");
  await writeFile(file, "date,amount,currency,description\n2026-03-26,7.00,EUR,something else\n");
  await receipt("import", file, "--account", books.name, "--bank-account", "DE2");
  const listed = await receipt("list", "--unmatched", "--account", books.name, "--json");
  const [{ id }] = JSON.parse(listed.stdout) as [{ id: string }];
  const alone = await receipt("show", id);
  expect(alone.stdout).toMatch(/^ {2}settles nothing yet\n {2}no payout in EUR that is still owed has/m);

  await declarePayouts(books, [{ ref: "PO-7", net: "7" }]);
  const { stdout } = await receipt("show", id);
  expect(stdout).toMatch(
    /^ {2}settles nothing yet\n {2}perhaps (po_\d+) .*: 7 EUR still owed, the same amount\n/m,
  );
  const [match = ""] = /tieout receipt match rcl_\d+ po_\d+ --reason REASON/.exec(stdout) ?? [];
  expect(await receipt(...match.replace("REASON", "seen").split(" ").slice(2))).toMatchObject({ code: 0 });
  expect((await receipt("show", id)).stdout).not.toContain("settles nothing");
});
