import { expect, test } from "vitest";
import { parseApiKey } from "../../src/core/api-key.ts";
import { runTieout } from "../support/run-tieout.ts";
import { useTestDatabase } from "../support/test-database.ts";

const database = useTestDatabase();

test("a key is printed once, listed without its secret, and revoked", async () => {
  const made = await keys(
    "create",
    "--name",
    "month-end",
    "--role",
    "accountant",
    "--expires",
    "90d",
    "--json",
  );
  expect(made).toMatchObject({ code: 0, stderr: "" });
  const shown = JSON.parse(made.stdout) as { key: string; id: string; role: string; expires_at: string };
  expect(parseApiKey(shown.key)?.id).toBe(shown.id.slice(4));
  expect(shown).toMatchObject({ role: "accountant", expires_at: expect.stringMatching(/Z$/) as string });

  const listed = await keys("list", "--json");
  expect(listed.stdout).toContain(shown.id);
  expect(listed.stdout).not.toContain(shown.key.slice(16));

  const revoked = await keys("revoke", shown.id, "--json");
  expect(JSON.parse(revoked.stdout)).toMatchObject({
    id: shown.id,
    revoked_at: expect.any(String) as string,
  });
  expect((await keys("list")).stdout).toMatch(
    /accountant {2}month-end {2}\(all accounts; expires .*; revoked /,
  );
});

test("without --json the key stands alone on stdout, and the words about it on stderr", async () => {
  const { stdout, stderr } = await keys("create", "--name", "prometheus", "--scope", "metrics:read");
  expect(parseApiKey(stdout.trim())).not.toBeNull();
  expect(stderr).toMatch(/custom {2}prometheus {2}\(all accounts; expires [^)]*\)\. It is shown only now\./);
});

test.each([
  [["create"], /required option '--name <name>'/],
  [
    ["create", "--name", "x", "--role", "king"],
    /--role: expected one of viewer, accountant, controller, auditor, admin, custom, found "king"/,
  ],
  [["create", "--name", "x", "--scope", "all"], /--scope: expected one of transactions:read/],
  [["create", "--name", "x", "--expires", "90"], /--expires: expected a duration such as 90d, found "90"/],
  [
    ["create", "--name", "x", "--account", "nobody"],
    /--account: there is no account nobody; the accounts are none yet/,
  ],
  [["revoke", "key_00000000"], /there is no key key_00000000: see tieout keys list/],
])("refuses %j with a clear line", async (args, says) => {
  const { code, stdout, stderr } = await keys(...args);
  expect([code, stdout]).toEqual([2, ""]);
  expect(stderr).toMatch(says);
});

test("help of each shows two examples", async () => {
  for (const command of [[], ["create"], ["list"], ["revoke"]]) {
    const { stdout } = await runTieout(["keys", ...command, "--help"]);
    expect(stdout).toMatch(/Examples:\n {2}tieout keys.*\n {2}tieout keys/);
  }
});

function keys(...args: string[]) {
  return runTieout(["keys", ...args], { DATABASE_URL: database.url.reveal() });
}
