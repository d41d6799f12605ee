import { randomBytes } from "node:crypto";
import { describe, expect, test } from "vitest";
import { signInByLink } from "../../src/access/sign-in.ts";
import { prepareKeys } from "../../src/commands/first-key.ts";
import type { CommandContext } from "../../src/commands/context.ts";
import { parseApiKey } from "../../src/core/api-key.ts";
import { aPerson, everyRole } from "../support/people.ts";
import { useTestDatabase } from "../support/test-database.ts";

const baseUrl = "http://127.0.0.1:8080";

describe("a first start", () => {
  const database = useTestDatabase();

  test("that other machines can reach is refused while nobody is there", async () => {
    for (const host of ["0.0.0.0", "192.168.1.7", "::", "example.org"]) {
      const { context, said } = at(host);
      await expect(prepareKeys(context, database.db, baseUrl)).rejects.toMatchObject({
        code: "key_missing",
        message: expect.stringContaining("tieout keys create --name admin --role admin") as string,
      });
      expect(said).toEqual([]);
    }
  });

  test("says an admin key once, a link for as long as nobody is there, and is open to all machines from then on", async () => {
    const first = at("127.0.0.1");
    await prepareKeys(first.context, database.db, baseUrl);
    const [key = "", link = "", ...more] = first.said.map((line) => line.split(": ")[1] ?? "");
    expect(parseApiKey(key)).not.toBeNull();
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:8080\/sign-in\?link=[\w-]{43}$/);
    expect(more).toEqual([]);
    const again = at("::1");
    await prepareKeys(again.context, database.db, baseUrl);
    expect(again.said).toEqual([expect.stringMatching(/^Sign in once, within 15 minutes: http/)]);
    await aPerson(database.db, everyRole);
    for (const host of ["localhost", "::1", "0.0.0.0"]) {
      const later = at(host);
      await prepareKeys(later.context, database.db, baseUrl);
      expect(later.said).toEqual([]);
    }
    expect(await database.db.query("select name, role from tieout.api_keys")).toEqual([
      { name: "first", role: "admin" },
    ]);
  });
});

describe("two processes that start together", () => {
  const database = useTestDatabase();

  test("make one key, and only one person comes of their links", async () => {
    const starts = [at("localhost"), at("localhost"), at("localhost")];
    await Promise.all(starts.map(({ context }) => prepareKeys(context, database.db, baseUrl)));
    const said = starts.flatMap((start) => start.said);
    expect(said.filter((line) => line.startsWith("First key"))).toHaveLength(1);
    const links = said.flatMap((line) => /link=([\w-]{43})$/.exec(line)?.[1] ?? []);
    expect(links).toHaveLength(3);
    const visit = { address: "192.0.2.1", requestId: "test" };
    const outcomes = await Promise.allSettled(
      links.map((link, index) =>
        signInByLink({ database: database.db, randomBytes }, link, visit, {
          name: `Person ${index}`,
          email: `person${index}@example.com`,
        }),
      ),
    );
    const came = outcomes.filter((one) => one.status === "fulfilled" && one.value !== null);
    expect(came).toHaveLength(1);
    expect(await database.db.query("select roles from tieout.people")).toEqual([
      { roles: ["admin", "controller", "accountant"] },
    ]);
  });
});

function at(host: string) {
  const said: string[] = [];
  const context = {
    config: { host },
    say: (line: string) => void said.push(line),
  } as unknown as CommandContext;
  return { context, said };
}
