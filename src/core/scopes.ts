/** What a key may do. Every route names one of these; a role is a set of them. */
export const scopes = [
  "transactions:read",
  "reconcile:read",
  "wallets:read",
  "exports:write",
  "statements:write",
  "reconcile:write",
  "sync:write",
  "keys:write",
  "audit:read",
  "metrics:read",
] as const;

export type Scope = (typeof scopes)[number];

/** `custom` has no scopes of its own: only those that were named for the key. */
export const roles = ["viewer", "accountant", "admin", "custom"] as const;

export type Role = (typeof roles)[number];

const viewer: readonly Scope[] = ["transactions:read", "reconcile:read"];
const accountant: readonly Scope[] = [
  ...viewer,
  "wallets:read",
  "exports:write",
  "statements:write",
  "reconcile:write",
];

const scopesOf: Record<Role, readonly Scope[]> = { viewer, accountant, admin: scopes, custom: [] };

/** The scopes of a role and those named beside it, in one order. */
export function effectiveScopes(role: Role, named: readonly string[]): Scope[] {
  return scopes.filter((scope) => scopesOf[role].includes(scope) || named.includes(scope));
}

export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text);
}

export function isRole(text: string): text is Role {
  return (roles as readonly string[]).includes(text);
}
