import assert from "node:assert";

/**
 * Statements with named parameters, in psql's own notation: `:account_id` and, for text, `:'provider'`. So a statement can
 * be pasted into psql as it stands, after `\set account_id 1`.
 */
export function bindNamed(
  text: string,
  given: Readonly<Record<string, unknown>>,
): { text: string; values: unknown[] } {
  const names: string[] = [];
  const bound = text.replaceAll(/(?<![:\w]):(?:'([a-z_]+)'|([a-z_]+))/g, (_, quoted, plain) => {
    const name = (quoted ?? plain) as string;
    assert(name in given, `the statement names ${name}, which is not given`);
    const at = names.indexOf(name);
    return `$${at < 0 ? names.push(name) : at + 1}${typeOf(given[name])}`;
  });
  return { text: bound, values: names.map((name) => given[name]) };
}

/** What psql's notation says by its quotes: a text, or a number as it stands. */
function typeOf(value: unknown): string {
  if (typeof value === "string") return "::text";
  return typeof value === "number" ? "::int" : "";
}
