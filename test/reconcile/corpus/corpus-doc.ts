/** The document with the table of one corpus, which stands between two comments, made anew. */
export function withTable(document: string, name: "large" | "small", table: string): string {
  const begin = `<!-- table: ${name} -->\n`;
  const from = document.indexOf(begin);
  const to = document.indexOf("\n<!-- end -->", from);
  if (from < 0 || to < 0) throw new Error(`docs/corpus.md has no place for the table "${name}"`);
  return document.slice(0, from + begin.length) + table + document.slice(to);
}

export const corpusDocument = "docs/corpus.md";
