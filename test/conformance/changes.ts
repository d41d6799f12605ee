import type { Json } from "./wrong-server.ts";

/** Small ways to spoil one object of an answer. */
export type Change = (item: Json) => unknown;

export function without(field: string): Change {
  return (item) => Object.fromEntries(Object.entries(item).filter(([name]) => name !== field));
}

export function setting(fields: Record<string, unknown>): Change {
  return (item) => ({ ...item, ...fields });
}

export function rewriting(field: string, change: (value: string) => unknown): Change {
  return (item) => {
    const value: unknown = item[field];
    return { ...item, [field]: change(String(value)) };
  };
}

export function asText(field: string): Change {
  return rewriting(field, (value) => value);
}

export function list(value: Json | undefined): Json[] {
  return Array.isArray(value) ? (value as Json[]) : [];
}
