/**
 * Whether a text fits a pattern in which `*` stands for anything, in upper or lower case. Part after part, each where it first
 * occurs: an expression with many stars would try all ways to divide a long text, and patterns and texts come from outside.
 */
export function wildcard(pattern: string): (text: string) => boolean {
  const [first = "", ...parts] = pattern.toLowerCase().split("*");
  const last = parts.pop();
  return (text) => {
    const given = text.toLowerCase();
    if (last === undefined) return given === first;
    if (!given.startsWith(first) || !given.endsWith(last)) return false;
    let at = first.length;
    for (const part of parts) {
      const found = given.indexOf(part, at);
      if (found < 0) return false;
      at = found + part.length;
    }
    return at <= given.length - last.length;
  };
}
