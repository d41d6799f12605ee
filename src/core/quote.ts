/** What was given, short enough for a message; a key that was pasted into the wrong place is not repeated. */
export function quote(text: string): string {
  return JSON.stringify(shorten(text));
}

export function shorten(text: string): string {
  const safe = text.replaceAll(/tieout_[0-9A-Za-z_]+/g, "[a key]");
  return safe.length > 60 ? `${safe.slice(0, 60)}…` : safe;
}
