import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Corpus } from "./collect-corpus.ts";
import type { FoundDiscrepancy, PlantedCase } from "./judge-corpus.ts";

/** Raised when a file changes its shape. bench/README.md describes them. */
const formatVersion = 1;

/** Writes a corpus as files, so that other systems can be measured with it. Returns how many. */
export async function writeCorpus(folder: string, corpus: Corpus, about: object): Promise<number> {
  const files = new Map([
    ["corpus.json", `${JSON.stringify({ format: formatVersion, ...about }, null, 2)}\n`],
    ["transactions.jsonl", corpus.records],
    ...corpus.statements.map(({ file, text }) => [join("statements", file), text] as const),
    ...corpus.fees.map(({ file, text }) => [join("fees", file), text] as const),
    ...corpus.receipts.map(({ file, text }) => [join("receipts", file), text] as const),
    ["truth.jsonl", asLines([...corpus.cases, ...corpus.receiptCases])],
    ["payments.jsonl", asLines(corpus.pays)],
  ]);
  for (const [name, text] of files) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return files.size;
}

export async function readTruth(folder: string): Promise<PlantedCase[]> {
  return readLines<PlantedCase>(join(folder, "truth.jsonl"));
}

/** What a system has raised, in the format of bench/README.md. The first line that is wrong is named. */
export async function readFound(file: string): Promise<FoundDiscrepancy[]> {
  const found = await readLines<Partial<FoundDiscrepancy>>(file);
  return found.map((each, index) => {
    const { code, kind = "" } = each;
    const subject = subjectOf[kind];
    if (
      code === undefined ||
      subject === undefined ||
      subject.some((field) => (each[field] ?? null) === null)
    ) {
      throw new Error(
        `${file}, line ${index + 1}: expected code, kind (transaction, line or payout) and ${(subject ?? ["its subject"]).join(" and ")}`,
      );
    }
    return { transactionId: null, file: null, line: null, payoutRef: null, ...each, code, kind };
  });
}

export async function writeFound(file: string, found: readonly FoundDiscrepancy[]): Promise<void> {
  // Of a period or a receipt, too, the line that tells of it is the subject.
  await writeFile(
    file,
    asLines(found.map((each) => ({ ...each, kind: each.kind in subjectOf ? each.kind : "line" }))),
  );
}

const subjectOf: Readonly<Record<string, readonly (keyof FoundDiscrepancy)[] | undefined>> = {
  transaction: ["transactionId"],
  line: ["file", "line"],
  payout: ["payoutRef"],
};

const asLines = (rows: readonly object[]) => rows.map((row) => `${JSON.stringify(row)}\n`).join("");

async function readLines<Row>(file: string): Promise<Row[]> {
  const lines = (await readFile(file, "utf8")).split("\n");
  return lines.flatMap((line, index) => {
    if (line.trim() === "") return [];
    try {
      return [JSON.parse(line) as Row];
    } catch (cause) {
      throw new Error(`${file}, line ${index + 1}: expected JSON`, { cause });
    }
  });
}
