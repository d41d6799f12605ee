import { getCookie, setCookie } from "hono/cookie";
import { findZone } from "../core/zone.ts";
import type { ApiContext } from "../api/deps.ts";

/** How a person likes to see the page. Kept in a cookie, so that the first byte of a page is right already. */
export interface Preferences {
  theme: "system" | "light" | "dark";
  /** Times are shown in this zone. */
  zone: string;
  shortcuts: "on" | "off";
}

const standardPreferences: Preferences = { theme: "system", zone: "UTC", shortcuts: "on" };

const cookieName = "tieout_view";
const keptSeconds = 365 * 24 * 60 * 60;

export function readPreferences(c: ApiContext): Preferences {
  return choose(standardPreferences, new URLSearchParams(getCookie(c, cookieName) ?? ""));
}

/** What a form asks for, where that is something we have; everything else stays. */
export function choose(held: Preferences, wanted: URLSearchParams): Preferences {
  const theme = wanted.get("theme");
  const shortcuts = wanted.get("shortcuts");
  return {
    theme: theme === "system" || theme === "light" || theme === "dark" ? theme : held.theme,
    zone: findZone(wanted.get("zone") ?? "")?.name ?? held.zone,
    shortcuts: shortcuts === "on" || shortcuts === "off" ? shortcuts : held.shortcuts,
  };
}

export function keepPreferences(c: ApiContext, preferences: Preferences): void {
  setCookie(c, cookieName, new URLSearchParams({ ...preferences }).toString(), {
    path: "/",
    httpOnly: true,
    sameSite: "Lax",
    maxAge: keptSeconds,
  });
}
