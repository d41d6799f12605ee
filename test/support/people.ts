import { randomBytes } from "node:crypto";
import { openSession } from "../../src/access/sign-in.ts";
import { type Role, rolesOfFirstPerson } from "../../src/core/roles.ts";
import type { Database } from "../../src/store/database.ts";
import { insertPerson } from "../../src/store/people/people.ts";

/** All that a person can be at once. */
export const everyRole = rolesOfFirstPerson;

/** Someone who has been here before; returns their number. */
export async function aPerson(
  database: Database,
  roles: Role | readonly Role[],
  more: { name?: string; email?: string; accountIds?: readonly number[] | null } = {},
): Promise<number> {
  const held = typeof roles === "string" ? [roles] : roles;
  const { name = `a ${held.join(" and ")}`, accountIds = null } = more;
  const email = more.email ?? `${randomBytes(6).toString("hex")}@example.com`;
  return database.transaction(async (tx) => {
    const person = { name, email, roles: held, accountIds, state: "active", createdBy: "test" } as const;
    return (await insertPerson(tx, person)).id;
  });
}

/** The token of a session, as the browser would keep it. */
export async function aSession(database: Database, personId: number): Promise<string> {
  const proof = { method: "link", vouchedBy: null };
  const token = await database.transaction((tx) =>
    openSession(tx, randomBytes, personId, proof, { requestId: "test" }),
  );
  if (token === null) throw new Error("someone who is suspended cannot sign in");
  return token;
}

/** The cookie of someone who is signed in. */
export async function cookieOf(database: Database, personId: number): Promise<string> {
  return `tieout_session=${await aSession(database, personId)}`;
}

/** For tests that are about something else: whoever may write off at all does so alone. */
export async function liftLimits(database: Database): Promise<void> {
  await database.query("update tieout.write_off_limits set amount = 1000000000");
}
