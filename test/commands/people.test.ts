import { expect, test } from "vitest";
import { insertApproval } from "../../src/store/people/approvals.ts";
import { findPersonByEmail } from "../../src/store/people/people.ts";
import { anAccount } from "../api/some-records.ts";
import { aPerson } from "../support/people.ts";
import { runTieout } from "../support/run-tieout.ts";
import { useTestDatabase } from "../support/test-database.ts";

const database = useTestDatabase();
const tieout = (...args: string[]) => runTieout(args, { DATABASE_URL: database.url.reveal() });
const people = (...args: string[]) => tieout("people", ...args);

const grace = ["--name", "Grace Hopper", "--email", "grace@example.com"];

test("the first link makes the first person, and is refused once there is one", async () => {
  const link = await people("link");
  expect(link.stdout).toMatch(/^http:\/\/127\.0\.0\.1:8080\/\S+\n$/);
  expect(link.stderr).toContain(
    "Open it within 15 minutes to become the first person. It is shown only now.",
  );
  await aPerson(database.db, ["admin", "controller"], { name: "Ada", email: "ada@example.com" });
  const late = await people("link");
  expect(late).toMatchObject({ code: 2, stdout: "" });
  expect(late.stderr).toContain("say for whom: tieout people link you@example.com");
});

test("someone is invited, listed, given roles, suspended and let in again", async () => {
  await anAccount(database.db, "eu");
  const invited = await people("invite", ...grace, "--role", "accountant", "--account", "eu", "--json");
  expect(invited).toMatchObject({ code: 0 });
  const shown = JSON.parse(invited.stdout) as { id: string; link: string };
  expect(shown).toMatchObject({
    name: "Grace Hopper",
    roles: ["accountant"],
    accounts: ["eu"],
    state: "invited",
    link: expect.stringMatching(/^http:\/\/127\.0\.0\.1:8080\//) as string,
  });
  expect((await people("list")).stdout).toMatch(
    /per_\d+ {2}Grace Hopper <grace@example\.com> {2}accountant {2}\(invited; accounts eu\)/,
  );
  const changed = await people("roles", "grace@example.com", "--role", "accountant", "controller", "--json");
  // The accounts stay as they were.
  expect(JSON.parse(changed.stdout)).toMatchObject({
    roles: ["accountant", "controller"],
    accounts: ["eu"],
  });
  const out = await people("suspend", shown.id, "--reason", "on leave", "--json");
  expect(JSON.parse(out.stdout)).toMatchObject({ state: "suspended" });
  expect(await people("link", shown.id)).toMatchObject({ code: 1, stdout: "" });
  const back = await people("resume", shown.id, "--json");
  expect(JSON.parse(back.stdout)).toMatchObject({ state: "invited" });
  const again = await people("link", shown.id);
  expect([again.stdout, again.stderr]).toEqual([
    expect.stringMatching(/^http/),
    expect.stringContaining("it signs them in once, within 7 days. It is shown only now."),
  ]);
  const active = await aPerson(database.db, "viewer", { name: "Alan" });
  expect((await people("link", `per_${active}`)).stderr).toContain("in once, within 15 minutes.");
  const [entry] = await database.db.query(
    "select actor, reason from tieout.audit_log where action = 'person.suspended'",
  );
  expect(entry).toEqual({ actor: expect.stringMatching(/^cli:/) as string, reason: "on leave" });
});

test.each([
  [2, ["invite", ...grace], /required option '--role <roles...>'/],
  [2, ["invite", ...grace, "--role", "king"], /--role: expected some of viewer, .*, found "king"/],
  [2, ["invite", ...grace, "--role", "viewer", "--account", "moon"], /--account: there is no account moon/],
  [
    1,
    ["invite", ...grace, "--role", "viewer"],
    /"grace@example\.com" belongs to someone who is here already/,
  ],
  [2, ["roles", "nobody@example.com", "--role", "viewer"], /there is no person nobody@example\.com/],
  [2, ["suspend", "per_999"], /there is no person per_999: see tieout people list/],
  [1, ["suspend", "ada@example.com"], /"Ada" is the only admin: make someone else one first/],
  [1, ["roles", "ada@example.com", "--role", "viewer"], /"Ada" is the only admin/],
])("ends with %i and a clear line for %j", async (code, args, says) => {
  const ended = await people(...args);
  expect(ended).toMatchObject({ code, stdout: "" });
  expect(ended.stderr).toMatch(says);
});

test("the command line makes a third admin without asking, which nobody else does", async () => {
  await aPerson(database.db, "admin", { name: "Alan", email: "alan@example.com" });
  const third = await people("roles", "grace@example.com", "--role", "admin", "--json");
  expect(JSON.parse(third.stdout)).toMatchObject({ roles: ["admin"] });
});

test("a proposal is listed, and decided by another person", async () => {
  const ada = (await findPersonByEmail(database.db, "ada@example.com"))?.id ?? 0;
  await aPerson(database.db, "controller", { name: "Carol", email: "carol@example.com" });
  const propose = (amount: string) =>
    database.db.transaction((tx) =>
      insertApproval(tx, {
        kind: "settings",
        subject: "write-off limit accountant EUR",
        accountId: null,
        details: { write_off_limit: { role: "accountant", currency: "EUR", amount } },
        proposedBy: ada,
        reason: "too many small ones",
      }),
    );
  const id = await propose("250");
  expect((await tieout("approvals", "list")).stdout).toBe(
    `apr_${id}  settings write-off limit accountant EUR  proposed  (proposed by Ada: too many small ones)\n`,
  );
  const decide = (verb: string, approval: string, as: string, ...more: string[]) =>
    tieout("approvals", verb, approval, "--as", as, ...more);
  for (const [code, approval, as, says] of [
    [2, "apr_x", "carol@example.com", /apr_x is not an approval: see tieout approvals list/],
    [2, `apr_${id}`, "eve@example.com", /--as: eve@example\.com is not an active person/],
    [1, `apr_${id}`, "ada@example.com", /you proposed this yourself/],
    [1, `apr_${id}`, "alan@example.com", /deciding this needs approvals:write/],
    [1, "apr_9999", "carol@example.com", /there is no approval 9999/],
  ] as const) {
    const ended = await decide("approve", approval, as);
    expect(ended).toMatchObject({ code, stdout: "" });
    expect(ended.stderr).toMatch(says);
  }
  const approved = await decide("approve", String(id), "carol@example.com", "--json");
  expect(JSON.parse(approved.stdout)).toMatchObject({ state: "approved", decided_by_name: "Carol" });
  const [limit] = await database.db.query(
    "select amount::text from tieout.write_off_limits where role = 'accountant' and currency = 'EUR'",
  );
  expect(limit).toEqual({ amount: "250" });
  const withdrawn = await decide("reject", `apr_${await propose("300")}`, "ada@example.com", "--json");
  expect(JSON.parse(withdrawn.stdout)).toMatchObject({ state: "withdrawn" });
  expect((await tieout("approvals", "list")).stdout).toBe("");
  expect((await tieout("approvals", "list", "--all")).stdout.trim().split("\n")).toHaveLength(2);
});
