import { readFile } from "node:fs/promises";
import { expect, test } from "vitest";
import { readCommitted } from "../../support/committed-file.ts";
import { receiptCodes } from "../../../src/core/discrepancy-codes.ts";
import { useTestDatabase } from "../../support/test-database.ts";
import { corpusDocument, withTable } from "./corpus-doc.ts";
import { scoreTable } from "./judge-corpus.ts";
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

  const document = await readFile(corpusDocument, "utf8");
  const made = withTable(document, "small", scoreTable(result, result.scores));
  expect(await readCommitted(corpusDocument, made)).toBe(made);
}, 300_000);
