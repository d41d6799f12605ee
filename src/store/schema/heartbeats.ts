import { primaryKey, text } from "drizzle-orm/pg-core";
import { tieout, time } from "./columns.ts";

export const heartbeats = tieout.table(
  "heartbeats",
  {
    job: text("job").notNull(),
    worker: text("worker").notNull(),
    databaseAt: time("database_at").notNull(),
    workerAt: time("worker_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.job, table.worker] })],
);
