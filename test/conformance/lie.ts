import { type Change, list } from "./changes.ts";
import type { Fault, Json } from "./wrong-server.ts";

/** A lie that is told alone, and the one check that is about it. */
export function lie(
  check: string,
  name: string,
  at: RegExp,
  told: Pick<Fault, "ask" | "answer" | "serve">,
): Fault {
  return { name, at, reports: [check], ...told };
}

/** A lie about every element of a list under `message`. */
export function listed(check: string, name: string, at: RegExp, change: Change): Fault {
  return lie(check, name, at, { answer: ({ message }) => ({ message: list(message).map(change) }) });
}

/** Every value of an object changed, its keys kept. */
export function keyed(values: Json | undefined, change: Change): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values ?? {}).map(([key, value]) => [key, change(value)]));
}
