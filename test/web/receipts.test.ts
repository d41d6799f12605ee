import { beforeAll, expect, test } from "vitest";
import { preparePeriod } from "../../src/close/prepare.ts";
import { approvePeriod } from "../../src/close/sign.ts";
import { alice, bob, monthOfBooks, openMonth } from "../close/a-month.ts";
import { type Books, openBooks } from "../reconcile/books.ts";
import { bankCsv, declarePayouts, standing } from "../reconcile/receipts/bank.ts";
import { signIn, type VisitorOfTest } from "../security/as-visitor.ts";
import { aPerson, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { usePage } from "./a-page.ts";

const database = useTestDatabase();
const service = usePage(database);
let books: Books;
let ada: VisitorOfTest;
let viewer: VisitorOfTest;

beforeAll(async () => {
  books = await openBooks(database.db);
  await declarePayouts(books, [
    { ref: "PO-2026-03", net: "100" },
    { ref: "PO-2026-04", net: "250" },
  ]);
  ada = await signIn(database.db, await aPerson(database.db, everyRole, { name: "Ada" }));
  viewer = await signIn(database.db, await aPerson(database.db, "viewer"));
});

async function look(path: string, visitor = ada, more: Record<string, string> = {}): Promise<string> {
  const headers = { cookie: [visitor.headers.cookie, ...Object.values(more)].join("; ") };
  const answer = await fetch(service.url + path, { headers, redirect: "manual" });
  expect([path, answer.status]).toEqual([path, 200]);
  return answer.text();
}

async function send(
  path: string,
  fields: Record<string, string>,
  {
    visitor = ada,
    file,
    fileName = "bank.csv",
  }: { visitor?: VisitorOfTest; file?: string | Buffer<ArrayBuffer>; fileName?: string } = {},
): Promise<Response> {
  const all = { ...fields, csrf: visitor.csrf };
  let body: URLSearchParams | FormData = new URLSearchParams(all);
  if (file !== undefined) {
    body = new FormData();
    for (const [name, value] of Object.entries(all)) body.append(name, value);
    body.append("file", new File([file], fileName));
  }
  const headers = { origin: service.url, ...visitor.headers };
  return fetch(service.url + path, { method: "POST", body, headers, redirect: "manual" });
}

/** Imports a file and says where it, and the newest of its lines, is shown. */
async function imported(file: string): Promise<{ filePath: string; linePath: string }> {
  const answer = await send("/receipts/import", { account: books.name }, { file });
  expect(answer.status).toBe(303);
  const filePath = answer.headers.get("location") ?? "";
  const linePath = /\/receipts\/lines\/\d+/.exec(await look(filePath))?.[0] ?? "";
  return { filePath, linePath };
}

const numberIn = (path: string) => path.split("/").at(-1) ?? "";

async function stateOf(ref: string): Promise<string | undefined> {
  return (await standing(books)).find((payout) => payout.ref === ref)?.state;
}

test("a bank's file is previewed without a trace, and then imported", async () => {
  const file = bankCsv([["2026-03-23", "7", "nothing that names a payout"]]);
  const preview = await send("/receipts/preview", { account: books.name }, { file });
  expect(preview.status).toBe(200);
  const text = await preview.text();
  expect(text).toContain("What an import of bank.csv would do");
  expect(text).toContain("<strong>1 accepted</strong>");
  expect(await database.db.query("select from tieout.receipt_files")).toHaveLength(0);

  const { filePath, linePath } = await imported(file);
  expect(await look("/receipts")).toContain(`href="${filePath}"`);
  // As money that settles nothing, too.
  expect(await look("/receipts")).toContain(`href="${linePath}"`);
  const again = await send("/receipts/preview", { account: books.name }, { file });
  expect(await again.text()).toContain("imported before: nothing would change");
  const audit = await database.db.query(
    "select from tieout.audit_log where action = 'receipts.imported' and actor_name = 'Ada'",
  );
  expect(audit).toHaveLength(1);
});

test("a file that states no encoding is read in the one that is named beside it", async () => {
  const file = Buffer.from(bankCsv([["2026-03-23", "7", "für nichts"]]), "latin1");
  const refused = await send("/receipts/preview", { account: books.name }, { file });
  expect(await refused.text()).toContain("name its encoding, such as windows-1252");
  const named = { account: books.name, encoding: "windows-1252" };
  const preview = await (await send("/receipts/preview", named, { file })).text();
  expect(preview).toContain("<strong>1 accepted</strong>");
  expect(preview).toMatch(/name="encoding"[^>]*value="windows-1252"/);
});

test("a file without an account, an empty one, and no file, are refused with words", async () => {
  const file = bankCsv([["2026-03-25", "1", "x"]]);
  const homeless = await send("/receipts/preview", {}, { file });
  expect([homeless.status, await homeless.text()]).toEqual([400, expect.stringContaining("Choose the acc")]);
  const empty = await send("/receipts/preview", { account: books.name }, { file: "" });
  expect([empty.status, await empty.text()]).toEqual([
    400,
    expect.stringContaining("bank.csv&quot; is empty"),
  ]);
  // What a browser sends when none was chosen.
  const none = await send("/receipts/preview", { account: books.name }, { file: "", fileName: "" });
  expect([none.status, await none.text()]).toEqual([400, expect.stringContaining("file first")]);
});

test("a file whose balances do not add up asks for a reason, and keeps it", async () => {
  const file = ":20:X\n:25:DE1\n:28C:1\n:60F:C260324EUR10,\n:61:260325D5,NTRFX\n:62F:C260325EUR16,\n-\n";
  const preview = await send("/receipts/preview", { account: books.name }, { file });
  expect(await preview.text()).toContain("Reason for importing it anyway");
  const refused = await send("/receipts/import", { account: books.name }, { file });
  expect(refused.status).toBe(422);
  const fields = { account: books.name, accept_reason: "the bank knows of it" };
  const taken = await send("/receipts/import", fields, { file });
  expect(taken.status).toBe(303);
  const page = await look(taken.headers.get("location") ?? "");
  expect(page).toContain("the bank knows of it");
  expect(page).toContain("does not add up");
});

test("a line is matched with a suggested payout, and parted again", async () => {
  const { linePath } = await imported(bankCsv([["2026-03-25", "100", "no name at all"]]));
  const line = numberIn(linePath);
  const before = await look(linePath);
  expect(before).toContain("same amount");
  const payout = /name="payout" value="(\d+)"/.exec(before)?.[1] ?? "";

  const back = { form: "match", back: linePath };
  const without = await send("/receipts/lines/match", { ...back, line, payout, bank_fee: "0.5" });
  expect([without.status, without.headers.get("location")]).toEqual([303, linePath]);
  const kept = without.headers.getSetCookie().map((cookie) => cookie.split(";")[0] ?? "");
  const refused = await look(linePath, ada, { kept: kept.join("; ") });
  expect(refused).toContain("Give a reason. It is kept on record.");
  expect(refused).toContain('value="0.5"');
  expect(await stateOf("PO-2026-03")).not.toBe("received");

  const made = await send("/receipts/lines/match", { line, payout, reason: "seen by mail" });
  expect([made.status, made.headers.get("location")]).toEqual([303, linePath]);
  expect(await stateOf("PO-2026-03")).toBe("received");
  const settled = await look(linePath);
  expect(settled).toContain(`href="/payouts/${payout}"`);
  expect(settled).toContain("seen by mail");
  expect(await look(`/payouts/${payout}`)).toContain(`href="${linePath}"`);
  expect(await look("/payouts")).toContain(`/payouts/${payout}#arrived`);

  const match = /name="match" value="(\d+)"/.exec(settled)?.[1] ?? "";
  const ended = await send("/receipts/lines/unmatch", { match, reason: "of another payout" });
  expect([ended.status, ended.headers.get("location")]).toEqual([303, linePath]);
  expect(await stateOf("PO-2026-03")).not.toBe("received");
  expect(await look(linePath)).toContain("of another payout");
});

test("a payout that is not suggested is named by its number, with what the bank kept", async () => {
  const { linePath } = await imported(bankCsv([["2026-09-30", "245", "long after"]]));
  const [payout] = await database.db.query<{ id: string }>(
    "select id::text from tieout.payouts where payout_ref = 'PO-2026-04'",
  );
  const fields = { line: numberIn(linePath), reason: "x", amount: "245", bank_fee: "5" };
  const wrong = await send("/receipts/lines/match", { ...fields, other: "PO-2026-04" });
  expect(wrong.status).toBe(400);
  const made = await send("/receipts/lines/match", { ...fields, other: `po_${payout?.id}` });
  expect(made.status).toBe(303);
  expect(await standing(books)).toContainEqual({
    ref: "PO-2026-04",
    state: "received",
    received: "245",
    fee: "5",
  });
});

test("the list of payouts says when too little has arrived, whether or not the lines tie", async () => {
  const chip = "</span> received short</span>";
  expect(await look("/payouts")).not.toContain(chip);
  expect(await look("/payouts?state=short")).not.toContain("PO-2026-");
  const { linePath } = await imported(bankCsv([["2026-03-26", "40", "a first part"]]));
  const [payout] = await database.db.query<{ id: string }>(
    "select id::text from tieout.payouts where payout_ref = 'PO-2026-03'",
  );
  const wanted = { line: numberIn(linePath), reason: "by mail", other: `po_${payout?.id}` };
  expect((await send("/receipts/lines/match", wanted)).status).toBe(303);
  expect(await stateOf("PO-2026-03")).toBe("short");
  expect(await look("/payouts")).toContain(chip);
  const short = await look("/payouts?state=short&state=nothing");
  expect([short.includes("PO-2026-03"), short.includes("PO-2026-04")]).toEqual([true, false]);
});

test("a file is withdrawn with a reason, and its lines stop counting", async () => {
  const { filePath, linePath } = await imported(bankCsv([["2026-03-27", "3", "taken back"]]));
  const id = numberIn(filePath);
  expect((await send("/receipts/withdraw", { id })).status).toBe(400);
  expect((await send("/receipts/withdraw", { id, reason: "wrong bank" })).status).toBe(303);
  const page = await look(filePath);
  expect(page).toContain("wrong bank");
  expect(page).not.toContain('action="/receipts/withdraw"');
  expect(await look(linePath)).not.toContain('action="/receipts/lines/match"');
});

test("who may only read sees everything and no form, and is refused when forging one", async () => {
  const { filePath, linePath } = await imported(bankCsv([["2026-03-28", "4", "for readers"]]));
  for (const path of ["/receipts", filePath, linePath]) {
    const [, main = ""] = (await look(path, viewer)).split("<main");
    expect([path, main.includes('method="post"')]).toEqual([path, false]);
  }
  for (const path of ["/receipts/withdraw", "/receipts/lines/match", "/receipts/lines/unmatch"]) {
    expect([path, (await send(path, {}, { visitor: viewer })).status]).toEqual([path, 403]);
  }
});

test("what is not there is not found", async () => {
  for (const path of ["/receipts/999999", "/receipts/x", "/receipts/lines/999999", "/receipts/lines/x"]) {
    const answer = await fetch(service.url + path, { headers: ada.headers, redirect: "manual" });
    expect([path, answer.status]).toEqual([path, 404]);
  }
});

test("a statement that is missing between two files is said in the preview and among the receipts", async () => {
  const csv = (day: string, balance: number) =>
    `Account,Booking date,Amount,Currency,Description,Balance\nDE7,2026-05-${day},5,EUR,text ${day},${balance}\n`;
  await imported(csv("04", 15));
  expect(await look("/receipts")).not.toContain("Missing statements");
  const preview = await send("/receipts/preview", { account: books.name }, { file: csv("06", 40) });
  expect(await preview.text()).toContain("Bookings that come to 20 EUR are missing");
  await imported(csv("06", 40));
  const page = await look("/receipts");
  expect(page).toContain("Missing statements");
  expect(page).toContain(
    "bank.csv closes with 15 EUR (2026-05-04) and bank.csv opens with 35 EUR (2026-05-06)",
  );
});

test("lines of a closed month are said to count in the next, in the preview and after the import", async () => {
  const march = await openMonth(database.db);
  await preparePeriod(database.db, await monthOfBooks(march), [], alice);
  await approvePeriod(database.db, await monthOfBooks(march), bob);
  const file = bankCsv([["2026-03-30", "1234.5", "late"]]);
  const says = "2026-03 is closed: 1,234.50 EUR (1 line) counts in 2026-04";
  const preview = await send("/receipts/preview", { account: march.name }, { file });
  expect(await preview.text()).toContain(says);
  const taken = await send("/receipts/import", { account: march.name }, { file });
  const notice = taken.headers.getSetCookie().map((one) => one.split(";")[0] ?? "");
  const screen = await look(taken.headers.get("location") ?? "", ada, { notice: notice.join("; ") });
  expect(screen).toContain(says);
});
