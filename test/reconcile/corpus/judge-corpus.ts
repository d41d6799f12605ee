import { receiptCodes } from "../../../src/core/discrepancy-codes.ts";

/** What the sandbox has planted: the codes that must be raised for it, and nothing else. */
export interface PlantedCase {
  case: string;
  codes: string[];
  file: string;
  lines: number[];
  transactionId: string | null;
  payoutId?: string;
  /** Of bank files: one transfer may be for several. */
  payoutIds?: string[];
  /** What the codes of this case that carry money must say. */
  money?: { delta: string; currency: string };
}

export interface FoundDiscrepancy {
  code: string;
  kind: string;
  transactionId: string | null;
  file: string | null;
  line: number | null;
  payoutRef: string | null;
  delta?: string | null;
  currency?: string | null;
}

export interface CorpusCounts {
  statements: number;
  lines: number;
  transactions: number;
  matches: number;
  /** Matches of a line with a transaction that it does not stand for. There must be none. */
  falseMatches: number;
}

/** Of bank files. */
export interface BankCounts {
  files: number;
  bookings: number;
  matches: number;
  falseMatches: number;
}

export interface Score {
  code: string;
  planted: number;
  found: number;
  right: number;
  precision: number;
  recall: number;
  /** Some that were wrong or missed, to look at. */
  examples: string[];
}

/** Per code: of what was raised, how much was planted; and of what was planted, how much was raised. */
export function judgeCorpus(cases: readonly PlantedCase[], found: readonly FoundDiscrepancy[]): Score[] {
  const subjects = indexCases(cases);
  // Also those that nobody has planted: each of them is one too many.
  const codes = [
    ...new Set([...cases.flatMap((each) => each.codes), ...found.map(({ code }) => code)]),
  ].toSorted();
  return codes.map((code) => {
    const planted = new Set(cases.filter((each) => each.codes.includes(code)));
    const raised = found.filter((each) => each.code === code);
    const right = raised.filter((each) => plantedFor(subjects, each) !== undefined);
    const met = new Set(right.map((each) => plantedFor(subjects, each)));
    const wrong = raised.filter((each) => !right.includes(each));
    const missed = [...planted].filter((each) => !met.has(each));
    return {
      code,
      planted: planted.size,
      found: raised.length,
      right: right.length,
      precision: raised.length === 0 ? 1 : right.length / raised.length,
      recall: planted.size === 0 ? 1 : met.size / planted.size,
      examples: [
        ...wrong.map(
          (each) =>
            `wrong ${JSON.stringify(each)} of ${casesOf(subjects, each)
              .map((one) => one.case)
              .join(", ")}`,
        ),
        ...missed.map((each) => `missed ${JSON.stringify(each)}`),
      ].slice(0, 5),
    };
  });
}

/** Of the codes that carry money and whose money is known: what was raised with another amount. */
export function judgeMoney(
  cases: readonly PlantedCase[],
  found: readonly FoundDiscrepancy[],
): { compared: number; wrong: string[] } {
  const subjects = indexCases(cases);
  let compared = 0;
  const wrong: string[] = [];
  for (const each of found.filter(({ code }) => codesWithMoney.has(code))) {
    const planted = plantedFor(subjects, each);
    if (planted?.money === undefined) continue;
    const { delta, currency } = planted.money;
    // A payout in another currency than its lines differs in that currency.
    if (each.currency?.toLowerCase() !== currency.toLowerCase()) continue;
    compared += 1;
    if (each.delta !== delta)
      wrong.push(`${each.code} of ${planted.case}: ${each.delta}, not ${delta} ${currency}`);
  }
  return { compared, wrong };
}

const codesWithMoney = new Set([
  "missing_from_statement",
  "in_amount_mismatch",
  "out_amount_mismatch",
  "payout_sum_mismatch",
  ...receiptCodes,
]);

/** One payout may be wrong in its statement and at the bank: a subject has several cases. */
type Subjects = ReadonlyMap<string, readonly PlantedCase[]>;

function indexCases(cases: readonly PlantedCase[]): Subjects {
  const subjects = new Map<string, PlantedCase[]>();
  const add = (subject: string, planted: PlantedCase) =>
    subjects.set(subject, [...(subjects.get(subject) ?? []), planted]);
  for (const each of cases) {
    if (each.transactionId !== null) add(`transaction ${each.transactionId}`, each);
    for (const payout of [each.payoutId ?? [], each.payoutIds ?? []].flat()) add(`payout ${payout}`, each);
    for (const line of each.lines) add(`line ${each.file} ${line}`, each);
  }
  return subjects;
}

function casesOf(subjects: Subjects, found: FoundDiscrepancy): readonly PlantedCase[] {
  if (found.kind === "transaction") return subjects.get(`transaction ${found.transactionId}`) ?? [];
  if (found.kind === "payout") return subjects.get(`payout ${found.payoutRef}`) ?? [];
  return subjects.get(`line ${found.file} ${found.line}`) ?? [];
}

/** The case that this was to be raised for. */
function plantedFor(subjects: Subjects, found: FoundDiscrepancy): PlantedCase | undefined {
  return casesOf(subjects, found).find(({ codes }) => codes.includes(found.code));
}

/** As a table for people, with what it is about above it; the same goes into the docs. */
export function scoreTable(about: CorpusCounts & { bank?: BankCounts }, scores: readonly Score[]): string {
  const number = (count: number) => count.toLocaleString("en");
  return [
    `${number(about.transactions)} transactions, ${number(about.statements)} statements, ${number(about.lines)} lines: ${number(about.matches)} matches, ${number(about.falseMatches)} of them false.`,
    ...(about.bank === undefined
      ? []
      : [
          `${number(about.bank.files)} bank files, ${number(about.bank.bookings)} bookings: ${number(about.bank.matches)} matches with payouts, ${number(about.bank.falseMatches)} of them false.`,
        ]),
    "",
    scoreRows(scores),
  ].join("\n");
}

export function scoreRows(scores: readonly Score[]): string {
  const rows = scores.map(
    ({ code, planted, found, precision, recall }) =>
      `| ${code} | ${planted} | ${found} | ${precision.toFixed(3)} | ${recall.toFixed(3)} |`,
  );
  return [
    "| Code | Planted | Raised | Precision | Recall |",
    "| --- | --- | --- | --- | --- |",
    ...rows,
  ].join("\n");
}
