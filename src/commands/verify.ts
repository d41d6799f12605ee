import { counted } from "../core/counted.ts";
import { verifyPeriods } from "../close/verify-periods.ts";
import { usageError } from "../core/errors.ts";
import { formatInstant } from "../core/instant.ts";
import { verifyReceipts } from "../reconcile/receipts/verify-receipts.ts";
import { verifyBooks } from "../reconcile/verify-books.ts";
import { verifyStatements } from "../reconcile/statement/verify-statements.ts";
import { prepareDataFolder } from "../store/embedded/data-folder.ts";
import { type AuditHead, parseAuditHead } from "../store/people/audit-head.ts";
import { readFindings } from "../store/windows/deep-reads.ts";
import { syncOnce } from "../sync/sync-once.ts";
import { planDeepRead } from "../sync/plan-account.ts";
import { verify as verifyStore } from "../sync/verify.ts";
import { openAuditHeads, readHeads } from "./audit-heads-file.ts";
import type { CommandContext } from "./context.ts";
import { openAccounts } from "./open-accounts.ts";
import { openStore, refuseEmptyFolder, type Store } from "./open-store.ts";
import { readPeriod } from "./option-problems.ts";
import { answer } from "./write-out.ts";
import { createRunningLine, type RunningLine } from "./running-line.ts";
import { openSyncDatabase, syncDeps } from "./sync-deps.ts";

interface VerifyOptions {
  from?: string;
  to?: string;
  deep: boolean;
  json: boolean;
  auditHead?: string;
}

const deepDays = 90;

/** True when every hash, digest, latest row, coverage, statement, discrepancy, signed period and audit entry is what it should be. */
export async function verify(context: CommandContext, options: VerifyOptions): Promise<boolean> {
  const { from, to } = readPeriod(options);
  const auditHeads = readAuditHeads(options.auditHead);
  refuseEmptyFolder(context);
  const store = await openStore(context, { migrate: false });
  const { database } = store;
  const line = createRunningLine(context);
  try {
    const again = options.deep ? await readAgain(context, store, { from, to }) : { findings: [], unread: [] };
    const witnessed = await readWitness(context);
    const show = showRunning(line);
    // Side by side: some of them keep this process busy, others the database.
    const [report, ...others] = await Promise.all([
      show("status rows", (tell) =>
        verifyStore(database, {
          ...(from ? { from } : {}),
          ...(to ? { to } : {}),
          auditHeads: [...auditHeads, ...witnessed.heads],
          onProgress: (rows) => tell(String(rows)),
        }),
      ),
      show("statements", (tell) => verifyStatements(database, (done, of) => tell(`${done} of ${of}`))),
      show("matches and findings", () => verifyBooks(database)),
      show("receipts", () => verifyReceipts(database)),
      show("closed months", () => verifyPeriods(database, formatInstant(context.now()))),
    ]);
    const mismatches = [...again.unread, ...report.mismatches, ...witnessed.mismatches, ...others.flat()];
    const result = { ...report, mismatches, findings: again.findings };
    answer(options, result, asLines(result));
    return mismatches.length === 0 && again.findings.length === 0;
  } finally {
    line.end();
    await store.close();
  }
}

type Check<T> = (tell: (progress: string) => void) => Promise<T>;

/** One line with the checks that still run, and how far they are where they can say so. */
function showRunning(line: RunningLine): <T>(name: string, check: Check<T>) => Promise<T> {
  const running = new Map<string, string>();
  const draw = () => {
    const names = [...running].map(([name, progress]) => `${name} ${progress}`.trimEnd());
    line.show(names.length === 0 ? "" : `Checking: ${names.join(" · ")}`);
  };
  return async (name, check) => {
    const tell = (progress: string) => {
      running.set(name, progress);
      draw();
    };
    tell("");
    try {
      return await check(tell);
    } finally {
      running.delete(name);
      draw();
    }
  };
}

function readAuditHeads(text: string | undefined): AuditHead[] {
  if (text === undefined) return [];
  const head = parseAuditHead(text);
  if (head === null)
    throw usageError(
      `--audit-head: expected a number, a colon and 64 hexadecimal digits, as the log has it at audit_head; found "${text}"`,
    );
  return [head];
}

/** What the service has written down of the audit log outside the database. */
async function readWitness({ config }: CommandContext) {
  await prepareDataFolder(config.dataDir);
  return readHeads(await openAuditHeads(config));
}

/** Reads the aggregator once more; lists what appeared, changed or vanished since, and which accounts were not read to the end. */
async function readAgain(context: CommandContext, store: Store, { from, to }: ReturnType<typeof readPeriod>) {
  const asked = {
    ...(from === null ? {} : { fromMs: Date.parse(from) }),
    ...(to === null ? {} : { toMs: Date.parse(to) }),
  };
  const database = openSyncDatabase(context, store.url);
  const open = await openAccounts(context, database);
  try {
    const deps = syncDeps(context, database);
    const results = await Promise.all(
      open.accounts.map(async (account) => {
        const plan = () => planDeepRead(deps, account.id, deepDays, asked);
        // The deep re-read covers more than the lookback.
        const read = () => syncOnce(deps, account, { signal: new AbortController().signal, reread: false });
        const since = await plan();
        context.say(`Reading again: ${account.name}, ${rangeText(since.range)}`);
        let { unfinished } = await read();
        // The windows left by an earlier plan have been read now, so the rest can be planned.
        if (unfinished === null && !since.isWhole && (await plan()).range !== null)
          ({ unfinished } = await read());
        return {
          findings: await readFindings(store.database, account.id, since.plannedAt),
          unread:
            unfinished === null
              ? []
              : [
                  {
                    subject: `account ${account.name}`,
                    problem: `not read again to the end: ${unfinished.message}`,
                  },
                ],
        };
      }),
    );
    return {
      findings: results.flatMap(({ findings }) => findings),
      unread: results.flatMap(({ unread }) => unread),
    };
  } finally {
    await open.close();
    await database.close();
  }
}

/** Said, because it may be less than was asked for. */
function rangeText(range: { fromMs: number; toMs: number } | null): string {
  if (range === null) return "nothing: that period has not been read; SYNC_START says how far back to read";
  return `from ${formatInstant(range.fromMs)} to ${formatInstant(range.toMs)}`;
}

function asLines(result: {
  statusRows: number;
  mismatches: { subject: string; problem: string }[];
  findings: { transactionId: string; finding: string }[];
}): string {
  const head = `${counted(result.statusRows, "status row")} recomputed, ${counted(result.mismatches.length, "mismatch", "mismatches")}, ${counted(result.findings.length, "finding")}`;
  const mismatches = result.mismatches.map(({ subject, problem }) => `  ${subject}: ${problem}`);
  const findings = result.findings.map(
    ({ transactionId, finding }) => `  transaction ${transactionId}: ${finding}`,
  );
  return [head, ...mismatches, ...findings].join("\n");
}
