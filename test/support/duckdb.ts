import { DuckDBInstance } from "@duckdb/node-api";

/** Asks a DuckDB of its own; every value as it prints it. */
export async function askDuckDb(...statements: string[]): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    await connection.run("set TimeZone = 'UTC'");
    let rows: Record<string, unknown>[] = [];
    for (const statement of statements)
      rows = (await connection.runAndReadAll(statement)).getRowObjectsJson();
    return rows;
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
