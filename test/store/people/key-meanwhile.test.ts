import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createKey, readKey, revokeKey } from "../../../src/store/people/api-keys.ts";
import { isAnyoneWaiting } from "../../support/anyone-waiting.ts";
import { aPerson } from "../../support/people.ts";
import { useTestDatabase } from "../../support/test-database.ts";
import { waitFor } from "../../support/wait-for.ts";
import { wrapDatabase } from "../../support/wrap-database.ts";

const database = useTestDatabase();

test("a key can be revoked while an admin key that replaces it is proposed", async () => {
  const [ada] = [await aPerson(database.db, "admin"), await aPerson(database.db, "admin")];
  const author = { actor: `person:${ada}`, requestId: "r" };
  const wanted = { role: "admin", scopes: [], accountIds: null, expiresInMs: null, ownerId: ada } as const;
  const { held: old } = await createKey(database.db, randomBytes, { ...wanted, name: "old" }, author);
  let revoked: Promise<unknown> | undefined;
  const { held: made } = await createKey(
    wrapDatabase(database.db, async (next, text, values, name) => {
      const rows = await next(text, values, name);
      if (text.includes(`insert into "tieout"."audit_log"`) && revoked === undefined) {
        revoked = revokeKey(database.db, old.id, author);
        await waitFor("the other waits", () => isAnyoneWaiting(database.db));
      }
      return rows;
    }),
    randomBytes,
    { ...wanted, name: "new", replaces: { id: old.id, overlapMs: 1_000 } },
    author,
  );
  await revoked;
  const reader = { database: database.db, accountIds: null };
  expect([made.replaces, (await readKey(reader, old.id))?.revokedAt]).toEqual([old.id, expect.any(String)]);
});
