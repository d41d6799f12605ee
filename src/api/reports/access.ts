import type { Caller } from "../../access/caller.ts";
import { refusalOf } from "../../access/decide.ts";
import type { Report } from "../../report/report.ts";
import { refusalProblem } from "../access-problem.ts";

/** Some reports tell more than transactions: their scope is needed beside that of the route. */
export function requireReport(caller: Caller, report: Report): void {
  const refusal = report.needs && refusalOf(caller, neededBy(report.needs));
  if (refusal) throw refusalProblem(refusal, caller, `The report ${report.name}`);
}

/** Whether someone may ask for it. */
export function isReadable(caller: Caller, report: Report): boolean {
  return report.needs === undefined || refusalOf(caller, neededBy(report.needs)) === null;
}

/** Whether someone who did not ask for it may have the file. */
export function mayRead(caller: Pick<Caller, "scopes">, report: Report | null): boolean {
  return report?.needs === undefined || caller.scopes.has(report.needs.scope);
}

function neededBy({ scope, wholeService = false }: NonNullable<Report["needs"]>) {
  return { scopes: [scope], wholeService };
}
