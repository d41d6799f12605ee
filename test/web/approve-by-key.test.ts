import { describe, expect, test } from "vitest";
import { insertApproval } from "../../src/store/people/approvals.ts";
import { findChromium } from "../support/chromium.ts";
import { aPerson, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { expectText, useBrowser, usePage } from "./a-page.ts";
import { seedPage } from "./seed-page.ts";

const chromium = findChromium();

describe.runIf(chromium !== null)("approvals", () => {
  const database = useTestDatabase();
  const service = usePage(database);
  const { enter } = useBrowser(chromium ?? "", service, database);

  test("Enter in the reason decides nothing: it may be that of a rejection", async () => {
    await seedPage(database.db, Date.now());
    const proposedBy = await aPerson(database.db, "accountant", { name: "Ada" });
    const wanted = {
      kind: "write_off",
      subject: "dis_1",
      accountId: 1,
      details: { amount: "900", currency: "EUR", facts_hash: "", booked_at: null },
      proposedBy,
      reason: "too old",
    } as const;
    await database.db.transaction((tx) => insertApproval(tx, wanted));
    const { page, complaints } = await enter(await aPerson(database.db, everyRole, { name: "Bob" }));
    const sent: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST") sent.push(new URL(request.url()).pathname);
    });
    await page.goto("/approvals");
    await page.fill('form[action="/approvals/reject"] [name="reason"]', "it was paid");
    await page.keyboard.press("Enter");
    await page.click('button:has-text("Reject")');
    await expectText(page, "#notice", "eject");
    expect(sent).toEqual(["/approvals/reject"]);
    const states = await database.db.query<{ state: string }>("select state from tieout.approvals");
    expect(states.map(({ state }) => state)).toEqual(["rejected"]);
    expect(complaints).toEqual([]);
  });
});
