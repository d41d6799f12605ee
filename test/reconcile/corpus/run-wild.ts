import { discrepancyCodes, receiptCodes } from "../../../src/core/discrepancy-codes.ts";
import { addDecimals, type Decimal, decimal, zero } from "../../../src/core/decimal.ts";
import { reconcileAccount } from "../../../src/reconcile/reconcile.ts";
import { reconcileReceipts } from "../../../src/reconcile/receipts/reconcile-receipts.ts";
import { summariseAccount } from "../../../src/reconcile/summarise.ts";
import { startSandbox } from "../../../src/sandbox/server.ts";
import { parseDialect } from "../../../src/sandbox/transactions/dialect.ts";
import type { Database } from "../../../src/store/database.ts";
import { type BankResult, importBankFiles, judgeBankFiles } from "./bank-files.ts";
import { collectReceiptFiles } from "./collect-corpus.ts";
import { type Delivery, deliver, type SentFile } from "./deliver.ts";
import {
  judgeCorpus,
  judgeMoney,
  type FoundDiscrepancy,
  type PlantedCase,
  type Score,
} from "./judge-corpus.ts";
import { type CorpusOptions, readSandbox } from "./run-corpus.ts";

/** Which provider writes which of the wild layouts. */
const writers = {
  moonpay: "hansa",
  mercuryo: "ledgerly",
  banxa: "sheet",
  transak: "units",
  guardarian: "batch",
  alchemypay: "slip",
  topper: "ranch",
} as const;

export interface WildResult {
  readonly scores: readonly Score[];
  /** Of what came on chain: the payouts of the one that pays in a coin. */
  readonly chain: BankResult;
  readonly lines: number;
  readonly files: number;
  readonly money: { compared: number; wrong: string[] };
  /** Lines in force that are not traced to the newest file in force that has them. */
  readonly wrongTraces: readonly string[];
  readonly traced: number;
  /** Payouts whose lines or declared sum are not those of the provider's books. */
  readonly wrongPayouts: readonly string[];
  readonly payouts: number;
  /** Classes whose count is not what was planted, by provider. */
  readonly wrongClasses: readonly string[];
}

interface TruthFile {
  cases: Omit<PlantedCase, "file">[];
  lines: number;
  payouts: { payout: string; currency: string; currency_id: string; owed: string; declared: string }[];
}

/** Reads a sandbox whose providers write as nobody expects, with corrections, overlaps and replaced files. */
export async function runWild(
  database: Database,
  options: Omit<CorpusOptions, "bankRates">,
): Promise<WildResult> {
  const nowMs = options.toMs + 20 * 86_400_000;
  const dialect = parseDialect("currency=id");
  const sandbox = await startSandbox({ port: 0, now: () => nowMs, dialect, ...options });
  const headers = { authorization: sandbox.apiKey, "x-service-secret": sandbox.apiSecret };
  const get = async (path: string) => (await fetch(new URL(path, sandbox.url), { headers })).text();
  try {
    const account = await readSandbox(database, sandbox, options);
    const delivery: Delivery = { database, account, sent: [] };
    const cases: PlantedCase[] = [];
    const payouts: TruthFile["payouts"] = [];
    let lines = 0;
    const { statements } = JSON.parse(await get("/sandbox/statements")) as {
      statements: { provider: string; period: string; csv: string; truth: string }[];
    };
    for (const { provider, period, csv, truth } of statements) {
      if (!isWriter(provider)) continue;
      const layout = writers[provider];
      const asked = `?rates=${encodeURIComponent(options.rates)}&layout=${layout}`;
      const whole = JSON.parse(await get(truth + asked)) as TruthFile;
      const parts = layout === "batch" ? whole.payouts.map((each) => each.currency_id) : [null];
      for (const currency of parts) {
        const query = currency === null ? asked : `${asked}&currency=${currency}`;
        const told = JSON.parse(await get(truth + query)) as TruthFile;
        if (told.lines === 0) continue;
        const name = [provider, period, currency].filter((part) => part !== null).join("-");
        const placed = await deliver(delivery, {
          provider,
          layout,
          period,
          name,
          text: await get(csv + query),
        });
        lines += told.lines;
        payouts.push(...told.payouts);
        for (const each of told.cases) cases.push(...placedCases(each, placed, `${name}.csv`));
      }
    }
    for (const provider of Object.keys(writers)) await reconcileAccount(database, account.id, { provider });
    const chain = await importChainFiles(database, account, { get, rates: options.rates });
    const found = await readFound(database, account.name);
    return {
      scores: judgeCorpus(cases, found),
      chain,
      lines,
      files: delivery.sent.length,
      money: judgeMoney(cases, found),
      ...(await judgeTraces(database, account.name, delivery.sent)),
      ...(await judgePayouts(database, account.name, payouts)),
      wrongClasses: await judgeClasses(database, account.id, cases),
    };
  } finally {
    await sandbox.close();
  }
}

/** Every month in which a payout of the statements may come. */
async function importChainFiles(
  database: Database,
  account: { id: number; name: string },
  { get, rates }: { get: (path: string) => Promise<string>; rates: string },
): Promise<BankResult> {
  const { files } = JSON.parse(await get("/sandbox/banks")) as { files: { period: string }[] };
  const months = [...new Set(files.map(({ period }) => period))];
  const asked = { rates: "all=0.1", statement_rates: rates, provider: "transak", layout: writers.transak };
  const collected = await collectReceiptFiles({
    get,
    query: new URLSearchParams(asked).toString(),
    files: months.map((month) => ({
      file: `/sandbox/banks/wallet/${month}.csv`,
      truth: `/sandbox/banks/wallet/${month}.truth.json`,
    })),
  });
  await importBankFiles(database, account, collected.receipts);
  await database.transaction((tx) => reconcileReceipts(tx, account.id));
  return judgeBankFiles(database, account.id, collected);
}

