import { randomBytes } from "node:crypto";
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { createServer, type Server } from "node:http";
import { Provider } from "oidc-provider";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createOidc, type Oidc, type OidcOutcome, readRolesOfGroups } from "../../src/access/oidc.ts";
import { secret } from "../../src/core/secret.ts";
import { readPerson, suspendPerson } from "../../src/store/people/people.ts";
import { aPerson } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";

const database = useTestDatabase();
const visit = { address: "192.0.2.1", requestId: "test" };
const redirectUrl = "http://localhost:9/sign-in/oidc/callback";

/** Who the company knows, by what they type when they sign in over there. */
const known: Record<string, { email: string; email_verified: boolean; name: string; groups: string[] }> = {
  ada: { email: "ada@example.com", email_verified: true, name: "Ada", groups: [] },
  eve: { email: "ada@example.com", email_verified: false, name: "Eve", groups: [] },
  ben: { email: "ben@example.com", email_verified: true, name: "Ben", groups: ["finance", "choir"] },
  zoe: { email: "zoe@example.com", email_verified: true, name: "Zoe", groups: [] },
};

let server: Server;
let issuer = "";

beforeAll(async () => {
  server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [{ client_id: "tieout", client_secret: "a secret of the test", redirect_uris: [redirectUrl] }],
    claims: { email: ["email", "email_verified"], profile: ["name"], groups: ["groups"] },
    scopes: ["openid", "email", "profile", "groups"],
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id, ...known[id] }) }),
    cookies: { keys: ["key of the test"] },
    features: { devInteractions: { enabled: true } },
  });
  const answer = provider.callback();
  server.on("request", (request, response) => void answer(request, response));
});

afterAll(() => void server.close());

describe("a company's own sign-in service", () => {
  test("signs in who was invited, by address the first time and by its own word for them afterwards", async () => {
    const ada = await aPerson(database.db, "accountant", { name: "Ada", email: "Ada@example.com" });
    const oidc = ours();
    expect(await signIn(oidc, "ada", "/queue")).toMatchObject({
      session: expect.any(String),
      back: "/queue",
    });
    await database.db.query("update tieout.people set email = 'other@example.com' where id = $1", [ada]);
    expect(await signIn(oidc, "ada")).toHaveProperty("session");
    const sessions = await database.db.query("select person_id::int as id, method from tieout.sessions");
    expect(sessions).toEqual([
      { id: ada, method: "oidc" },
      { id: ada, method: "oidc" },
    ]);
    await database.db.transaction((tx) => suspendPerson(tx, ada));
    expect(await signIn(oidc, "ada")).toMatchObject({ refused: "suspended" });
  });

  test("does not believe an address that it has not verified, and lets no stranger in", async () => {
    await aPerson(database.db, "admin", { name: "Real Ada", email: "ada@example.com" });
    expect(await signIn(ours(), "eve")).toEqual({ refused: "email_not_verified", email: "ada@example.com" });
    expect(await signIn(ours(), "zoe")).toEqual({ refused: "not_invited", email: "zoe@example.com" });
  });

  test("groups become roles, and roles follow the groups", async () => {
    const oidc = ours("finance=accountant, heads=controller");
    expect(await signIn(oidc, "ben")).toHaveProperty("session");
    expect(await signIn(oidc, "zoe")).toMatchObject({ refused: "not_invited" });
    const [ben] = await database.db.query<{ id: number }>(
      "select id::int from tieout.people where email = 'ben@example.com'",
    );
    const read = () => readPerson({ database: database.db, accountIds: null }, ben?.id ?? 0);
    expect(await read()).toMatchObject({ name: "Ben", roles: ["accountant"], state: "active" });
    known["ben"]?.groups.splice(0, 2, "heads");
    await signIn(oidc, "ben");
    expect(await read()).toMatchObject({ roles: ["controller"] });
  });

  test("an answer that was not asked for, or comes twice, proves nothing", async () => {
    const oidc = ours();
    const first = await oidc.begin("/");
    const second = await oidc.begin("/");
    const url = await walk(first.url, "ada");
    // Another browser's answer: its state is not ours.
    expect(await oidc.end({ token: second.token, url }, visit)).toMatchObject({ refused: "not_proved" });
    expect(await oidc.end({ token: "x".repeat(43), url }, visit)).toMatchObject({ refused: "not_proved" });
    const forged = new URL(url);
    forged.searchParams.set("code", "made up");
    expect(await oidc.end({ token: first.token, url: forged }, visit)).toMatchObject({
      refused: "not_proved",
    });
    expect(await oidc.end({ token: first.token, url }, visit)).toMatchObject({ refused: "not_proved" });
  });
});

function ours(groups = ""): Oidc {
  return createOidc(
    { database: database.db, randomBytes },
    {
      issuer,
      clientId: "tieout",
      clientSecret: secret("a secret of the test"),
      redirectUrl,
      rolesOfGroups: readRolesOfGroups(groups),
    },
  );
}

async function signIn(oidc: Oidc, login: string, back = "/"): Promise<OidcOutcome> {
  const { token, url } = await oidc.begin(back);
  return oidc.end({ token, url: await walk(url, login) }, visit);
}

/** Goes through the service's own pages as a browser would, and returns the address that it sends the browser back to. */
async function walk(start: string, login: string): Promise<URL> {
  const cookies = new Map<string, string>();
  let next: { url: string; form?: Record<string, string> } = { url: start };
  for (let step = 0; step < 20; step++) {
    if (next.url.startsWith(redirectUrl)) return new URL(next.url);
    const answer = await fetch(next.url, {
      redirect: "manual",
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join("; ") },
      ...(next.form === undefined ? {} : { method: "POST", body: new URLSearchParams(next.form) }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const place = answer.headers.get("location");
    if (place !== null) {
      next = { url: new URL(place, next.url).href };
      continue;
    }
    const html = await answer.text();
    const prompt = /name="prompt" value="([^"]+)"/.exec(html)?.[1];
    if (prompt === undefined) throw new Error(`${answer.status} ${html}`);
    next = { url: next.url, form: prompt === "login" ? { prompt, login, password: "any" } : { prompt } };
  }
  throw new Error("the service sends the browser round in circles");
}
