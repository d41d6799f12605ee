import { type Scope, scopes } from "./scopes.ts";

/** What people are to the company. A person may have several; the table below says what each may do. */
export const roles = ["viewer", "accountant", "controller", "auditor", "admin"] as const;

export type Role = (typeof roles)[number];

const viewer: readonly Scope[] = ["transactions:read", "reconcile:read"];
const accountant: readonly Scope[] = [
  ...viewer,
  "wallets:read",
  "exports:write",
  "statements:write",
  "reconcile:write",
];

export const scopesOfRole: Readonly<Record<Role, readonly Scope[]>> = {
  /** Reads. */
  viewer,
  /** Works: imports, matches, decides. */
  accountant,
  /** Works as well, approves what others propose, and says how things are reckoned. */
  controller: [...accountant, "approvals:write", "settings:write", "sync:write", "people:read"],
  /** Reads everything and changes nothing. An export is a report that takes longer to read. */
  auditor: [...viewer, "wallets:read", "exports:write", "audit:read", "people:read", "metrics:read"],
  /** Looks after people, keys and settings. A person who also does the books has another role beside this one. */
  admin: [
    "people:read",
    "people:write",
    "keys:write",
    "settings:write",
    "sync:write",
    "audit:read",
    "metrics:read",
  ],
};

/** The first person must be able to do everything, and to let the next one in. */
export const rolesOfFirstPerson: readonly Role[] = ["admin", "controller", "accountant"];

/** What all of someone's roles allow together, in one order. */
export function scopesOfRoles(held: readonly Role[]): Scope[] {
  return scopes.filter((scope) => held.some((role) => scopesOfRole[role].includes(scope)));
}

export function isRole(text: string): text is Role {
  return (roles as readonly string[]).includes(text);
}

/** Keys have one role, or `custom`: only the scopes that were named for the key. */
export const keyRoles = [...roles, "custom"] as const;

export type KeyRole = (typeof keyRoles)[number];

/**
 * The scopes of a key: those of its role and those named beside it, in one order. A machine has no second role to do
 * other things with, so a key with the role admin may do everything.
 */
export function effectiveScopes(role: KeyRole, named: readonly string[]): Scope[] {
  if (role === "admin") return [...scopes];
  const held: readonly string[] = role === "custom" ? named : [...scopesOfRole[role], ...named];
  return scopes.filter((scope) => held.includes(scope));
}

/** What only admins may do: a person who lets people in or makes keys could give themselves any other right as well. */
const adminScopes = scopesOfRole.admin.filter((scope) =>
  roles.every((role) => role === "admin" || !scopesOfRole[role].includes(scope)),
);

/** Whether a key may do what only admins may, whichever way it came by it. The database knows these scopes as well. */
export function isAdminKey(role: KeyRole, named: readonly string[]): boolean {
  return role === "admin" || adminScopes.some((scope) => named.includes(scope));
}

export function isKeyRole(text: string): text is KeyRole {
  return (keyRoles as readonly string[]).includes(text);
}
