import { utc } from "../core/zone.ts";
import type { Snapshot } from "../store/exports/copy-report.ts";
import type { ChecklistPart, ChecklistScope } from "../store/periods/checklist-sql.ts";
import { readRows } from "./report-rows.ts";

/** Whether every balance follows from its movements. The report is a row per provider and currency, so all of it is read. */
export async function receivableParts(
  snapshot: Snapshot,
  scope: ChecklistScope & { account: string },
): Promise<ChecklistPart[]> {
  const rows = await readRows(snapshot, "receivable", { ...scope, zone: utc });
  const providers = new Map<string, ChecklistPart>();
  for (const row of rows) {
    const provider = String(row["provider"]);
    const part = providers.get(provider) ?? newPart(provider);
    providers.set(provider, part);
    part.total += 1;
    if (String(row["unexplained"]) === "0") continue;
    part.left += 1;
    part.state = "red";
    part.figures = { unexplained: part.left };
    part.amounts.push({ currency: String(row["currency"]), amount: String(row["unexplained"]) });
  }
  return [...providers.values()];
}

function newPart(provider: string): ChecklistPart {
  return { provider, total: 0, left: 0, state: "green", amounts: [], figures: { unexplained: 0 } };
}
