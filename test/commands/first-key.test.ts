import { describe, expect, test } from "vitest";
import { prepareKeys } from "../../src/commands/first-key.ts";
import type { CommandContext } from "../../src/commands/context.ts";
import { parseApiKey } from "../../src/core/api-key.ts";
import { useTestDatabase } from "../support/test-database.ts";

const baseUrl = "http://127.0.0.1:8080";

describe("a first start", () => {
  const database = useTestDatabase();

  test("that other machines can reach is refused while there is no key", async () => {
    for (const host of ["0.0.0.0", "192.168.1.7", "::", "example.org"]) {
      const { context, said } = at(host);
      await expect(prepareKeys(context, database.db, baseUrl)).rejects.toMatchObject({
        code: "key_missing",
        message: expect.stringContaining("tieout keys create --name admin --role admin") as string,
      });
      expect(said).toEqual([]);
    }
  });

  test("says an admin key and a sign-in link once, and is open to all machines from then on", async () => {
    const first = at("127.0.0.1");
    await prepareKeys(first.context, database.db, baseUrl);
    const [key = "", link = "", ...more] = first.said.map((line) => line.split(": ")[1] ?? "");
    expect(parseApiKey(key)).not.toBeNull();
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:8080\/sign-in\?link=[\w-]{43}$/);
    expect(more).toEqual([]);
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

  test("make one key and one link", async () => {
    const starts = [at("localhost"), at("localhost"), at("localhost")];
    await Promise.all(starts.map(({ context }) => prepareKeys(context, database.db, baseUrl)));
    expect(starts.flatMap(({ said }) => said)).toHaveLength(2);
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
