/**
 * How well the discrepancies are found: the sandbox plants errors in its providers' statements and writes the truth beside
 * each file. Prints precision and recall per code; exits with 1 when one that ids can decide is below 0.99, or when any
 * line was matched with a transaction that it does not stand for.
 */
import { parseArgs } from "node:util";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { secret } from "../src/core/secret.ts";
import { openDatabase } from "../src/store/database.ts";
import { startEmbeddedPostgres } from "../src/store/embedded/embedded-postgres.ts";
import { migrateDatabase } from "../src/store/migrate.ts";
import type { BankResult } from "../test/reconcile/corpus/bank-files.ts";
import { writeCorpus, writeFound } from "../test/reconcile/corpus/corpus-files.ts";
import { type Score, scoreTable } from "../test/reconcile/corpus/judge-corpus.ts";
import { corpusDocument, withTable } from "../test/reconcile/corpus/corpus-doc.ts";
import { runCorpus } from "../test/reconcile/corpus/run-corpus.ts";
import { runWild } from "../test/reconcile/corpus/run-wild.ts";
import { openFolder } from "../test/support/open-folder.ts";

const { values } = parseArgs({
  options: {
    transactions: { type: "string", default: "40000" },
    seed: { type: "string", default: "corpus" },
    rates: {
      type: "string",
      default:
        "all=0.01,balance_off=0.3,fee_off=0.01,commission_short=0.01,commission_over=0.01,commission_sum_off=0.1",
    },
    "bank-rates": { type: "string", default: "all=0.05,from_a_stranger=0.2" },
    /** Put the table into the document. */
    write: { type: "boolean", default: false },
    /** Also write the corpus, and what was raised about it, as files into this folder. */
    out: { type: "string" },
  },
});
const leastScore = 0.99;
const leastReceiptScore = 0.999;

const print = (text: string) => process.stdout.write(`${text}\n`);
const least = ({ precision, recall }: Score) => Math.min(precision, recall);

const folder = await openFolder("tieout-corpus-");
const postgres = await startEmbeddedPostgres(folder, { throwAway: true });
const database = openDatabase(secret(postgres.superuserUrl), {
  part: "corpus",
  connectionsMax: 16,
  statementTimeoutMs: 600_000,
  onError: () => undefined,
});
try {
  await migrateDatabase(database, resolve("migrations"));
  const begun = performance.now();
  const result = await runCorpus(database, {
    transactions: Number(values.transactions),
    fromMs: Date.UTC(2026, 2, 1),
    toMs: Date.UTC(2026, 5, 1),
    seed: values.seed,
    rates: values.rates,
    bankRates: values["bank-rates"],
  });
  const seconds = ((performance.now() - begun) / 1_000).toFixed(0);
  const table = scoreTable(result, result.scores);
  print(`${table}\n\n${seconds} s`);
  if (values.write) {
    await writeFile(corpusDocument, withTable(await readFile(corpusDocument, "utf8"), "large", table));
  }
  if (values.out !== undefined) {
    const { transactions, statements, lines } = result;
    const { seed, rates, "bank-rates": bankRates } = values;
    const about = { seed, rates, bankRates, transactions, statements, lines };
    const files = await writeCorpus(values.out, result.corpus, about);
    await writeFound(join(values.out, "found-by-tieout.jsonl"), [...result.found, ...result.bank.found]);
    print(`${files} files in ${values.out}`);
  }
  for (const { code, examples } of result.scores.filter((score) => least(score) < 1)) {
    print(`\n${code}:\n  ${examples.join("\n  ")}`);
  }
  const wild = await runWild(database, {
    transactions: Number(values.transactions),
    fromMs: Date.UTC(2026, 2, 1),
    toMs: Date.UTC(2026, 5, 1),
    seed: `${values.seed} wild`,
    rates: "all=0.01",
  });
  const faults = [...wild.money.wrong, ...wild.wrongTraces, ...wild.wrongPayouts, ...wild.wrongClasses];
  print(
    `\nwild layouts: ${wild.lines} lines in ${wild.files} files; ${wild.money.wrong.length} of ${wild.money.compared} amounts, ` +
      `${wild.wrongTraces.length} of ${wild.traced} traces, ${wild.wrongPayouts.length} of ${wild.payouts} payouts and ` +
      `${wild.wrongClasses.length} sums of classes wrong\n${scoreTable(result, wild.scores).split("\n").slice(3).join("\n")}`,
  );
  if (faults.length > 0 || wild.scores.some((score) => least(score) < leastScore)) process.exitCode = 1;
  for (const bank of [result.bank, wild.chain]) reportBank(bank);
  if (result.falseMatches > 0 || result.scores.some((score) => least(score) < leastScore))
    process.exitCode = 1;
} finally {
  await database.close();
  await postgres.leave();
  await rm(folder, { recursive: true, force: true });
}

function reportBank({ files, missedMatches, falseMatches, money, scores }: BankResult): void {
  print(
    `\n${files} bank files: ${missedMatches} matches missed; ${money.wrong.length} of ${money.compared} amounts wrong ${money.wrong.slice(0, 5).join("; ")}`,
  );
  if (falseMatches + missedMatches + money.wrong.length > 0) process.exitCode = 1;
  if (scores.some((score) => least(score) < leastReceiptScore)) process.exitCode = 1;
}
