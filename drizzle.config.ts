import { defineConfig } from "drizzle-kit";

export default defineConfig({
  dialect: "postgresql",
  schema: "./src/store/schema/!(columns).ts",
  out: "./migrations",
  schemaFilter: ["tieout"],
});
