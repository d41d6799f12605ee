import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "postgresql",
  // Not columns.ts, which exports the schema itself: the runner creates it, because its ledger lives there, and a second
  // `CREATE SCHEMA` would fail.
  schema: "./src/store/schema/!(columns).ts",
  out: "./migrations",
  schemaFilter: ["tieout"],
});
