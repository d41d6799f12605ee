import { TieoutError } from "../core/errors.ts";
import { type AuditHead, parseAuditHead } from "../store/people/audit-head.ts";
import { readFindings } from "../store/windows/deep-reads.ts";
import { syncOnce } from "../sync/sync-once.ts";
import { planDeepRead } from "../sync/plan-account.ts";
import { verify as verifyStore } from "../sync/verify.ts";
import type { CommandContext } from "./context.ts";
import { openAccounts } from "./open-accounts.ts";
import { openStore, type Store } from "./open-store.ts";
import { openSyncDatabase, syncDeps } from "./sync-deps.ts";

export interface VerifyOptions {
  from?: string;
  to?: string;
  deep: boolean;
  json: boolean;
  auditHead?: string;
}

const deepDays = 90;

/** True when every hash, digest, latest row, coverage and audit entry is what it should be. */
export async function verify(context: CommandContext, options: VerifyOptions): Promise<boolean> {
  const auditHeads = readAuditHeads(options.auditHead);
  const store = await openStore(context, { migrate: false });
  try {
    const period = {
      ...(options.from ? { from: options.from } : {}),
      ...(options.to ? { to: options.to } : {}),
    };
    const findings = options.deep ? await readAgain(context, store) : [];
    const report = await verifyStore(store.database, {
      ...period,
      auditHeads,
      onProgress: (rows) => {
        if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${rows} status rows`);
      },
    });
    if (process.stderr.isTTY) process.stderr.write("\r\u001b[K");
    const result = { ...report, findings };
    process.stdout.write(options.json ? `${JSON.stringify(result)}\n` : `${asLines(result)}\n`);
    return report.mismatches.length === 0 && findings.length === 0;
  } finally {
    await store.close();
  }
}

function readAuditHeads(text: string | undefined): AuditHead[] {
  if (text === undefined) return [];
  const head = parseAuditHead(text);
  if (head === null)
    throw new TieoutError(
      "usage",
      `--audit-head: expected a number, a colon and 64 hexadecimal digits, as the log has it at audit_head; found "${text}"`,
    );
  return [head];
}

/** Reads the aggregator once more and lists what appeared, changed or vanished since. */
async function readAgain(context: CommandContext, store: Store) {
  const database = openSyncDatabase(context, store.url);
  const open = await openAccounts(context, database);
  try {
    const deps = syncDeps(context, database);
    const findings = await Promise.all(
      open.accounts.map(async (account) => {
        const since = await planDeepRead(deps, account.id, deepDays);
        // The deep re-read covers more than the lookback.
        await syncOnce(deps, account, { signal: new AbortController().signal, reread: false });
        return since.windows > 0 ? readFindings(store.database, account.id, since.plannedAt) : [];
      }),
    );
    return findings.flat();
  } finally {
    await open.close();
    await database.close();
  }
}

function asLines(result: {
  statusRows: number;
  mismatches: { subject: string; problem: string }[];
  findings: { transactionId: string; finding: string }[];
}): string {
  const head = `${result.statusRows} status rows recomputed, ${result.mismatches.length} mismatches, ${result.findings.length} findings`;
  const mismatches = result.mismatches.map(({ subject, problem }) => `  ${subject}: ${problem}`);
  const findings = result.findings.map(
    ({ transactionId, finding }) => `  transaction ${transactionId}: ${finding}`,
  );
  return [head, ...mismatches, ...findings].join("\n");
}
