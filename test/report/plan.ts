import assert from "node:assert/strict";
import { openReport } from "../../src/report/open-report.ts";
import type { ReportRequest } from "../../src/report/parameters.ts";
import { reportStatement } from "../../src/report/report-sql.ts";
import type { Database } from "../../src/store/database.ts";
import { inlineValues, withSnapshot } from "../../src/store/exports/copy-report.ts";
import { seesAll } from "./books.ts";

/** What Postgres did for a report, step by step. */
export interface Plan {
  "Node Type": string;
  "CTE Name"?: string;
  "Relation Name"?: string;
  "Actual Rows": number;
  "Actual Loops": number;
  "Index Searches"?: number;
  "Rows Removed by Filter"?: number;
  Plans?: Plan[];
}

export async function planOfReport(database: Database, request: ReportRequest): Promise<Plan> {
  const options = { statementTimeoutMs: 60_000 };
  const [row] = await withSnapshot(database, options, async (snapshot) => {
    const opened = await openReport(snapshot, request, seesAll);
    const statement = reportStatement(opened, { sums: false, rowsMax: null });
    return snapshot.query<{ "QUERY PLAN": [{ Plan: Plan }] }>(
      `explain (analyze, format json) ${inlineValues(statement)}`,
    );
  });
  assert(row !== undefined);
  return row["QUERY PLAN"][0].Plan;
}

const sumOver = (plan: Plan, table: string, figure: (part: Plan) => number): number =>
  (plan.Plans ?? []).reduce(
    (sum, part) => sum + sumOver(part, table, figure),
    plan["Relation Name"] === table ? figure(plan) : 0,
  );

/** How many rows of a table a plan has looked at, whether or not it took them. */
export function rowsRead(plan: Plan, table: string): number {
  return sumOver(
    plan,
    table,
    (part) => (part["Actual Rows"] + (part["Rows Removed by Filter"] ?? 0)) * part["Actual Loops"],
  );
}

/** How often a plan has looked something up in a table. */
export function lookUps(plan: Plan, table: string): number {
  return sumOver(plan, table, (part) => part["Index Searches"] ?? part["Actual Loops"]);
}
