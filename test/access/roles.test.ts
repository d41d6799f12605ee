import { expect, test } from "vitest";
import type { Caller } from "../../src/access/caller.ts";
import { lackingToGrant, refusalOf } from "../../src/access/decide.ts";
import { effectiveScopes, keyRoles, roles, rolesOfFirstPerson, scopesOfRoles } from "../../src/core/roles.ts";
import { type Scope, scopes } from "../../src/core/scopes.ts";

test("the first person may do everything together, and nobody else's single role does", () => {
  expect(scopesOfRoles(rolesOfFirstPerson)).toEqual([...scopes]);
  for (const role of roles) expect(scopesOfRoles([role]).length).toBeLessThan(scopes.length);
});

test("each role has what its name says", () => {
  expect(scopesOfRoles(["viewer"])).toEqual(["transactions:read", "reconcile:read"]);
  const works: Scope[] = ["statements:write", "reconcile:write"];
  for (const scope of works) {
    expect(scopesOfRoles(["accountant"])).toContain(scope);
    expect(scopesOfRoles(["controller"])).toContain(scope);
    expect(scopesOfRoles(["auditor"])).not.toContain(scope);
    expect(scopesOfRoles(["admin"])).not.toContain(scope);
  }
  for (const role of roles) {
    expect([role, scopesOfRoles([role]).includes("approvals:write")]).toEqual([role, role === "controller"]);
    expect([role, scopesOfRoles([role]).includes("people:write")]).toEqual([role, role === "admin"]);
  }
  // An export is a report that takes longer: nothing of the books is changed by it.
  const written = scopesOfRoles(["auditor"]).filter((scope) => scope.endsWith(":write"));
  expect(written).toEqual(["exports:write"]);
  const reads = scopes.filter((scope) => scope.endsWith(":read"));
  expect(scopesOfRoles(["auditor"])).toEqual(expect.arrayContaining(reads));
});

test("a key with the role admin may do everything; custom has only what was named", () => {
  expect(effectiveScopes("admin", [])).toEqual([...scopes]);
  expect(effectiveScopes("custom", ["audit:read"])).toEqual(["audit:read"]);
  for (const role of keyRoles) expect(effectiveScopes(role, ["metrics:read"])).toContain("metrics:read");
});

const caller = (held: readonly Scope[], accountIds: readonly number[] | null): Caller => ({
  actor: "person:1",
  name: "Ada",
  keyId: null,
  personId: 1,
  personName: null,
  vouchedBy: null,
  scopes: new Set(held),
  accountIds,
});

test("the one decision: all scopes, and no limit where the whole service is concerned", () => {
  const needed = { scopes: ["audit:read", "people:read"] as const, wholeService: true };
  expect(refusalOf(caller(["audit:read"], null), needed)).toEqual({
    kind: "scope_missing",
    missing: ["people:read"],
  });
  expect(refusalOf(caller(["audit:read", "people:read"], [1]), needed)).toEqual({ kind: "limited" });
  expect(refusalOf(caller(["audit:read", "people:read"], null), needed)).toBeNull();
  expect(refusalOf(caller([], [1]), { scopes: [] })).toBeNull();
});

test("nothing can be granted that the granter lacks: scopes and accounts", () => {
  const granter = caller(["transactions:read"], [1, 2]);
  const some = { scopes: ["transactions:read", "audit:read"] as const, accountIds: [1] };
  expect(lackingToGrant(granter, some)).toEqual({ scopes: ["audit:read"], accounts: false });
  expect(lackingToGrant(granter, { scopes: [], accountIds: [3] }).accounts).toBe(true);
  expect(lackingToGrant(granter, { scopes: [], accountIds: null }).accounts).toBe(true);
  expect(lackingToGrant(caller([], null), { scopes: [], accountIds: null }).accounts).toBe(false);
});
