import assert from "node:assert";

/**
 * Statements with named parameters, in psql's own notation: `:account_id` and, for text, `:'provider'`. So a statement can
 * be pasted into psql as it stands, after `\set account_id 1`.
 */
export function bindNamed(
  text: string,
  given: Readonly<Record<string, unknown>>,
): { text: string; values: unknown[] } {
  const parameters: string[] = [];
  const values: unknown[] = [];
  // A value is given with the type that the statement casts it to: as a text, it would be read anew for every row.
  const named = /(?<![:\w]):(?:'([a-z_]+)'|([a-z_]+))(::[a-z_]+(?:\[\])?)?/g;
  const bound = text.replaceAll(named, (_, quoted, plain, cast) => {
    const name = (quoted ?? plain) as string;
    assert(name in given, `the statement names ${name}, which is not given`);
    const type = (cast as string | undefined) ?? typeOf(given[name]);
    const parameter = name + type;
    if (!parameters.includes(parameter)) {
      parameters.push(parameter);
      values.push(given[name]);
    }
    return `$${parameters.indexOf(parameter) + 1}${type}`;
  });
  return { text: bound, values };
}

/** What psql's notation says by its quotes: a text, or a number as it stands. */
function typeOf(value: unknown): string {
  if (typeof value === "string") return "::text";
  return typeof value === "number" ? "::int" : "";
}
