import { jsonb, text } from "drizzle-orm/pg-core";
import { bigint, bytes, tieout, time } from "./columns.ts";

export const auditLog = tieout.table("audit_log", {
  number: bigint("number").primaryKey(),
  at: time("at").notNull(),
  actor: text("actor").notNull(),
  /** As it was then: people change their names. */
  actorName: text("actor_name").notNull().default(""),
  action: text("action").notNull(),
  subject: text("subject").notNull(),
  before: jsonb("before"),
  after: jsonb("after"),
  reason: text("reason"),
  requestId: text("request_id"),
  previousHash: bytes("previous_hash").notNull(),
  hash: bytes("hash").notNull(),
});
