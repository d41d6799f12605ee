/** What may stand before the sign that makes a spreadsheet take a text for a formula: spaces, and signs that cannot be seen. */
const formula = /^[\s\u0085\u00ad\u180e\u200b-\u200f\u2060]*[-=+@\t\r\n－＝＋＠]/;

/** A text as a cell of CSV; null differs from an empty text. One that a spreadsheet would run gets an apostrophe. */
export function textCell(text: string | null): string {
  return plainCell(text !== null && formula.test(text) ? `'${text}` : text);
}

/** A number or a time that we wrote ourselves: `-12.50` stays what it is. */
export function plainCell(text: string | null): string {
  if (text === null) return "";
  return text === "" || /[",\r\n]/.test(text) || text !== text.trim()
    ? `"${text.replaceAll('"', '""')}"`
    : text;
}
