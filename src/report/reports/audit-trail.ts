import { text, time } from "../column.ts";
import type { Report } from "../report.ts";

export const auditTrail: Report = {
  name: "audit-trail",
  version: 1,
  title: "Audit trail",
  purpose: "Who did what, when and why: every change that a person or a key has made.",
  grain: "One row per entry of the audit log, oldest first.",
  period: { description: "the time of the entry (at)", column: "x.at" },
  needsCoverage: false,
  needs: { scope: "audit:read", wholeService: true },
  account: null,
  filters: { actor: "x.actor", action: "x.action", subject: "x.subject" },
  columns: [
    time("at", "When, by the clock of the database."),
    text("actor", "Who did it: person:…, key:…, cli:… on the command line, or the service."),
    text("action", "What was done."),
    text("subject", "What it was done to."),
    text("before", "What it was before, as JSON; empty if it is new."),
    text("after", "What it became, as JSON."),
    text("reason", "The reason, if one was given."),
    text("actor_name", "Who did it, under the name they had then."),
  ],
  select: (scope) => `
    select x.at, x.actor, x.actor_name, x.action, x.subject, x.before::text as before, x.after::text as after, x.reason, x.number
    from tieout.audit_log as x
    where ${scope.where}`,
  orderBy: "r.number",
};
