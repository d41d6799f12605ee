import type { Handler } from "./handler.ts";

/**
 * Writes the newest entry of the audit log into the log of the service, so that it also lives where those who could
 * change the database cannot: `verify --audit-head` compares the two.
 */
export const auditHead: Handler<"audit-head"> = async (deps) => {
  const { head, problems } = await deps.keepAuditHead();
  if (head !== null) deps.log.info({ event: "audit_head", head });
  for (const problem of problems) deps.log.error({ event: "audit_log_cut_off", ...problem });
};
