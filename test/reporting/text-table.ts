import type { PoolClient } from "pg";

/** Runs a query and lays its answer out the way psql does; every value is the server's own text. */
export async function queryAsTable(
  client: PoolClient,
  text: string,
): Promise<{ columns: string[]; rows: (string | null)[][]; rowCount: number; table: string }> {
  const { fields, rows } = await client.query<(string | null)[]>({
    text,
    rowMode: "array",
    types: { getTypeParser: () => (value: unknown) => value },
  });
  const columns = fields.map(({ name }) => name);
  const numeric = fields.map(({ dataTypeID }) => numericTypes.has(dataTypeID));
  return { columns, rows, rowCount: rows.length, table: layOut(columns, rows, numeric) };
}

/** smallint, integer, bigint, real, double precision, numeric. */
const numericTypes = new Set([21, 23, 20, 700, 701, 1700]);

function layOut(columns: string[], rows: (string | null)[][], numeric: boolean[]): string {
  const cells = rows.map((row) => row.map((value) => value ?? ""));
  const widths = columns.map((name, index) =>
    Math.max(name.length, ...cells.map((row) => row[index]?.length ?? 0)),
  );
  const line = (values: string[]) =>
    ` ${values
      .map((value, index) =>
        numeric[index] ? value.padStart(widths[index] ?? 0) : value.padEnd(widths[index] ?? 0),
      )
      .join(" | ")}`.trimEnd();
  const rule = widths.map((width) => "-".repeat(width + 2)).join("+");
  const count = rows.length === 1 ? "(1 row)" : `(${rows.length} rows)`;
  return [line(columns), rule, ...cells.map(line), count, ""].join("\n");
}
