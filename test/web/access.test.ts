import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { makeLink } from "../../src/access/sign-in.ts";
import { suspendPerson } from "../../src/store/people/people.ts";
import { aKey } from "../api/an-api.ts";
import { aPerson, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { waitFor } from "../support/wait-for.ts";
import { usePage } from "./a-page.ts";
import { seedPage } from "./seed-page.ts";

const database = useTestDatabase();
// The test is its own proxy.
const service = usePage(database, { trustedProxies: ["127.0.0.1", "::1"] });
let ada: number;
beforeAll(async () => {
  await seedPage(database.db, Date.now());
  ada = await aPerson(database.db, everyRole, { name: "Ada" });
});

async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(service.url + path, { redirect: "manual", ...init });
}

async function post(
  path: string,
  form: Record<string, string>,
  headers: Record<string, string> = {},
): Promise<Response> {
  return ask(path, {
    method: "POST",
    body: new URLSearchParams(form),
    headers: { origin: service.url, ...headers },
  });
}

async function linkFor(personId: number): Promise<string> {
  return database.db.transaction((tx) =>
    makeLink(tx, randomBytes, { purpose: "sign_in", personId, createdBy: "test" }),
  );
}

async function cookieFor(personId: number, headers: Record<string, string> = {}): Promise<string> {
  const answer = await post("/sign-in", { link: await linkFor(personId) }, headers);
  expect(answer.status).toBe(303);
  return answer.headers.getSetCookie()[0] ?? "";
}

const bare = (setCookie: string) => setCookie.split(";")[0] ?? "";

