import type { Caller } from "../access/caller.ts";

/** How the pieces of our objects are spelled. */

/** Whether the reader may see wallet addresses in full. */
export interface Sight {
  wallets: boolean;
}

export function sightOf({ scopes }: Pick<Caller, "scopes">): Sight {
  return { wallets: scopes.has("wallets:read") };
}

/** The database's own text of a time, as ISO 8601 with milliseconds and `Z`. */
export function isoTime(text: string): string;
export function isoTime(text: string | null): string | null;
export function isoTime(text: string | null): string | null {
  if (text === null) return null;
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fractionOf(text).slice(0, 3).padEnd(3, "0")}Z`;
}

/** The same with all the digits there are: three, or up to six when more were sent. */
export function exactIsoTime(text: string): string {
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fractionOf(text).padEnd(3, "0")}Z`;
}

function fractionOf(text: string): string {
  return text[19] === "." ? text.slice(20, text.lastIndexOf("+")) : "";
}

/** Enough to recognise an address by, and not enough to look it up. */
export function maskWallet(address: string | null): string | null {
  if (address === null || address === "") return address;
  return address.length <= 8 ? "…" : `${address.slice(0, 4)}…${address.slice(-4)}`;
}

/** A text from elsewhere, with the wallets in it masked. */
export function maskWalletsIn(text: string | null): string | null {
  return text === null ? null : text.replaceAll(/[A-Za-z0-9]{26,}/g, (word) => maskWallet(word) ?? "");
}

/** An object with further members that are JSON text already. */
export function jsonWith(object: object, members: Readonly<Record<string, string>>): string {
  let text = JSON.stringify(object).slice(0, -1);
  for (const [name, json] of Object.entries(members)) text += `,${JSON.stringify(name)}:${json}`;
  return `${text}}`;
}

export function windowId(id: string | number): string {
  return `win_${id}`;
}
