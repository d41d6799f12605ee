import type { ApiContext } from "../api/deps.ts";
import { leaveSealed, takeSealed } from "./sealed-cookie.ts";

/** What an action has to say, and the form that takes it back, where there is one. */
export interface Notice {
  text: string;
  undo: Undo | null;
}

/** Only these take something back. */
const undoActions = [
  "/discrepancies/change",
  "/receipts/lines/unmatch",
  "/statements/lines/match",
  "/statements/lines/split",
  "/statements/lines/unmatch",
] as const;

export interface Undo {
  /** Where the form goes. */
  action: (typeof undoActions)[number];
  fields: Readonly<Record<string, string>>;
}

/**
 * What an action has to say, for the page that follows it. Not in the address: otherwise a link could make the page say
 * anything. `token`: of a session that has only just begun.
 */
export function leaveNotice(c: ApiContext, text: string, undo: Undo | null = null, token?: string): void {
  leaveSealed(c, "notice", { text: text.slice(0, 500), undo } satisfies Notice, token);
}

export function takeNotice(c: ApiContext): Notice | null {
  const notice = takeSealed(c, "notice") as Notice | null;
  if (notice === null) return null;
  return {
    ...notice,
    undo: undoActions.some((action) => action === notice.undo?.action) ? notice.undo : null,
  };
}