describe("signing in", () => {
  test("gives a cookie that no script reads and no other site sends along", async () => {
    const cookie = await cookieFor(ada);
    expect(cookie).toMatch(/^tieout_session=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax$/);
  });

  test("gives a cookie bound to its host over https, and says to stay there", async () => {
    const https = { "x-forwarded-proto": "https", origin: service.url.replace("http:", "https:") };
    const cookie = await cookieFor(ada, https);
    expect(cookie).toMatch(/^__Host-tieout=[\w-]{43}; .*Secure/);
    const page = await ask("/overview", { headers: { cookie: bare(cookie), ...https } });
    expect([page.status, page.headers.get("strict-transport-security")]).toEqual([200, "max-age=31536000"]);
  });

  test("keeps nothing that would open a door", async () => {
    const token = bare(await cookieFor(ada)).split("=")[1] ?? "";
    const rows = await database.db.query(
      "select encode(token_hash, 'escape') as held, * from tieout.sessions",
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  test.each([
    ["nothing", ""],
    ["something that is not a link", "hunter2"],
    ["a link that nobody made", "A".repeat(43)],
  ])("with %s is refused with words", async (_, wrong) => {
    const answer = await post("/sign-in", { link: wrong });
    expect(answer.status).toBe(401);
    const words = await answer.text();
    expect(words).toContain("This link has been used or has expired");
    expect(words).toContain('<a href="/sign-in">Other ways to sign in</a>');
  });

  test("with an API key opens nothing: keys are for machines", async () => {
    const key = await aKey(database.db, "admin");
    expect((await post("/sign-in", { key })).status).toBe(401);
    expect((await ask("/overview", { headers: { authorization: `Bearer ${key}` } })).status).toBe(303);
  });

  test("is asked for with the place to come back to", async () => {
    const sent = await ask("/transactions?status=failed");
    expect(sent.headers.get("location")).toBe("/sign-in?back=%2Ftransactions%3Fstatus%3Dfailed");
    expect(await (await ask("/sign-in")).text()).toContain("Ask an admin for one");
  });

  test("with a link that was used, or waited too long, is refused", async () => {
    const tokenOf = () => linkFor(ada);
    const used = await tokenOf();
    expect((await post("/sign-in", { link: used })).status).toBe(303);
    expect((await post("/sign-in", { link: used })).status).toBe(401);
    const late = await tokenOf();
    await database.db.query(
      "update tieout.sign_in_links set expires_at = clock_timestamp() - interval '1 second'",
    );
    expect((await post("/sign-in", { link: late })).status).toBe(401);
  });
});

describe("a session", () => {
  test("ends when its person is suspended, in a process that did not hear of it", async () => {
    const doomed = await aPerson(database.db, "viewer", { name: "doomed" });
    const cookie = bare(await cookieFor(doomed));
    const look = async () => (await ask("/overview", { headers: { cookie } })).status;
    expect(await look()).toBe(200);
    await database.db.transaction((tx) => suspendPerson(tx, doomed));
    await waitFor("they are out", async () => (await look()) === 303);
  });

  test("ends by itself when it is not used for two hours, and after twelve in any case", async () => {
    for (const change of [
      "last_seen_at = clock_timestamp() - interval '121 minutes'",
      "expires_at = clock_timestamp() - interval '1 second'",
    ]) {
      const person = await aPerson(database.db, "viewer");
      const cookie = bare(await cookieFor(person));
      await database.db.query(`update tieout.sessions set ${change} where person_id = $1`, [person]);
      expect((await ask("/overview", { headers: { cookie } })).status).toBe(303);
    }
    const [row] = await database.db.query<{ hours: string }>(
      "select round(extract(epoch from max(expires_at - opened_at)) / 3600) as hours from tieout.sessions",
    );
    expect(Number(row?.hours)).toBe(12);
  });

  test("ends everywhere when its person asks for that", async () => {
    const person = await aPerson(database.db, "viewer");
    const [here, there] = [bare(await cookieFor(person)), bare(await cookieFor(person))];
    const page = await (await ask("/settings", { headers: { cookie: here } })).text();
    const csrf = /name="csrf" value="([\w-]+)"/.exec(page)?.[1] ?? "";
    expect((await post("/sign-out/everywhere", { csrf }, { cookie: here })).status).toBe(303);
    expect((await ask("/settings", { headers: { cookie: here } })).status).toBe(303);
    await waitFor("the other is out", async () => {
      return (await ask("/settings", { headers: { cookie: there } })).status === 303;
    });
  });

  test("sees only the accounts of its person", async () => {
    const [account] = await database.db.query<{ id: number }>(
      "select id from tieout.accounts where name = 'acme-us'",
    );
    const limited = await aPerson(database.db, "viewer", { accountIds: [account?.id ?? 0] });
    const cookie = bare(await cookieFor(limited));
    const [other] = await database.db.query<{ id: string }>(
      "select transaction_id as id from tieout.transactions where account_id <> $1 limit 1",
      [account?.id],
    );
    const text = async (path: string) => (await ask(path, { headers: { cookie } })).text();
    expect(await text("/overview")).not.toContain("acme-eu");
    expect(await text("/transactions")).not.toContain(other?.id);
    expect(await text("/sync")).not.toContain("acme-eu");
    const answer = await ask(`/transactions/one?id=${other?.id}`, { headers: { cookie } });
    expect(answer.status).toBe(404);
  });
});

describe("a person who is only an admin", () => {
  test("comes to a screen that they may see, and finds the way to Approvals", async () => {
    const cookie = bare(await cookieFor(await aPerson(database.db, "admin", { name: "Olga" })));
    const read = async (path: string) => ask(path, { headers: { cookie } });
    const first = await read("/overview");
    expect([first.status, first.headers.get("location")]).toEqual([303, "/approvals"]);
    const menu = /<nav aria-label="Screens">.*?<\/nav>/s.exec(await (await read("/approvals")).text())?.[0];
    const entries = [...(menu ?? "").matchAll(/href="([^"]+)"/g)].map(([, path]) => path);
    expect(entries).toEqual(["/approvals", "/people", "/settings"]);

    const refused = await read("/transactions");
    const words = await refused.text();
    expect(refused.status).toBe(403);
    expect(words).toContain("This needs one of the roles viewer, accountant, controller, auditor.");
    expect(words).toMatch(/<a role="button" href="\/approvals">\s*Approvals/);
    expect(words).not.toMatch(/Scope missing|transactions:read|href="\/overview"/);
  });
});

describe("a failure", () => {
  test("is told to a person, and offers another sign-in only where that could help", async () => {
    const cookie = bare(await cookieFor(ada));
    const headers = { cookie, accept: "text/html" };
    const page = await (await ask("/sync", { headers })).text();
    const csrf = /name="csrf" value="([\w-]+)"/.exec(page)?.[1] ?? "";
    const nowhere = await (await ask("/nothing/like/this", { headers })).text();
    expect(nowhere).toContain("There is no such screen.");
    expect(nowhere).toContain("Sign in as someone else");
    const unnamed = await (await post("/approvals/approve", { csrf }, headers)).text();
    expect(unnamed).toContain("The form names something that does not exist.");
    const mistyped = await post("/sync/pause", { csrf, account: "acme-eu", reason: " " }, headers);
    expect(mistyped.status).toBe(400);
    expect(await mistyped.text()).not.toContain("Sign in as someone else");
  });
});

describe("a form", () => {
  test("from another site is refused, whatever it carries", async () => {
    const cookie = bare(await cookieFor(ada));
    const answer = await post(
      "/sync/pause",
      { account: "acme-eu", reason: "x" },
      { cookie, origin: "https://evil.example" },
    );
    expect(answer.status).toBe(403);
    const attempts = await database.db.query(
      "select from tieout.accounts where paused_reason like '%paused by%'",
    );
    expect(attempts).toHaveLength(0);
  });

  test("without the session's token is refused, also from our own site", async () => {
    const cookie = bare(await cookieFor(ada));
    for (const csrf of ["", "x".repeat(43)]) {
      const answer = await post("/sync/pause", { account: "acme-eu", reason: "x", csrf }, { cookie });
      expect(answer.status).toBe(403);
      expect(await answer.text()).toContain("This form belongs to another session");
    }
  });

  test("that pauses an account is noted, and resuming it as well", async () => {
    const cookie = bare(await cookieFor(ada));
    const page = await (await ask("/sync", { headers: { cookie } })).text();
    const csrf = /name="csrf" value="([\w-]+)"/.exec(page)?.[1] ?? "";
    for (const path of ["/sync/pause", "/sync/resume"]) {
      expect((await post(path, { account: "acme-eu", reason: "month end", csrf }, { cookie })).status).toBe(
        303,
      );
    }
    const audit = await database.db.query(
      "select action, reason from tieout.audit_log where subject = 'acme-eu' order by number",
    );
    expect(audit).toMatchObject([
      { action: "account.paused", reason: "paused by Ada: month end" },
      { action: "account.resumed" },
    ]);
  });
});

describe("what is shown once", () => {
  const plant = (content: object) => Buffer.from(JSON.stringify(content)).toString("base64url");
  const read = async (...cookies: string[]) =>
    (await ask("/sync", { headers: { cookie: cookies.join("; ") } })).text();

  test("is shown to the session that it was left for, and to no other", async () => {
    const [mine, another] = [bare(await cookieFor(ada)), bare(await cookieFor(ada))];
    const csrf = /name="csrf" value="([\w-]+)"/.exec(await read(mine))?.[1] ?? "";
    const form = { form: "pause-1", back: "/sync", account: "acme-eu", reason: "month end", csrf };
    const paused = await post("/sync/pause", form, { cookie: mine });
    const refused = await post("/sync/pause", { ...form, reason: " " }, { cookie: mine });
    await post("/sync/resume", form, { cookie: mine });
    for (const [left, words] of [
      [paused, "Account acme-eu is paused"],
      [refused, 'role="alert"'],
    ] as const) {
      const cookie = bare(left.headers.getSetCookie()[0] ?? "");
      expect(await read(mine, cookie)).toContain(words);
      expect(await read(another, cookie)).not.toContain(words);
    }
  });

  test("is nothing that another site of the same domain has left in a cookie", async () => {
    const cookie = bare(await cookieFor(ada));
    const undo = { action: "/approvals/approve", fields: { id: "apr_3" } };
    const notice = plant({ text: "planted", undo });
    const refused = plant({ form: "gone", message: "planted", fields: {} });
    for (const seal of ["", ".", `.${"A".repeat(43)}`]) {
      const page = await read(cookie, `tieout_notice=${notice}${seal}`, `tieout_refused=${refused}${seal}`);
      expect(page.includes("planted")).toBe(false);
    }
  });

  test("is bound to its host over https", async () => {
    const https = { "x-forwarded-proto": "https", origin: service.url.replace("http:", "https:") };
    const answer = await post("/sign-in", { link: await linkFor(ada) }, https);
    expect(answer.headers.getSetCookie()[1]).toMatch(/^__Host-tieout-notice=[\w.-]+; .*Secure/);
  });
});

describe("every answer", () => {
  test("of a page carries a policy of own files only", async () => {
    const cookie = bare(await cookieFor(ada));
    for (const path of ["/overview", "/transactions", "/sign-in", "/discrepancies", "/nothing/like/this"]) {
      const { headers } = await ask(path, { headers: { cookie } });
      const policy = headers.get("content-security-policy") ?? "";
      expect(policy).toMatch(/^default-src 'none';/);
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|https?:|\*/);
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
    }
  });

  test("with data in it is kept by nobody", async () => {
    const cookie = bare(await cookieFor(ada));
    for (const path of ["/overview", "/transactions", "/transactions.csv?status=failed", "/sync"]) {
      const { headers } = await ask(path, { headers: { cookie } });
      expect([path, headers.get("cache-control")]).toEqual([path, "no-store"]);
    }
  });

  test("of a file may be kept for ever, because its name holds its hash", async () => {
    const page = await (await ask("/sign-in")).text();
    const files = [...page.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map((found) => found[1] ?? "");
    expect(files.length).toBeGreaterThan(1);
    for (const file of files) {
      expect(file).toMatch(/-[0-9a-f]{16}\.(css|js|svg)$/);
      const answer = await ask(file);
      expect([answer.status, answer.headers.get("cache-control")]).toEqual([
        200,
        "public, max-age=31536000, immutable",
      ]);
    }
    expect((await ask("/assets/page-0000000000000000.css")).status).toBe(404);
  });

  test("to a browser at the bare address is the page, and to a program the list of addresses", async () => {
    const page = await ask("/", { headers: { accept: "text/html,*/*" } });
    expect(page.headers.get("location")).toBe("/overview");
    expect(await (await ask("/")).json()).toMatchObject({ name: "tieout" });
  });
});
