import type { Report } from "../report/report.ts";
import type { Caller } from "./caller.ts";
import { problem } from "./problem.ts";

/** Some reports tell more than transactions: a key needs their scope beside that of the route. */
export function requireReport(caller: Caller, report: Report): void {
  const scope = report.needs?.scope;
  if (scope !== undefined && !caller.scopes.has(scope)) {
    const detail = `The report ${report.name} needs the scope ${scope}, and this key lacks it. Use a key whose role has it, or make one with --scope.`;
    throw problem("scope_missing", detail, { scopes: [scope] });
  }
  if (report.needs?.wholeService === true && caller.accountIds !== null) {
    throw problem(
      "key_limited",
      `The report ${report.name} concerns all accounts, and the key is limited to some. Use a key without a limit.`,
    );
  }
}

/** Whether a key that did not ask for it may have the file. */
export function mayRead(caller: Caller, report: Report | null): boolean {
  return report?.needs === undefined || caller.scopes.has(report.needs.scope);
}
