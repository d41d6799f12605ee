import { z } from "@hono/zod-openapi";
import { auditPaging, type AuditRow, listAudit } from "../../store/people/audit-log.ts";
import type { Api } from "../deps.ts";
import { addList } from "../list.ts";
import { describeObject, time, withMembers } from "../object.ts";
import { several } from "../parameters.ts";
import { jsonWith } from "../present.ts";

const entry = describeObject({
  name: "AuditEntryHead",
  object: "audit_entry",
  members: {
    id: z.string().describe("Its number in the chain; the numbers have no gaps."),
    at: time,
    actor: z.string().describe("`person:…`, `key:…`, `cli:…`, or the service itself."),
    actor_name: z.string().describe("Their name as it was then."),
    action: z.string(),
    subject: z.string(),
    reason: z.string().nullable(),
    request_id: z.string().nullable(),
    previous_hash: z.string(),
    hash: z.string(),
  },
  present: (row: AuditRow) => ({
    id: String(row.number),
    previous_hash: row.previousHash.toString("hex"),
    hash: row.hash.toString("hex"),
  }),
  example: {
    number: 42,
    at: "2026-11-14 09:00:00+00",
    actor: "person:1",
    actorName: "Ada Lovelace",
    action: "key.created",
    subject: "key_x81LmN0p",
    requestId: "4d3f6a52-0d8e-4a8e-9d55-6d2f0a1c9e77",
    previousHash: Buffer.from("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855", "hex"),
    hash: Buffer.from("2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae", "hex"),
  },
});

/** What was there before and after is JSON text in the log, and is handed on as it is. */
const auditEntry = withMembers(
  entry,
  "AuditEntry",
  { before: z.unknown(), after: z.unknown() },
  { before: null, after: { name: "month-end", role: "accountant" } },
);

export function addAuditRoute(api: Api): void {
  addList(
    api,
    {
      path: "/v1/audit",
      operationId: "listAuditEntries",
      summary: "Who did what, newest first",
      description: "Each entry is chained to the one before by its hash; `tieout verify` checks the chain.",
      tag: "Administration",
      access: { scopes: ["audit:read"], wholeService: true },
      filters: {
        actor: several({ description: "Who.", example: "person:1" }),
        action: several({ description: "What was done.", example: "key.created" }),
        subject: several({ description: "To what.", example: "key_3fK9ZQ2b" }),
      },
      name: "AuditList",
      of: auditEntry,
      page: "A page of entries.",
      errors: ["key_limited"],
    },
    ({ reader, query }) => ({
      paging: auditPaging,
      read: (page) => listAudit(reader.database, query, page),
      present: (row) =>
        jsonWith(entry.present(row), { before: row.before ?? "null", after: row.after ?? "null" }),
    }),
  );
}
