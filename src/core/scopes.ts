/** What someone may do. Every route names some of these; `roles.ts` says which of them a role has. */
export const scopes = [
  "transactions:read",
  "reconcile:read",
  "wallets:read",
  "exports:write",
  "statements:write",
  "reconcile:write",
  "approvals:write",
  "settings:write",
  "sync:write",
  "people:read",
  "people:write",
  "keys:write",
  "audit:read",
  "metrics:read",
] as const;

export type Scope = (typeof scopes)[number];

export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text);
}
