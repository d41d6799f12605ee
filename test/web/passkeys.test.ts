import { beforeAll, describe, expect, test } from "vitest";
import { findChromium } from "../support/chromium.ts";
import { aPerson, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { useBrowser, usePage, type Visit } from "./a-page.ts";
import { seedPage } from "./seed-page.ts";

const chromium = findChromium();

describe.skipIf(chromium === null)("passkeys", () => {
  const database = useTestDatabase();
  const service = usePage(database);
  const browser = useBrowser(chromium ?? "", service, database);
  let ada: number;
  beforeAll(async () => {
    await seedPage(database.db, Date.now());
    ada = await aPerson(database.db, everyRole, { name: "Ada", email: "ada@example.com" });
  });

  /** Passkeys belong to names, so the page is opened as localhost. */
  const place = (path: string) => service.url.replace("127.0.0.1", "localhost") + path;

  /** A device that always says yes, as Chromium plays it. */
  async function withDevice(visit: Visit, isUserVerified = true): Promise<void> {
    const channel = await visit.context.newCDPSession(visit.page);
    await channel.send("WebAuthn.enable");
    await channel.send("WebAuthn.addVirtualAuthenticator", {
      options: {
        protocol: "ctap2",
        transport: "internal",
        hasResidentKey: true,
        hasUserVerification: true,
        isUserVerified,
      },
    });
  }

  async function enterOnLocalhost(personId: number): Promise<Visit> {
    const visit = await browser.enter(personId);
    const cookies = await visit.context.cookies();
    await visit.context.addCookies(
      cookies.map(({ name, value }) => ({ name, value, url: place("/"), httpOnly: true })),
    );
    return visit;
  }

  test("one is added, signs its person in, and is removed: all of it in the audit log", async () => {
    const visit = await enterOnLocalhost(ada);
    await withDevice(visit);
    const { page } = visit;
    await page.goto(place("/passkeys"));
    await page.fill('input[name="name"]', "My laptop");
    await page.click('button:has-text("Add a passkey")');
    await page.waitForSelector('text="My laptop"');

    await visit.context.clearCookies();
    await page.goto(place("/sign-in?back=%2Ftransactions"));
    // Many people click everything twice: the device is asked once, and what it answers is sent once.
    const sent: string[] = [];
    page.on("request", (request) => {
      if (request.method() === "POST") sent.push(new URL(request.url()).pathname);
    });
    await page.dblclick('button:has-text("Sign in with a passkey")');
    await expect.poll(() => new URL(page.url()).pathname).toBe("/transactions");
    expect(sent).toEqual(["/sign-in/passkey/ask", "/sign-in/passkey"]);
    const [session] = await database.db.query(
      "select method from tieout.sessions order by opened_at desc limit 1",
    );
    expect(session).toEqual({ method: "passkey" });

    await page.goto(place("/passkeys"));
    await page.click('button:has-text("Remove My laptop")');
    await page.waitForSelector("text=You have no passkey yet");
    await visit.context.clearCookies();
    await page.goto(place("/sign-in"));
    await page.click('button:has-text("Sign in with a passkey")');
    await page.waitForSelector("text=You cannot sign in here with this passkey");

    const entries = await database.db.query<{ action: string }>(
      "select action from tieout.audit_log where action like 'passkey.%' order by number",
    );
    expect(entries.map(({ action }) => action)).toEqual(["passkey.added", "passkey.removed"]);
    expect(visit.complaints).toEqual([]);
  });

  test("when nothing answers, that is said, and it can be tried again", async () => {
    const { page } = await browser.visit();
    await page.goto(place("/sign-in"));
    await page.route("**/sign-in/passkey/ask", (route) => route.abort());
    await page.click('button:has-text("Sign in with a passkey")');
    await page.waitForSelector("text=tieout did not answer. Check the connection, and try again.");
    expect(await page.isEnabled('button:has-text("Sign in with a passkey")')).toBe(true);
  });

  test("a device that does not know who holds it is not enough", async () => {
    const visit = await enterOnLocalhost(ada);
    await withDevice(visit, false);
    await visit.page.goto(place("/passkeys"));
    await visit.page.fill('input[name="name"]', "Borrowed");
    await visit.page.click('button:has-text("Add a passkey")');
    await visit.page.waitForSelector('[role="alert"]:not([hidden])');
    expect(await database.db.query("select id from tieout.passkeys where name = 'Borrowed'")).toEqual([]);
  });

  test("an answer without what was asked, or to something else, signs nobody in", async () => {
    const post = (answer: string, cookie = "") =>
      fetch(`${service.url}/sign-in/passkey`, {
        method: "POST",
        redirect: "manual",
        body: new URLSearchParams({ answer }),
        headers: { origin: service.url, cookie },
      });
    const asked = await fetch(`${service.url}/sign-in/passkey/ask`, {
      method: "POST",
      headers: { origin: service.url },
    });
    const cookie = (asked.headers.getSetCookie()[0] ?? "").split(";")[0] ?? "";
    const forged = JSON.stringify({
      id: "x",
      rawId: "x",
      type: "public-key",
      response: {},
      clientExtensionResults: {},
    });
    expect((await post(forged)).status).toBe(401);
    expect((await post("not json", cookie)).status).toBe(401);
    // What was asked is used up by the first answer, whatever that was.
    expect(
      await database.db.query("select method from tieout.sign_in_states where method = 'passkey'"),
    ).toHaveLength(0);
    expect((await post(forged, cookie)).status).toBe(401);
  });
});
