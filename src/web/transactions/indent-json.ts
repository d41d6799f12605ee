/**
 * JSON text with line breaks and two spaces a level. The text itself is walked, never parsed: a number keeps every digit
 * it was sent with.
 */
export function indentJson(json: string): string {
  let depth = 0;
  let out = "";
  for (const [token] of json.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/g)) {
    if (token === "}" || token === "]") {
      depth--;
      out += isEmptyOpening(out) ? token : `\n${"  ".repeat(depth)}${token}`;
    } else if (token === ",") {
      out += `,\n${"  ".repeat(depth)}`;
    } else if (token === ":") {
      out += ": ";
    } else {
      out += isEmptyOpening(out) ? `\n${"  ".repeat(depth)}${token}` : token;
      if (token === "{" || token === "[") depth++;
    }
  }
  return out;
}

function isEmptyOpening(text: string): boolean {
  return text.endsWith("{") || text.endsWith("[");
}
