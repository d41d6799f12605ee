import type { Child } from "hono/jsx";
import type { Web } from "../deps.ts";

/**
 * One way to prove who you are. A new way is a new row of the table in `methods.ts`: its routes end in `enter` of `enter.ts`, and its
 * offer stands on the sign-in screen.
 */
export interface SignInMethod {
  /** As `sessions.method` and the audit log have it. */
  id: string;
  /** What the sign-in screen shows; `null`: not offered by this installation. `back` is where they wanted to go. */
  offer: (web: Web, back: string) => Child | null;
  /** Routes of its own. */
  add?: (web: Web) => void;
}
