import { randomBytes } from "node:crypto";
import { beforeAll, describe, expect, test } from "vitest";
import { parseApiKey } from "../../src/core/api-key.ts";
import { revokeKey } from "../../src/store/people/api-keys.ts";
import { createSignInLink } from "../../src/web/sign-in.tsx";
import { aKey } from "../api/an-api.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { usePage } from "./a-page.ts";
import { seedPage } from "./seed-page.ts";

const database = useTestDatabase();
// The test is its own proxy.
const service = usePage(database, { trustedProxies: ["127.0.0.1", "::1"] });
let key: string;
beforeAll(async () => {
  await seedPage(database.db, Date.now());
  key = await aKey(database.db, "admin", { name: "Ada" });
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

async function cookieFor(apiKey: string, headers: Record<string, string> = {}): Promise<string> {
  const answer = await post("/sign-in", { key: apiKey, back: "/overview" }, headers);
  expect(answer.status).toBe(303);
  return answer.headers.getSetCookie()[0] ?? "";
}

const bare = (setCookie: string) => setCookie.split(";")[0] ?? "";

describe("signing in", () => {
  test("gives a cookie that no script reads and no other site sends along", async () => {
    const cookie = await cookieFor(key);
    expect(cookie).toMatch(/^tieout_session=[\w-]{43}; Max-Age=43200; Path=\/; HttpOnly; SameSite=Lax$/);
    expect(cookie).not.toContain(key);
  });

  test("gives a cookie bound to its host over https, and says to stay there", async () => {
    const https = { "x-forwarded-proto": "https", origin: service.url.replace("http:", "https:") };
    const cookie = await cookieFor(key, https);
    expect(cookie).toMatch(/^__Host-tieout=[\w-]{43}; .*Secure/);
    const page = await ask("/overview", { headers: { cookie: bare(cookie), ...https } });
    expect([page.status, page.headers.get("strict-transport-security")]).toEqual([200, "max-age=31536000"]);
  });

  test("keeps nothing that would open a door", async () => {
    const token = bare(await cookieFor(key)).split("=")[1] ?? "";
    const rows = await database.db.query(
      "select encode(token_hash, 'escape') as held, * from tieout.web_sessions",
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  test.each([
    ["nothing", ""],
    ["something that is no key", "hunter2"],
    ["a key with a typing error", "tieout_AAAAAAAA_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"],
  ])("with %s is refused with words", async (_, wrong) => {
    const answer = await post("/sign-in", { key: wrong });
    expect(answer.status).toBe(401);
    expect(await answer.text()).toContain("This is no API key, or it is mistyped");
  });

  test("leads back to where one came from, and never elsewhere", async () => {
    const sent = await ask("/transactions?status=failed");
    expect(sent.headers.get("location")).toBe("/sign-in?back=%2Ftransactions%3Fstatus%3Dfailed");
    const home = await post("/sign-in", { key, back: "/transactions?status=failed" });
    expect(home.headers.get("location")).toBe("/transactions?status=failed");
    for (const back of [
      "https://evil.example/",
      "//evil.example/",
      "/\\evil.example",
      "javascript:alert(1)",
    ]) {
      const answer = await post("/sign-in", { key, back });
      expect(answer.headers.get("location")).toBe("/overview");
    }
  });

  test("with a link that was used, or waited too long, is refused", async () => {
    const keyId = parseApiKey(key)?.id ?? "";
    const tokenOf = async () =>
      new URL(
        await createSignInLink(database.db, randomBytes, { baseUrl: service.url, keyId }),
      ).searchParams.get("link") ?? "";
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
  test("ends with its key", async () => {
    const doomed = await aKey(database.db, "viewer", { name: "doomed" });
    const cookie = bare(await cookieFor(doomed));
    expect((await ask("/overview", { headers: { cookie } })).status).toBe(200);
    await revokeKey(database.db, parseApiKey(doomed)?.id ?? "", { actor: "test" });
    await new Promise((resolve) => setTimeout(resolve, 2_100));
    expect((await ask("/overview", { headers: { cookie } })).status).toBe(303);
  });

  test("sees only the accounts of its key", async () => {
    const [account] = await database.db.query<{ id: number }>(
      "select id from tieout.accounts where name = 'acme-us'",
    );
    const limited = await aKey(database.db, "viewer", { accountIds: [account?.id ?? 0] });
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

describe("a form", () => {
  test("from another site is refused, whatever it carries", async () => {
    const cookie = bare(await cookieFor(key));
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
    const cookie = bare(await cookieFor(key));
    for (const csrf of ["", "x".repeat(43)]) {
      const answer = await post("/sync/pause", { account: "acme-eu", reason: "x", csrf }, { cookie });
      expect(answer.status).toBe(403);
      expect(await answer.text()).toContain("This form belongs to another session");
    }
  });

  test("that pauses an account is noted, and resuming it as well", async () => {
    const cookie = bare(await cookieFor(key));
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

describe("every answer", () => {
  test("of a page carries a policy of own files only", async () => {
    const cookie = bare(await cookieFor(key));
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
    const cookie = bare(await cookieFor(key));
    for (const path of ["/overview", "/transactions", "/transactions.csv?status=failed", "/sync"]) {
      const { headers } = await ask(path, { headers: { cookie } });
      expect([path, headers.get("cache-control")]).toEqual([path, "no-store"]);
    }
  });

  test("of a file may be kept for ever, because its name holds its hash", async () => {
    const page = await (await ask("/sign-in")).text();
    const files = [...page.matchAll(/(?:href|src)="(\/assets\/[^"]+)"/g)].map((found) => found[1] ?? "");
    expect(files.length).toBeGreaterThan(2);
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
