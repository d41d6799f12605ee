import { randomBytes } from "node:crypto";
import type { KeyRole, Role } from "../../../src/core/roles.ts";
import type { Database } from "../../../src/store/database.ts";
import { createKey } from "../../../src/store/people/api-keys.ts";
import { csrfTokenOf } from "../../../src/web/session-cookie.ts";
import { aPerson, aSession, everyRole } from "../people.ts";
import type { Guise } from "./requests.ts";

const roles = ["viewer", "accountant", "controller", "auditor", "admin"] as const;

/** People of every role, someone with all of them, someone who sees one account, and a stranger: so many of each. */
export async function gatherCrowd(database: Database, each: number): Promise<Guise[]> {
  const crowd: Guise[] = [];
  for (let number = 0; number < each; number += 1) {
    for (const role of roles) crowd.push(await aGuise(database, role, [role], null));
    crowd.push(await aGuise(database, "everything", everyRole, null));
    crowd.push(await aGuise(database, "limited", everyRole, [1]));
    crowd.push({ name: "stranger", key: null, cookie: null, csrf: "" });
    crowd.push({ name: "pretender", key: `tieout_${"x".repeat(45)}`, cookie: "tieout_session=x", csrf: "x" });
  }
  return crowd;
}

export async function aGuise(
  database: Database,
  name: string,
  held: readonly Role[],
  accountIds: readonly number[] | null,
): Promise<Guise> {
  const token = await aSession(database, await aPerson(database, held, { name, accountIds }));
  const role: KeyRole = held.includes("admin") ? "admin" : (held[0] as KeyRole);
  const wanted = { name, role, scopes: [], accountIds, expiresInMs: null };
  const { key } = await createKey(database, randomBytes, wanted, { actor: "test" });
  return { name, key, cookie: `tieout_session=${token}`, csrf: csrfTokenOf(token) };
}
