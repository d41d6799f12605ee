/** What a server said may hold anything; Postgres keeps no NUL in a text, and half a surrogate pair has no UTF-8. */
export function storable(text: string): string {
  return text.replaceAll("\u0000", String.raw`\u0000`).toWellFormed();
}
