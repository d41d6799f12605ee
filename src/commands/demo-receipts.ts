import { counted } from "../core/counted.ts";
import { monthOf } from "../core/period.ts";
import { utc } from "../core/zone.ts";
import { importReceipts } from "../reconcile/receipts/import-receipts.ts";
import { reconcileAccount } from "../reconcile/reconcile.ts";
import { listReceiptFiles } from "../store/receipts/receipt-files.ts";
import { type DemoDeps, download } from "./demo-statements.ts";

/** Nothing that is late: a late one of the month before would be in this file, and that month was paid as declared. */
const lastMonthRates = encodeURIComponent("all=0.025,paid_late=0");

interface ListedBankFile {
  bank: string;
  /** `2026-10` */
  period: string;
  file: string;
}

/**
 * What the sandbox's banks say about the payouts of the months that were over at the first start. The earlier months were
 * paid as declared, so that a closed one can be looked at; of the last one something is short, late or missing.
 */
export async function importDemoReceipts(
  deps: DemoDeps,
  account: { id: number; name: string },
): Promise<void> {
  const { context, database, stopping } = deps;
  const { over, missing } = await listBankFiles(deps, account);
  const last = over
    .map(({ period }) => period)
    .toSorted()
    .at(-1);
  let lines = 0;
  let files = 0;
  for (const listed of missing) {
    if (stopping.aborted) return;
    const accepted = await importOne(deps, account, listed, { isLast: listed.period === last });
    if (accepted > 0) files++;
    lines += accepted;
  }
  if (files === 0) return;
  await reconcileAccount(database, account.id, { stopping });
  if (stopping.aborted) return;
  context.say(`Receipts: ${counted(files, "bank file")}, ${counted(lines, "line")}, imported and matched`);
}

async function listBankFiles(
  { database, sandbox }: DemoDeps,
  account: { name: string },
): Promise<{ over: ListedBankFile[]; missing: ListedBankFile[] }> {
  const { files } = JSON.parse((await download(sandbox, "/sandbox/banks")).toString("utf8")) as {
    files: ListedBankFile[];
  };
  const over = files.filter(({ period }) => {
    const month = monthOf(period, utc);
    return month !== null && Date.parse(month.to) <= sandbox.untilMs;
  });
  const held = await listReceiptFiles(
    { database, accountIds: null },
    { account: [account.name] },
    { limit: files.length * 2, after: null },
  );
  const names = new Set(held.rows.map(({ fileName }) => fileName));
  return { over, missing: over.filter((listed) => !names.has(fileNameOf(listed))) };
}

function fileNameOf({ file }: ListedBankFile): string {
  return file.split("/").slice(-2).join("-");
}

async function importOne(
  { context, database, sandbox }: DemoDeps,
  account: { id: number; name: string },
  listed: ListedBankFile,
  { isLast }: { isLast: boolean },
): Promise<number> {
  const bytes = await download(sandbox, `${listed.file}?rates=${isLast ? lastMonthRates : ""}`);
  const source = {
    name: fileNameOf(listed),
    async *bytes() {
      yield bytes;
    },
  };
  try {
    const { file } = await importReceipts({ database, reconcile: false }, source, {
      account,
      format: null,
      profileName: null,
      encoding: null,
      given: { bankAccount: null, currency: null },
      acceptReason: null,
      actor: "demo",
    });
    return file.rowsAccepted;
  } catch (error) {
    // One file must not spoil the first impression; the next start tries it again.
    context.log.warn({ event: "demo_receipts_failed", bank: listed.bank, period: listed.period, err: error });
    return 0;
  }
}
