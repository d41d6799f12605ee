import { createReadStream } from "node:fs";
import { counted, groupDigits } from "../core/counted.ts";
import { discrepancyReview } from "../api/discrepancies/workbook-routes.ts";
import { reviewDiscrepancies } from "../reconcile/review-discrepancies.ts";
import { discrepancyWorkbook } from "../report/discrepancy-workbook.ts";
import { auditExport } from "../store/exports/exports.ts";
import { writeWholeFile } from "../store/files/whole-file.ts";
import { readBookedAt, throwPeriodRefusal } from "./booked-at.ts";
import { chooseAccount } from "./choose-account.ts";
import type { CommandContext } from "./context.ts";
import { sizeOfGiven } from "./given-file.ts";
import { actorName } from "./actor-name.ts";
import { placeToWrite } from "./option-problems.ts";
import { writeOut } from "./write-out.ts";
import { withExistingStore } from "./with-store.ts";

export async function exportDiscrepancies(
  context: CommandContext,
  { out: asked, provider, account }: { out: string; provider?: string; account?: string },
): Promise<void> {
  const out = placeToWrite("--out", asked);
  await withExistingStore(context, async ({ database }) => {
    if (account !== undefined) await chooseAccount(database, account);
    const filters = {
      open: true,
      // In small letters, as the books keep them.
      ...(provider === undefined ? {} : { provider: [provider.toLowerCase()] }),
      ...(account === undefined ? {} : { account: [account] }),
    };
    const { body, rows } = await discrepancyWorkbook({ database, accountIds: null }, filters);
    await auditExport(database, {
      id: "discrepancies workbook",
      actor: actorName(),
      requestId: null,
      action: "report.exported",
      after: { parameters: { provider, account }, format: "xlsx", rows },
    });
    await writeWholeFile(out, body);
    context.say(`${asked}: ${counted(rows, "open discrepancy", "open discrepancies")}`);
  });
}

/** Whether every row was taken. */
export async function takeDiscrepancies(
  context: CommandContext,
  file: string,
  { preview, json, bookedAt }: { preview: boolean; json: boolean; bookedAt?: string },
): Promise<boolean> {
  const booking = readBookedAt(bookedAt);
  await sizeOfGiven(file);
  return withExistingStore(context, async ({ database }) => {
    const request = {
      reader: { accountIds: null },
      actor: actorName(),
      requestId: "command line",
      preview,
      bookedAt: booking,
    };
    const bytes = createReadStream(file);
    const outcome = await reviewDiscrepancies(database, bytes, request).catch(throwPeriodRefusal);
    const shown = discrepancyReview.present(outcome, preview);
    if (json) writeOut(`${JSON.stringify(shown)}\n`);
    else {
      const { read, changed, unchanged, refused } = shown.rows;
      const done = preview ? "would be changed" : "changed";
      const [moved, left, barred] = [changed, unchanged, refused].map(groupDigits);
      writeOut(`${counted(read, "row")}: ${moved} ${done}, ${left} unchanged, ${barred} refused\n`);
      for (const one of shown.changed) writeOut(`  row ${one.row} ${one.id}: ${one.actions.join(", ")}\n`);
      for (const one of shown.refused) writeOut(`  row ${one.row} ${one.id ?? ""}: refused, ${one.reason}\n`);
    }
    return outcome.refused.length === 0;
  });
}
