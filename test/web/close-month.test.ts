import { beforeAll, describe, expect, test } from "vitest";
import { preparePeriod } from "../../src/close/prepare.ts";
import { approvePeriod, reopenPeriod } from "../../src/close/sign.ts";
import type { Signer } from "../../src/store/periods/period-writes.ts";
import { addMissingOrder, monthOfBooks, openMonth } from "../close/a-month.ts";
import type { Books } from "../reconcile/books.ts";
import { findChromium } from "../support/chromium.ts";
import { signIn } from "../security/as-visitor.ts";
import { aPerson, cookieOf, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { barriersOn, everythingIsHere, expectText, useBrowser, usePage } from "./a-page.ts";

const database = useTestDatabase();
const service = usePage(database);
const chromium = findChromium();
let books: Books;
let alice: number;
let bob: number;
beforeAll(async () => {
  books = await openMonth(database.db);
  alice = await aPerson(database.db, everyRole, { name: "Alice Example" });
  bob = await aPerson(database.db, everyRole, { name: "Bob Example" });
});

describe.runIf(chromium !== null)("a month is closed on the page", () => {
  const { enter } = useBrowser(chromium ?? "", service, database);

  test("by two people: refused until a red line has a reason, signed twice, and kept as a pack", async () => {
    await addMissingOrder(books, `${books.name} C`);
    const first = await enter(alice);
    await first.page.goto("/close");
    await everythingIsHere(first.page);
    await first.page.click("text=2026-03");
    await expectText(first.page, "main", "Prepare 2026-03");
    expect(await barriersOn(first.page)).toEqual([]);

    const offered = (name: string) =>
      first.page.locator(`#month-carry select[name="${name}"] option`).allTextContents();
    expect((await offered("provider"))[0]).toBe("All open errors");
    expect(await offered("provider")).not.toContain("");
    expect(await offered("owner")).toEqual(["Alice Example", "Bob Example"]);

    // Nothing is signed without a reason, and what was typed is still there.
    await first.page.click('button:has-text("Prepare 2026-03")');
    await expectText(first.page, '[role="alert"]', "discrepancies");
    expect(new URL(first.page.url()).pathname).toContain("/close/");
    const reason = `asked the provider on 2 April, ${"who looks for it in the books of the old bank, ".repeat(4)}and waits`;
    await first.page.fill('input[name="accept.discrepancies"]', reason);
    await first.page.click('button:has-text("Prepare 2026-03")');
    await expectText(first.page, "#notice", "2026-03 is prepared");
    await everythingIsHere(first.page);
    await expectText(first.page, "main", "asked the provider on 2 April");
    // States say what they mean, and a line that was accepted is no longer in the way.
    const states = await first.page.locator('td[data-label="State"]').allTextContents();
    expect(states).toContain("! accepted");
    expect(
      states.filter((state) => !/ (done|to look at|blocks closing|accepted|carried forward)$/.test(state)),
    ).toEqual([]);
    // All of it is read where it stands.
    const cut = await first.page.$$eval('td[data-label="Accepted because"] *', (parts) =>
      parts.filter(({ scrollWidth, clientWidth }) => clientWidth > 1 && scrollWidth > clientWidth),
    );
    expect(cut).toEqual([]);

    // Whoever prepared it cannot approve it.
    await expectText(first.page, "main", "You prepared this month. Another person has to approve it.");
    expect(await first.page.locator('button:has-text("Approve and close")').count()).toBe(0);

    const second = await enter(bob);
    await second.page.goto(first.page.url());
    await second.page.click('button:has-text("Approve and close 2026-03")');
    await expectText(second.page, "#notice", "2026-03 is closed");
    await expectText(second.page, "main", "approved by Bob Example");
    const [pack] = await Promise.all([
      second.page.waitForEvent("download"),
      second.page.click("text=Download the pack"),
    ]);
    expect(pack.suggestedFilename()).toMatch(/2026-03.*\.zip$/);
    expect([...first.complaints, ...second.complaints]).toEqual([]);
  });
});

test("the history of a month links to the pack of every close", async () => {
  const again = await openMonth(database.db);
  const signers = [alice, bob].map((id, at) => ({ actor: `person:${id}`, name: ["Alice", "Bob"][at] ?? "" }));
  const [first, second] = signers as [Signer, Signer];
  const { packSha256 } = await preparePeriod(database.db, await monthOfBooks(again), [], first);
  await approvePeriod(database.db, await monthOfBooks(again), second);
  await reopenPeriod(database.db, await monthOfBooks(again), "a late refund", first);
  await reopenPeriod(database.db, await monthOfBooks(again), "yes", second);
  const headers = { cookie: await cookieOf(database.db, alice) };
  const query = new URLSearchParams({ account: again.name }).toString();
  const html = await (await fetch(`${service.url}/close/2026-03?${query}&wait=true`, { headers })).text();
  const link = `/close/2026-03/pack?${query}&pack_sha256=${packSha256}`;
  expect(html).toContain(link.replaceAll("&", "&amp;"));
  const pack = await fetch(service.url + link, { headers });
  expect(pack.headers.get("content-disposition")).toContain(`2026-03-${packSha256.slice(0, 8)}.zip`);
});

test("a month is asked to be reopened by one person, and another one finds and reads the request", async () => {
  const closed = await openMonth(database.db);
  const signers = [alice, bob].map((id) => ({ actor: `person:${id}`, name: "x" })) as [Signer, Signer];
  await preparePeriod(database.db, await monthOfBooks(closed), [], signers[0]);
  await approvePeriod(database.db, await monthOfBooks(closed), signers[1]);
  const path = `/close/2026-03?${new URLSearchParams({ account: closed.name }).toString()}`;
  const visit = async (person: number, vouchedBy: string | null = null) => {
    const visitor = await signIn(database.db, person);
    await database.db.query(
      "update tieout.sessions set vouched_by = $2 where token_hash = sha256(convert_to($1, 'UTF8'))",
      [visitor.headers.cookie.split("=")[1], vouchedBy],
    );
    const read = async (address: string, cookie = visitor.headers.cookie) =>
      (await fetch(service.url + address, { headers: { cookie } })).text();
    const reopen = async (reason: string) => {
      const answer = await fetch(`${service.url}/close/reopen`, {
        method: "POST",
        redirect: "manual",
        headers: { ...visitor.headers, origin: service.url },
        body: new URLSearchParams({ month: "2026-03", account: closed.name, reason, csrf: visitor.csrf }),
      });
      const kept = answer.headers.getSetCookie().map((one) => one.split(";")[0] ?? "");
      const cookie = [visitor.headers.cookie, ...kept].join("; ");
      const [, notice] = /<div class="notice">([^<]*)/.exec(await read(path, cookie)) ?? [];
      return notice;
    };
    return { read, reopen };
  };

  const asking = await visit(alice);
  expect(await asking.reopen("a late refund")).toBe(
    "You asked to reopen 2026-03. Another person must agree.",
  );
  const own = await asking.read(path);
  expect(own).toContain("You asked to reopen this month. Another person has to agree.");
  expect(own).not.toContain("Agree to reopen");
  expect(await asking.read("/overview")).not.toContain("Reopen 2026-03");

  // Whoever has signed in another way since may ask again.
  expect(own).not.toContain("Ask again");
  expect(await (await visit(alice, "https://id.example.com")).read(path)).toContain("Ask again");

  const mallory = await aPerson(database.db, everyRole, { name: "Mallory" });
  const letIn = await (await visit(mallory, `person:${alice}`)).read(path);
  expect(letIn).toContain("your sign-in goes back to a link that they could have opened");
  const accountant = await aPerson(database.db, "accountant", { name: "Ann" });
  expect(await (await visit(accountant)).read(path)).toContain(
    "It waits for someone with the role controller.",
  );

  const agreeing = await visit(bob);
  expect(await agreeing.read("/overview")).toMatch(/Reopen 2026-03.*asks to reopen it \(a late refund\)/s);
  expect(await agreeing.read(path)).toMatch(/asks to reopen this month.*a late refund.*Agree to reopen/s);
  expect(await agreeing.reopen("agreed")).toBe("2026-03 is reopened.");
});

describe("a month whose checklist takes long", () => {
  test("is shown at once; its checklist follows", async () => {
    const cookie = await cookieOf(database.db, alice);
    const path = `/close/2026-09?${new URLSearchParams({ account: books.name }).toString()}`;
    const read = async (address: string) =>
      (await fetch(service.url + address, { headers: { cookie } })).text();
    await database.db.transaction(async (tx) => {
      await tx.query("lock table tieout.findings in access exclusive mode");
      const shown = await read(path);
      expect(shown).toContain("The checklist is still being computed");
      expect(shown).toContain(`hx-get="${path}&amp;wait=true"`);
    });
    expect(await read(`${path}&wait=true`)).toContain("Next step");
  });
});
