import { randomBytes } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { describe, expect, test } from "vitest";
import { linkForPerson } from "../../src/access/people.ts";
import { hasFailedTooOften, makeFirstLink, makeLink, signInByLink } from "../../src/access/sign-in.ts";
import { scopesOfRoles } from "../../src/core/roles.ts";
import { suspendPerson } from "../../src/store/people/people.ts";
import { isAnyoneWaiting } from "../support/anyone-waiting.ts";
import { aPerson, aSession, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";
import { waitFor } from "../support/wait-for.ts";
import { wrapDatabase } from "../support/wrap-database.ts";

const ada = { name: " Ada  Lovelace ", email: "ada@example.com" };
const nobody = { name: "", email: "" };
const visit = { address: "192.0.2.9", requestId: "r-1" };

describe("the first link", () => {
  const database = useTestDatabase();
  const deps = () => ({ database: database.db, randomBytes });

  test("stays good when the name or e-mail is no good, and then makes the first person", async () => {
    const link = (await makeFirstLink(database.db, randomBytes)) ?? "";
    for (const wrong of [nobody, { name: "Ada", email: "ada" }, { name: "\t", email: "a@b" }]) {
      await expect(signInByLink(deps(), link, visit, wrong)).rejects.toMatchObject({
        code: "person_invalid",
      });
    }
    expect(await signInByLink(deps(), link, visit, ada)).toMatch(/^[\w-]{43}$/);
    expect(await database.db.query("select name, email, roles, state from tieout.people")).toEqual([
      { name: "Ada Lovelace", email: "ada@example.com", roles: [...everyRole], state: "active" },
    ]);
    const audit = await database.db.query(
      "select actor, actor_name, action from tieout.audit_log order by number",
    );
    expect(audit).toEqual([
      { actor: "person:1", actor_name: "Ada Lovelace", action: "person.first" },
      { actor: "person:1", actor_name: "Ada Lovelace", action: "session.opened" },
    ]);
    expect(await signInByLink(deps(), link, visit, ada)).toBeNull();
    expect(await makeFirstLink(database.db, randomBytes)).toBeNull();
  });

  test("keeps neither a password nor a token", async () => {
    const columns = await database.db.query<{ name: string }>(
      `select column_name as name from information_schema.columns
       where table_schema = 'tieout' and table_name in ('people', 'sessions', 'sign_in_links')`,
    );
    expect(columns.filter(({ name }) => /password|secret|^token$/.test(name))).toEqual([]);
  });
});

describe("a link for someone", () => {
  const database = useTestDatabase();
  const deps = () => ({ database: database.db, randomBytes });
  const linkFor = (personId: number) =>
    database.db.transaction((tx) =>
      makeLink(tx, randomBytes, { purpose: "sign_in", personId, createdBy: "person:7" }),
    );

  test("opens a session, also while an admin makes another one", async () => {
    const person = await aPerson(database.db, "viewer");
    const link = await linkFor(person);
    const steps = new EventEmitter();
    const held = once(steps, "held");
    const slow = wrapDatabase(database.db, async (next, text, values, name) => {
      // The link is used up by now, and the person not yet active.
      if (text.startsWith(`update "tieout"."people"`)) {
        steps.emit("held");
        await waitFor("the admin waits", () => isAnyoneWaiting(database.db));
      }
      return next(text, values, name);
    });
    const signingIn = signInByLink({ database: slow, randomBytes }, link, visit, nobody);
    await Promise.race([held, signingIn]);
    const granter = {
      actor: "cli:root",
      personId: null,
      vouchedBy: null,
      scopes: new Set(scopesOfRoles(everyRole)),
      accountIds: null,
    };
    const [session, { token }] = await Promise.all([
      signingIn,
      linkForPerson({ database: database.db, randomBytes, granter }, person),
    ]);
    expect([session, token]).toEqual([expect.any(String), expect.any(String)]);
    await database.db.query("delete from tieout.sessions");
  });

  test("takes the place of the one before, and says who vouched", async () => {
    const person = await aPerson(database.db, "viewer");
    const [first, second] = [await linkFor(person), await linkFor(person)];
    expect(await signInByLink(deps(), first, visit, nobody)).toBeNull();
    expect(await signInByLink(deps(), second, visit, nobody)).not.toBeNull();
    expect(await database.db.query("select vouched_by, method from tieout.sessions")).toEqual([
      { vouched_by: "person:7", method: "link" },
    ]);
  });

  test("lets nobody in who is suspended, and a session that has ended stays so", async () => {
    const person = await aPerson(database.db, "viewer");
    await aSession(database.db, person);
    const link = await linkFor(person);
    await database.db.transaction((tx) => suspendPerson(tx, person));
    expect(await signInByLink(deps(), link, visit, nobody)).toBeNull();
    await expect(
      database.db.query("update tieout.sessions set ended_at = null where person_id = $1", [person]),
    ).rejects.toMatchObject({ code: "23001" });
  });

  test("that is wrong is counted by address, in the database that all processes share", async () => {
    const address = "192.0.2.44";
    for (let tries = 0; tries < 20; tries++) {
      expect(await hasFailedTooOften(database.db, address)).toBe(false);
      await signInByLink(deps(), "x".repeat(43), { ...visit, address }, nobody);
    }
    expect(await hasFailedTooOften(database.db, address)).toBe(true);
    expect(await hasFailedTooOften(database.db, "192.0.2.45")).toBe(false);
  });
});
