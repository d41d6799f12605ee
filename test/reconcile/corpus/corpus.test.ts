import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { readCommitted } from "../../support/committed-file.ts";
import { receiptCodes } from "../../../src/core/discrepancy-codes.ts";
import { useTestDatabase } from "../../support/test-database.ts";
import { corpusDocument, withTable } from "./corpus-doc.ts";
import { openFolder } from "../../support/open-folder.ts";
import { readFound, readTruth, writeCorpus, writeFound } from "./corpus-files.ts";
import { judgeCorpus, scoreTable } from "./judge-corpus.ts";
import { runCorpus } from "./run-corpus.ts";

const database = useTestDatabase();

test("every planted error is found, nothing else is raised, and no line is matched wrongly", async () => {
  const result = await runCorpus(database.db, {
    transactions: 2_500,
    fromMs: Date.UTC(2026, 3, 1),
    toMs: Date.UTC(2026, 5, 1),
    seed: "corpus",
    // Few balances and monthly sums are stated: of those, every third and every tenth is off.
    rates:
      "all=0.02,balance_off=0.3,fee_off=0.02,commission_short=0.02,commission_over=0.02,commission_sum_off=0.1",
    bankRates: "all=0.05,from_a_stranger=0.2",
  });
  const imperfect = result.scores.filter(({ precision, recall }) => precision < 1 || recall < 1);
  expect(imperfect).toEqual([]);
  expect(result.scores.length).toBeGreaterThanOrEqual(28);
  expect(result.falseMatches).toBe(0);
  expect(result.matches).toBeGreaterThan(1_000);
  expect(result.bank).toMatchObject({ falseMatches: 0, missedMatches: 0, money: { wrong: [] } });
  expect(result.bank.money.compared).toBeGreaterThan(50);
  const { scores } = result;
  for (const code of receiptCodes)
    expect(scores.find((each) => each.code === code)?.planted, code).toBeGreaterThan(5);

  // As files, for other systems, it comes to the same scores.
  const folder = await openFolder("tieout-corpus-files-");
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await writeCorpus(folder, result.corpus, { seed: "corpus" });
  await writeFound(join(folder, "found.jsonl"), [...result.found, ...result.bank.found]);
  const again = judgeCorpus(await readTruth(folder), await readFound(join(folder, "found.jsonl")));
  expect(again).toEqual(scores.toSorted((a, b) => (a.code < b.code ? -1 : 1)));

  const document = await readFile(corpusDocument, "utf8");
  const made = withTable(document, "small", scoreTable(result, result.scores));
  expect(await readCommitted(corpusDocument, made)).toBe(made);
});

test("what another system has found is scored, and a line that says too little is named", async () => {
  const folder = await openFolder("tieout-score-");
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const planted = { case: "x", codes: ["status_mismatch"], file: "a.csv", lines: [7], transactionId: "T1" };
  await writeFile(join(folder, "truth.jsonl"), `${JSON.stringify(planted)}\n`);
  const found = join(folder, "found.jsonl");
  await writeFile(
    found,
    '{"code":"status_mismatch","kind":"transaction","transactionId":"T1"}\n{"code":"stale_open","kind":"transaction","transactionId":"T2"}\n',
  );
  expect(judgeCorpus(await readTruth(folder), await readFound(found))).toMatchObject([
    { code: "stale_open", planted: 0, found: 1, precision: 0, recall: 1 },
    { code: "status_mismatch", planted: 1, found: 1, precision: 1, recall: 1 },
  ]);
  await writeFile(found, '{"code":"stale_open","kind":"line","file":"a.csv"}\n');
  await expect(readFound(found)).rejects.toThrow(
    "line 1: expected code, kind (transaction, line or payout) and file and line",
  );
});