function isWriter(provider: string): provider is keyof typeof writers {
  return Object.hasOwn(writers, provider);
}

/** A case whose lines came to stand in two files is one case in each. */
function placedCases(
  told: Omit<PlantedCase, "file">,
  placed: (line: number) => { file: string; line: number },
  file: string,
): PlantedCase[] {
  const places = told.lines.map(placed);
  const files = new Set(places.map((place) => place.file));
  if (files.size <= 1)
    return [{ ...told, file: places[0]?.file ?? file, lines: places.map(({ line }) => line) }];
  // The codes of a case are raised once: for its transaction, or for its last line.
  const last = places.at(-1);
  return [
    {
      ...told,
      file: last?.file ?? file,
      lines: places.filter((place) => place.file === last?.file).map(({ line }) => line),
    },
  ];
}

/** Only through the views, which are what people see. What the history leaves behind is judged by the other corpus. */
async function readFound(database: Database, account: string): Promise<FoundDiscrepancy[]> {
  return database.query<FoundDiscrepancy & Record<string, unknown>>(
    `select d.code, d.subject_kind as kind, d.transaction_id as "transactionId", l.file_name as file, l.line_no as line,
            p.payout_ref as "payoutRef", trim_scale(d.delta)::text as delta, d.currency
     from reporting.discrepancies as d
     left join reporting.statement_lines as l on l.line_id = d.line_id
     left join reporting.payouts as p on p.payout_id = d.payout_id
     where d.account = $1
       and d.provider = any($2::text[])
       and d.state = 'open'
       and d.code <> all($3::text[])`,
    [account, Object.keys(writers), ["stale_open", "hash_missing", ...receiptCodes]],
  );
}

async function judgeTraces(database: Database, account: string, sent: readonly SentFile[]) {
  const newest = new Map<string, string>();
  for (const { name, lines, withdrawn } of sent) {
    if (!withdrawn) for (const line of lines) newest.set(line, name);
  }
  const byName = new Map(sent.map((file) => [file.name, file]));
  const rows = await database.query<{ file: string; line: number }>(
    `select file_name as file, line_no as line
     from reporting.statement_lines
     where account = $1 and is_current and in_force`,
    [account],
  );
  const wrong = rows.filter(({ file, line }) => {
    const text = byName.get(file)?.lines[line - 1];
    return text === undefined || newest.get(text) !== file;
  });
  return { traced: rows.length, wrongTraces: wrong.map(({ file, line }) => `${file} ${line}`) };
}

async function judgePayouts(database: Database, account: string, told: TruthFile["payouts"]) {
  const rows = await database.query<{
    ref: string;
    currency: string;
    computed: string;
    declared: string | null;
  }>(
    `select payout_ref as ref, currency, trim_scale(net_computed)::text as computed, trim_scale(net_declared)::text as declared
     from reporting.payouts
     where account = $1`,
    [account],
  );
  const held = new Map(rows.map((row) => [`${row.ref} ${row.currency}`, row]));
  const wrong = told.flatMap(({ payout, currency, owed, declared }) => {
    const row = held.get(`${payout} ${currency}`);
    // Paid out in a coin: the sum of the lines is in another row, at the rate that the file states.
    if (payout.includes("TRANSAK")) return [];
    const isRight = row?.computed === decimal(owed) && row.declared === decimal(declared);
    return isRight ? [] : [`${payout}: ${row?.computed} ${row?.declared}, not ${owed} ${declared}`];
  });
  return { payouts: told.length, wrongPayouts: wrong };
}

async function judgeClasses(
  database: Database,
  accountId: number,
  cases: readonly PlantedCase[],
): Promise<string[]> {
  const discrepant = new Set(
    cases.filter(({ codes }) => codes.some(isError)).flatMap(({ transactionId }) => transactionId ?? []),
  );
  const completed = await database.query<{ id: string; provider: string; currency: string; amount: string }>(
    `select transaction_id as id, provider, upper(case when transaction_type = 'sell' then target_currency else source_currency end) as currency,
            (case when transaction_type = 'sell' then out_amount else in_amount end)::text as amount
     from tieout.transactions
     where account_id = $1 and status = 'completed' and provider = any($2::text[])`,
    [accountId, Object.keys(writers)],
  );
  const wanted = new Map<string, Decimal>();
  for (const { id, provider, currency, amount } of completed) {
    const key = `${provider} ${discrepant.has(id) ? "discrepant" : "matched"} ${currency}`;
    wanted.set(key, addDecimals(wanted.get(key) ?? zero, decimal(amount)));
  }
  const sums = [];
  for (const provider of Object.keys(writers))
    sums.push(...(await summariseAccount(database, accountId, { provider })));
  const found = new Map(
    sums.map((sum) => [`${sum.provider} ${sum.class} ${sum.currency.toUpperCase()}`, decimal(sum.amount)]),
  );
  return [...new Set([...wanted.keys(), ...found.keys()])].flatMap((key) =>
    (wanted.get(key) ?? zero) === (found.get(key) ?? zero)
      ? []
      : [`${key}: ${found.get(key) ?? "nothing"}, not ${wanted.get(key) ?? "nothing"}`],
  );
}

/** Raised against the transaction itself: what is raised against a line leaves the transaction that it names alone. */
function isError(code: string): boolean {
  const level = (discrepancyCodes as Record<string, { level: string }>)[code]?.level;
  return level === "error" && !ofLines.has(code);
}

const ofLines = new Set([
  "missing_from_records",
  "duplicate_settlement",
  "reference_conflict",
  "unlinked_reversal",
]);
