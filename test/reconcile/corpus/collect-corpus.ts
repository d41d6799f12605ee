import { formatInstant } from "../../../src/core/instant.ts";
import { leftOpen } from "./left-open.ts";
import type { PlantedCase } from "./judge-corpus.ts";

/** A file as its sender wrote it. */
export interface CorpusFile {
  file: string;
  text: string;
}

/** Everything that a reconciliation is given, and the truth about it. */
export interface Corpus {
  /** JSON lines: every status of every transaction, in the aggregator's own words. */
  records: string;
  statements: (CorpusFile & { provider: string; period: string })[];
  /** What was agreed with each provider. */
  fees: (CorpusFile & { provider: string })[];
  receipts: (CorpusFile & { bookings: number })[];
  /** About statements and transactions. */
  cases: PlantedCase[];
  /** About receipts. */
  receiptCases: PlantedCase[];
  /** Which payouts a bank's line pays. */
  pays: { file: string; line: number; payouts: string[] }[];
}

export interface CorpusSource {
  /** The answer of the sandbox to a path, as text. */
  get: (path: string) => Promise<string>;
  fromMs: number;
  untilMs: number;
  /** What is planted in statements, and how often: `all=0.01`. */
  rates: string;
  /** The same of the banks' files. */
  bankRates: string;
}

export async function collectCorpus(source: CorpusSource): Promise<Corpus> {
  const [from, to] = [source.fromMs, source.untilMs].map(formatInstant);
  const ledger = await source.get(`/sandbox/ledger/records?from=${from}&to=${to}`);
  const ofProviders = await collectStatements(source);
  return {
    ...ofProviders,
    ...(await collectReceipts(source)),
    records: textsOf(ledger),
    cases: [...ofProviders.cases, ...leftOpen(ledger)],
  };
}

/** The records alone, without what the ledger notes beside each. */
function textsOf(ledger: string): string {
  const lines = ledger.split("\n").filter((line) => line !== "");
  return lines.map((line) => `${(JSON.parse(line) as { text: string }).text}\n`).join("");
}

interface ListedStatement {
  provider: string;
  period: string;
  csv: string;
  truth: string;
  commission: string | null;
  fees: string;
}

async function collectStatements({
  get,
  rates,
}: CorpusSource): Promise<Pick<Corpus, "statements" | "fees" | "cases">> {
  const { statements: listed } = JSON.parse(await get("/sandbox/statements")) as {
    statements: ListedStatement[];
  };
  const query = `?rates=${encodeURIComponent(rates)}`;
  const statements: Corpus["statements"] = [];
  const cases: PlantedCase[] = [];
  async function collect({ provider, period }: ListedStatement, file: string, path: string, truth: string) {
    const told = JSON.parse(await get(truth + query)) as { cases: Omit<PlantedCase, "file">[] };
    cases.push(...told.cases.map((each) => ({ ...each, file })));
    statements.push({ provider, period, file, text: await get(path + query) });
  }
  for (const each of listed) {
    const name = `${each.provider}-${each.period}`;
    await collect(each, `${name}.csv`, each.csv, each.truth);
    if (each.commission === null) continue;
    await collect(
      each,
      `${name}.commission.csv`,
      each.commission,
      each.commission.replace(/csv$/, "truth.json"),
    );
  }
  const fees: Corpus["fees"] = [];
  for (const [provider, path] of new Map(listed.map((each) => [each.provider, each.fees]))) {
    fees.push({ provider, file: `${provider}-fees.csv`, text: await get(path) });
  }
  return { statements, fees, cases };
}

interface BankTruth {
  bookings: number;
  cases: { case: string; codes: string[]; lines: number[]; payoutIds: string[] }[];
  pays: { line: number; payouts: string[] }[];
}

async function collectReceipts({ get, rates, bankRates }: CorpusSource): Promise<CollectedReceipts> {
  const { files } = JSON.parse(await get("/sandbox/banks")) as { files: ListedReceipts[] };
  const query = new URLSearchParams({ rates: bankRates, statement_rates: rates }).toString();
  return collectReceiptFiles({ get, files, query });
}

export type CollectedReceipts = Pick<Corpus, "receipts" | "receiptCases" | "pays">;

interface ListedReceipts {
  file: string;
  truth: string;
}

export async function collectReceiptFiles({
  get,
  files,
  query,
}: {
  get: CorpusSource["get"];
  files: readonly ListedReceipts[];
  /** What is planted, as `rates=…&statement_rates=…`. */
  query: string;
}): Promise<CollectedReceipts> {
  const collected: CollectedReceipts = { receipts: [], receiptCases: [], pays: [] };
  for (const listed of files) {
    const truth = JSON.parse(await get(`${listed.truth}?${query}`)) as BankTruth;
    if (truth.bookings === 0) continue;
    const file = listed.file.split("/").slice(-2).join("-");
    collected.receipts.push({ file, text: await get(`${listed.file}?${query}`), bookings: truth.bookings });
    for (const each of truth.cases) collected.receiptCases.push({ ...each, file, transactionId: null });
    for (const each of truth.pays) collected.pays.push({ file, ...each });
  }
  return collected;
}
