import { beforeAll, describe, expect, test } from "vitest";
import { aKey } from "../api/an-api.ts";
import { openMonth } from "../close/a-month.ts";
import { aPasskeyDevice } from "../support/passkey-device.ts";
import { aPerson, aSession, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { csrfTokenOf } from "../../src/web/session-cookie.ts";
import { usePage } from "../web/a-page.ts";

const database = useTestDatabase();
const service = usePage(database);
let adaId = 0;
let ada: Visitor;
let adaKey = "";
let bob: Visitor;

beforeAll(async () => {
  adaId = await aPerson(database.db, everyRole, { name: "Ada", email: "ada@example.com" });
  ada = visitor(await aSession(database.db, adaId));
  adaKey = await aKey(database.db, "admin", { ownerId: adaId });
  bob = visitor(await aSession(database.db, await aPerson(database.db, everyRole, { name: "Bob" })));
});

interface Visitor {
  token: string;
  read(path: string): Promise<string>;
  send(path: string, fields: Record<string, string | string[]>, cookie?: string): Promise<Response>;
}

/** Passkeys belong to names, so the page is opened as localhost. */
const place = () => service.url.replace("127.0.0.1", "localhost");

function visitor(token: string): Visitor {
  return {
    token,
    read: async (path) =>
      (await fetch(place() + path, { headers: { cookie: `tieout_session=${token}` } })).text(),
    send: (path, fields, cookie = "") => {
      const body = new URLSearchParams({ csrf: csrfTokenOf(token) });
      for (const [name, value] of Object.entries(fields))
        for (const one of [value].flat()) body.append(name, one);
      const headers = { cookie: `tieout_session=${token}; ${cookie}`, origin: place() };
      return fetch(place() + path, { method: "POST", redirect: "manual", headers, body });
    },
  };
}

async function open(link: string): Promise<Visitor> {
  const answer = await fetch(`${place()}/sign-in`, {
    method: "POST",
    redirect: "manual",
    headers: { origin: place() },
    body: new URLSearchParams({ link: new URL(link, place()).searchParams.get("link") ?? "" }),
  });
  return visitor(tokenOf(answer));
}

function tokenOf(answer: Response): string {
  return /tieout_session=([\w-]{43})/.exec(answer.headers.getSetCookie().join())?.[1] ?? "";
}

let invited = 0;
const someone = (roles: readonly string[] = ["controller", "accountant"]) => ({
  name: `Mallory ${++invited}`,
  email: `mallory-${invited}@example.com`,
  roles,
});

/** Invited with a key. */
async function invite(key: string, roles?: readonly string[]): Promise<{ id: string; link: string }> {
  const { status, json } = await service.send("POST", "/v1/people", key, someone(roles));
  expect(status).toBe(201);
  return json as { id: string; link: string };
}

/** On the page, by whoever looks at it. */
async function inviteOnPage(by: Visitor, roles: string[]): Promise<string> {
  const { name, email } = someone();
  return linkIn(await by.send("/people/invite", { name, email, role: roles }));
}

async function linkIn(answer: Response): Promise<string> {
  expect(answer.status).toBe(200);
  return /\/sign-in\?link=[\w-]{43}/.exec(await answer.text())?.[0] ?? "";
}

let limits = 0;
/** A higher limit, which another person has to approve. */
async function proposeByKey(key: string): Promise<string> {
  const limit = { role: "accountant", currency: `X${++limits}X`, amount: "5000", reason: "more room" };
  expect((await service.send("POST", "/v1/write-off-limits", key, limit)).status).toBe(200);
  return waiting();
}

async function proposeOnPage(by: Visitor): Promise<string> {
  const limit = { role: "accountant", currency: `X${++limits}X`, amount: "5000", reason: "more room" };
  expect((await by.send("/approvals/limit", limit)).status).toBe(303);
  return waiting();
}

async function waiting(): Promise<string> {
  const [row] = await database.db.query<{ id: string }>(
    "select 'apr_' || id as id from tieout.approvals where state = 'proposed' order by approvals.id desc limit 1",
  );
  return row?.id ?? "";
}

const approve = async (by: Visitor, id: string) => (await by.send("/approvals/approve", { id })).status;

/** The parts of the screen for approvals: what waits for the visitor, and what for someone else. */
async function waitingFor(by: Visitor): Promise<{ me: string; others: string }> {
  const [, me = "", others = ""] = /Waiting for me(.*?)(?:Waiting for someone else(.*?))?<\/main>/s.exec(
    await by.read("/approvals"),
  ) ?? [""];
  return { me, others };
}

describe("two people of whom one let the other in", () => {
  test("are told so where the link is made", async () => {
    const { name, email } = someone();
    const page = await (await ada.send("/people/invite", { name, email, role: "controller" })).text();
    expect(page).toContain("cannot sign together");
    expect(page).toContain(`npx tieout people link ${email}`);
  });

  test("are not asked for what they cannot decide, and are told what to do", async () => {
    const mallory = await open(await inviteOnPage(ada, ["controller"]));
    await proposeOnPage(ada);
    const forMallory = await waitingFor(mallory);
    expect(forMallory.me).not.toContain("more room");
    expect(forMallory.others).toContain("your sign-in goes back to a link that they could have opened");
    expect(forMallory.others).not.toContain('action="/approvals/reject"');
    expect(await mallory.read("/overview")).not.toContain("proposed by someone else, for you to decide");
    const id = await proposeOnPage(mallory);
    const forAda = await waitingFor(ada);
    expect(forAda.me).not.toContain(id);
    expect(forAda.others).toContain("their sign-in goes back to a link that you could have opened");
    const refused = await (await ada.send("/approvals/approve", { id })).text();
    expect(refused).toContain("with a link made on the server");
    expect(refused).not.toContain("Ask an admin");
    expect((await ada.send("/approvals/reject", { id, reason: "not now" })).status).toBe(303);
    expect((await waitingFor(bob)).me).toContain("more room");
  });
});

describe("whoever made a link gives no second signature with it", () => {
  test("when they made it with a key of theirs", async () => {
    const mallory = await open((await invite(adaKey)).link);
    expect(await approve(mallory, await proposeByKey(adaKey))).toBe(403);
    expect(await approve(mallory, await proposeOnPage(ada))).toBe(403);
    const [kept] = await database.db.query(
      "select vouched_by from tieout.sessions where vouched_by is not null order by opened_at desc limit 1",
    );
    expect(kept).toEqual({ vouched_by: `person:${adaId}, test` });
  });

  test("when they propose behind the link and approve as themselves", async () => {
    const mallory = await open((await invite(adaKey)).link);
    const id = await proposeOnPage(mallory);
    expect(await approve(ada, id)).toBe(403);
    expect(await approve(bob, id)).toBe(303);
  });

  test("when a passkey was added behind it", async () => {
    const mallory = await open((await invite(adaKey)).link);
    const device = aPasskeyDevice(place());
    const asked = await mallory.send("/passkeys/ask", {});
    const given = { name: "Laptop", answer: device.create((await asked.json()) as { challenge: string }) };
    expect((await mallory.send("/passkeys", given, stateOf(asked))).status).toBe(303);

    const signIn = await fetch(`${place()}/sign-in/passkey/ask`, {
      method: "POST",
      headers: { origin: place() },
      body: new URLSearchParams({}),
    });
    const answer = device.get((await signIn.json()) as { challenge: string });
    const entered = await fetch(`${place()}/sign-in/passkey`, {
      method: "POST",
      redirect: "manual",
      headers: { origin: place(), cookie: stateOf(signIn) },
      body: new URLSearchParams({ answer }),
    });
    const again = visitor(tokenOf(entered));
    expect(again.token).toMatch(/^[\w-]{43}$/);
    expect(await approve(again, await proposeByKey(adaKey))).toBe(403);
    expect(await approve(again, await proposeOnPage(bob))).toBe(303);
  });

  test("when they reach it through someone else's session that they opened as well", async () => {
    const { id: admin, link } = await inviteAdmin();
    const mallory = await open(link);
    const behind = await open(await inviteOnPage(mallory, ["controller"]));
    expect(await approve(behind, await proposeByKey(adaKey))).toBe(403);
    // A link of someone else for the same person: nobody but Bob could have used that.
    const linked = await linkIn(await bob.send("/people/link", { id: admin }));
    expect(await approve(await open(linked), await proposeByKey(adaKey))).toBe(303);
  });

  test("when they sign a month with a key that was made behind it", async () => {
    const { name } = await openMonth(database.db);
    const path = (verb: string) => `/v1/periods/2026-03/${verb}?account=${encodeURIComponent(name)}`;
    const mallory = await open((await inviteAdmin()).link);
    const made = await mallory.send("/settings/keys/make", { name: "mine", role: "controller", days: "30" });
    const key = /tieout_\w{40,}/.exec(await made.text())?.[0] ?? "";
    const prepared = await service.send("POST", path("prepare"), adaKey, {});
    expect(prepared.json).toMatchObject({ state: "prepared" });
    const seen = { pack_sha256: prepared.json["pack_sha256"] };
    const alone = await service.send("POST", path("approve"), key, seen);
    expect([alone.status, alone.json["code"]]).toEqual([409, "period_refused"]);
    expect(alone.json["detail"]).toContain("through a link that the other could have used");
    const other = await aKey(database.db, "controller", { ownerId: await aPerson(database.db, everyRole) });
    expect((await service.send("POST", path("approve"), other, seen)).json).toMatchObject({
      state: "closed",
    });
  });

  test("when the month was prepared behind it", async () => {
    const { name } = await openMonth(database.db);
    const path = (verb: string) => `/v1/periods/2026-03/${verb}?account=${encodeURIComponent(name)}`;
    const mallory = await open((await inviteAdmin()).link);
    const made = await mallory.send("/settings/keys/make", { name: "mine", role: "controller", days: "30" });
    const key = /tieout_\w{40,}/.exec(await made.text())?.[0] ?? "";
    const prepared = await service.send("POST", path("prepare"), key, {});
    const seen = { pack_sha256: prepared.json["pack_sha256"] };
    expect((await service.send("POST", path("approve"), adaKey, seen)).status).toBe(409);
  });

  test("whatever the program does", async () => {
    const mallory = await aPerson(database.db, "controller");
    const id = (await proposeByKey(adaKey)).replace("apr_", "");
    const decide = `update tieout.approvals
      set state = 'approved', decided_by = $2, decided_at = now(), decided_vouched_by = $3 where id = $1`;
    const behind = [id, mallory, `cli:root, person:${adaId}`];
    await expect(database.db.query(decide, behind)).rejects.toMatchObject({ code: "23001" });
    await database.db.query(decide, [id, mallory, "cli:root"]);
  });
});

/** By Ada, as an admin: she is the second, so that nobody has to approve it. */
async function inviteAdmin(): Promise<{ id: string; link: string }> {
  const made = await invite(adaKey, ["controller", "accountant"]);
  await database.db.transaction(async (tx) => {
    await tx.query("select set_config('tieout.roles_given_by', 'cli:root', true)");
    await tx.query(
      "update tieout.people set roles = array['admin', 'controller', 'accountant'] where id = $1",
      [made.id.replace("per_", "")],
    );
  });
  return made;
}

function stateOf(answer: Response): string {
  return (
    (answer.headers.getSetCookie().find((one) => one.startsWith("tieout_asked")) ?? "").split(";")[0] ?? ""
  );
}
