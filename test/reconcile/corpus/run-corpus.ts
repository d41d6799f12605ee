import { never, syncDeps } from "../../support/sync-deps.ts";
import { setTimeout as wait } from "node:timers/promises";
import { receiptCodes } from "../../../src/core/discrepancy-codes.ts";
import { formatInstant } from "../../../src/core/instant.ts";
import { startSandbox } from "../../../src/sandbox/server.ts";
import { parseDialect } from "../../../src/sandbox/transactions/dialect.ts";
import type { Database } from "../../../src/store/database.ts";
import { builtInProfiles } from "../../../src/reconcile/profiles/built-in.ts";
import { importFeeSchedule, readFeeFile } from "../../../src/reconcile/fees/fee-schedule.ts";
import { reconcileAccount } from "../../../src/reconcile/reconcile.ts";
import { importStatement } from "../../../src/reconcile/statement/import-statement.ts";
import { statementMonth } from "../../../src/commands/demo-statements.ts";
import { syncOnce } from "../../../src/sync/sync-once.ts";
import { createUpstream } from "../../../src/upstream/client.ts";
import { type BankResult, importBankFiles, judgeBankFiles } from "./bank-files.ts";
import { collectCorpus, type Corpus } from "./collect-corpus.ts";
import { type CorpusCounts, judgeCorpus, type FoundDiscrepancy, type Score } from "./judge-corpus.ts";

export interface CorpusOptions {
  transactions: number;
  /** Calendar months, all of them long over: every statement is due. */
  fromMs: number;
  toMs: number;
  seed: string;
  /** What is planted, and how often: `all=0.01`. */
  rates: string;
  /** The same of the banks' files. */
  bankRates: string;
}

export interface CorpusResult extends CorpusCounts {
  scores: Score[];
  bank: BankResult;
  corpus: Corpus;
  found: FoundDiscrepancy[];
}

/** Reads a sandbox, imports its statements with their planted errors, reconciles, and compares with the truth. */
export async function runCorpus(database: Database, options: CorpusOptions): Promise<CorpusResult> {
  // Long enough after the end for all that follows a completion, and no more: it lists every month until then.
  const nowMs = options.toMs + 20 * 86_400_000;
  // With ids that tell the network: records that name a coin alone cannot show that it went over the wrong one.
  const dialect = parseDialect("currency=id");
  const sandbox = await startSandbox({ port: 0, now: () => nowMs, dialect, ...options });
  const headers = { authorization: sandbox.apiKey, "x-service-secret": sandbox.apiSecret };
  const get = async (path: string) => (await fetch(new URL(path, sandbox.url), { headers })).text();
  try {
    const account = await readSandbox(database, sandbox, options);
    const corpus = await collectCorpus({ get, untilMs: nowMs, ...options });
    let lines = 0;
    for (const statement of corpus.statements) lines += await importFile(database, account, statement);
    for (const { provider, file, text } of corpus.fees) {
      await importFeeSchedule(database, {
        account,
        provider,
        validFrom: formatInstant(options.fromMs),
        terms: readFeeFile(text, file).terms,
        fileName: file,
        reason: "as agreed",
        actor: "corpus",
      });
    }
    await importBankFiles(database, account, corpus.receipts);
    await reconcileAccount(database, account.id);
    const found = await readFound(database, account.id);
    const bank = await judgeBankFiles(database, account.id, corpus);
    return {
      scores: [...judgeCorpus(corpus.cases, found), ...bank.scores],
      bank,
      corpus,
      found,
      statements: corpus.statements.filter(({ file }) => !file.endsWith(".commission.csv")).length,
      lines,
      ...(await countOutcome(database, account.id)),
    };
  } finally {
    await sandbox.close();
  }
}

export async function readSandbox(
  database: Database,
  sandbox: { url: string; apiKey: string; apiSecret: string },
  options: Omit<CorpusOptions, "bankRates">,
): Promise<{ id: number; name: string }> {
  const name = `corpus ${options.seed}`;
  const [row] = await database.query<{ id: number }>(
    `insert into tieout.accounts (name, base_url, sync_start, request_limit)
     values ($1, $2, $3, 4)
     returning id`,
    [name, sandbox.url, formatInstant(options.fromMs)],
  );
  const upstream = createUpstream({
    baseUrl: sandbox.url,
    apiKey: sandbox.apiKey,
    apiSecret: sandbox.apiSecret,
    now: Date.now,
    random: () => 0.01,
    sleep: (ms) => wait(ms),
  });
  const account = { id: row?.id ?? 0, name, upstream };
  const settings = { lagMs: 0, lookbackMs: 86_400_000, intervalMs: 60_000, requestsMax: 8, leaseMs: 30_000 };
  try {
    await syncOnce(syncDeps(database, { settings }), account, { signal: never });
  } finally {
    await upstream.close();
  }
  return account;
}

async function importFile(
  database: Database,
  account: { id: number; name: string },
  { provider, period, file, text }: { provider: string; period: string; file: string; text: string },
): Promise<number> {
  // A provider that did nothing all month sends a header, or nothing at all.
  if (text.trim().split("\n").length < 2) return 0;
  const { from, to } = statementMonth(period);
  const bytes = Buffer.from(text);
  const { statement } = await importStatement(
    { database, profiles: builtInProfiles },
    {
      name: file,
      async *bytes() {
        yield bytes;
      },
    },
    {
      account,
      provider,
      profileName: null,
      replaces: null,
      acceptReason: null,
      actor: "corpus",
      generatedAt: to,
      periodFrom: from,
      periodTo: to,
    },
  );
  if (statement.rowsRejected > 0) throw new Error(`${file}: ${statement.rowsRejected} rows rejected`);
  return statement.rowsAccepted;
}

async function readFound(database: Database, accountId: number): Promise<FoundDiscrepancy[]> {
  return database.query<FoundDiscrepancy & Record<string, unknown>>(
    `select d.code, d.subject_kind as kind, d.transaction_id as "transactionId", s.file_name as file, l.line_no as line,
            p.payout_ref as "payoutRef"
     from tieout.discrepancies as d
     left join tieout.statement_lines as l on l.id = d.line_id
     left join tieout.statements as s on s.id = l.statement_id
     left join tieout.payouts as p on p.id = d.payout_id
     where d.account_id = $1
       and d.state = 'open'
       and d.code <> all ($2::text[])`,
    [accountId, receiptCodes],
  );
}

async function countOutcome(
  database: Database,
  accountId: number,
): Promise<Pick<CorpusResult, "transactions" | "matches" | "falseMatches">> {
  const [row] = await database.query<{ transactions: number; matches: number; falsely: number }>(
    `select (select count(*)::int from tieout.transactions where account_id = $1) as transactions,
            count(*)::int as matches,
            count(*) filter (
              where t.provider_transaction_id is distinct from l.provider_transaction_id
            )::int as falsely
     from tieout.matches as m
     join tieout.statement_lines as l on l.id = m.line_id
     join tieout.transactions as t on t.account_id = m.account_id and t.transaction_id = m.transaction_id
     where m.account_id = $1
       and m.state = 'active'`,
    [accountId],
  );
  return {
    transactions: row?.transactions ?? 0,
    matches: row?.matches ?? 0,
    falseMatches: row?.falsely ?? 0,
  };
}
