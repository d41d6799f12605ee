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
    { name: "at", type: "time", description: "When, by the clock of the database." },
    {
      name: "actor",
      type: "text",
      description: "Who did it: person:…, key:…, cli:… on the command line, or the service.",
    },
    { name: "action", type: "text", description: "What was done." },
    { name: "subject", type: "text", description: "What it was done to." },
    { name: "before", type: "text", description: "What it was before, as JSON; empty if it is new." },
    { name: "after", type: "text", description: "What it became, as JSON." },
    { name: "reason", type: "text", description: "The reason, if one was given." },
    { name: "actor_name", type: "text", description: "The name of whoever did it, as it was then." },
  ],
  select: (scope) => `
    select x.at, x.actor, x.actor_name, x.action, x.subject, x.before::text as before, x.after::text as after, x.reason, x.number
    from tieout.audit_log as x
    where ${scope.where}`,
  orderBy: "r.number",
};
